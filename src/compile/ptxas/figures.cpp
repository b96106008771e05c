// Reads the lines that ptxas prints about registers and spills, each number within bounds: the program is a foreign
// one, and so is its text.
#include "compile/ptxas/figures.hpp"

#include <algorithm>
#include <charconv>

namespace warpwright::compile {
namespace {

/// More than any thread has: of registers (compute capabilities to come have no more), and of local memory.
constexpr std::uint64_t kMostRegisters = 255, kMostBytes = std::uint64_t{1} << 30;
/// Of a name, as mangled names of templates may be long; and functions of a module.
constexpr std::size_t kLongestName = 16384, kMostFunctions = 65536;

/// What follows `mark` in the line; nothing where the line lacks it.
std::optional<std::string_view> after(std::string_view line, std::string_view mark) {
    const auto at = line.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    return line.substr(at + mark.size());
}

/// The number that stands before `words` in the line ("8 bytes stack frame").
std::optional<std::uint64_t> number_before(std::string_view line, std::string_view words, std::uint64_t most) {
    const auto end = line.find(words);
    if (end == std::string_view::npos) return std::nullopt;
    auto begin = end;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
    std::uint64_t value = 0;
    const auto read = std::from_chars(line.data() + begin, line.data() + end, value);
    const bool alone = begin == 0 || line[begin - 1] == ' ';
    if (begin == end || !alone || read.ec != std::errc() || value > most) return std::nullopt;
    return value;
}

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= kLongestName && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '$' ||
               c == '%' || c == '.';
    });
}

/// The lines of a text, one after the other.
template <class Fn>
void each_line(std::string_view text, const Fn& fn) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        fn(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

}  // namespace

AssembledModule read_ptxas_info(std::string_view text) {
    AssembledModule out;
    std::string kernel, function;  // that the lines are about
    const auto known = [&](std::string_view name) {
        const bool fits = is_name(name) && (out.size() < kMostFunctions || out.contains(std::string(name)));
        if (fits) out.try_emplace(std::string(name));
        return fits ? std::string(name) : std::string();
    };
    each_line(text, [&](std::string_view line) {
        if (const auto rest = after(line, "Compiling entry function '")) {
            kernel = function = known(rest->substr(0, std::min(rest->find('\''), rest->size())));
        } else if (const auto name = after(line, "Function properties for ")) {
            function = known(name->substr(0, std::min(name->find_first_of(" \r"), name->size())));
        } else if (line.find(" bytes stack frame, ") != std::string_view::npos) {
            const auto frame = number_before(line, " bytes stack frame", kMostBytes);
            const auto stores = number_before(line, " bytes spill stores", kMostBytes);
            const auto loads = number_before(line, " bytes spill loads", kMostBytes);
            if (function.empty() || !frame || !stores || !loads) return;
            auto& f = out[function];
            f.frame = *frame, f.spill_stores = *stores, f.spill_loads = *loads;
            // Behind a kernel stand the functions that it calls, as they are compiled for it alone.
            if (kernel.empty() || function == kernel) return;
            auto& caller = out[kernel];
            caller.spill_stores = std::min(kMostBytes, caller.spill_stores + *stores);
            caller.spill_loads = std::min(kMostBytes, caller.spill_loads + *loads);
        } else if (line.find(": Used ") != std::string_view::npos) {
            const auto used = number_before(line, " registers", kMostRegisters);
            if (!kernel.empty() && used) out[kernel].registers = static_cast<std::uint32_t>(*used);
        }
    });
    return out;
}

std::optional<PtxasVersion> read_ptxas_version(std::string_view text) {
    if (text.find("Ptx optimizing assembler") == std::string_view::npos) return std::nullopt;
    const auto number = [](std::string_view from) {
        const auto end = from.find_first_not_of("0123456789.");
        return std::string(from.substr(0, std::min({end, from.size(), std::size_t{20}})));
    };
    PtxasVersion out;
    out.ours = text.find("Warpwright") != std::string_view::npos;
    if (const auto rest = after(text, ", release ")) out.release = number(*rest);
    if (const auto rest = after(text, ", V")) out.build = number(*rest);
    if (out.release.empty() || out.build.empty()) return std::nullopt;
    return out;
}

}  // namespace warpwright::compile

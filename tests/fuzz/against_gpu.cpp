#include "against_gpu.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>

#include "device/cuda/cuda_device.hpp"
#include "fuzz_target.hpp"

namespace warpwright::fuzz {

namespace {

/// Words with which a kernel's results are not the language's to say, or with which it might wait forever.
constexpr std::string_view kExcluded[] = {
    "call",        "brx",        "%clock",     "%globaltimer", "%smid",      "%nsmid",   "%warpid",    "%nwarpid",
    "%gridid",     "%envreg",    "%pm",        "smem",         "activemask", ".approx",  ".full",      "atom",
    "isspacep",    "mapa",       "nanosleep",  "mbarrier",     "cluster",    "tex.",     "tld4",       "suld",
    "sust",        "sured",      "cp.async",   "wgmma",        "tensor",     "brkpt",    "setmaxnreg", "griddep",
    "stack",       "alloca",     "policy",     "discard",      "elect",      "multimem", "red.",       "pmevent",
    "cvta.shared", "cvta.local", "cvta.param", "cvta.const",   "txq",        "suq"};

/// The most registers of a kernel that are set one by one.
constexpr unsigned kMostRegisters = 600;
constexpr std::size_t kMostNotes = 400;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }

/// The operand of the branch that begins at `at`: the last word before its end.
std::string_view target_of(std::string_view text, std::size_t at) {
    std::size_t end = text.find(';', at);
    if (end == text.npos) return {};
    while (end > at && !is_word(text[end - 1])) --end;
    std::size_t begin = end;
    while (begin > at && is_word(text[begin - 1])) --begin;
    return text.substr(begin, end - begin);
}

/// Whether some branch leads to a label that does not stand after it.
bool branches_backwards(std::string_view text) {
    for (std::size_t at = text.find("bra"); at != text.npos; at = text.find("bra", at + 1)) {
        const auto target = target_of(text, at);
        const auto label = text.find(std::string(target) + ":", at);
        if (target.empty() || label == text.npos) return true;
        if (label > 0 && is_word(text[label - 1])) return true;
        // A label of that name before the branch would be of another function, or of another block.
        for (auto before = text.find(std::string(target) + ":"); before < at;
             before = text.find(std::string(target) + ":", before + 1))
            if (before == 0 || !is_word(text[before - 1])) return true;
    }
    return false;
}

/// "mov.b32 NAME, 0;" for a register type; empty for types that mov does not have.
std::string set_to_zero(const std::string& type, const std::string& name) {
    static const std::map<std::string, std::string> kForms{
        {".pred", "mov.pred ?, 0;"}, {".b16", "mov.b16 ?, 0;"},          {".u16", "mov.u16 ?, 0;"},
        {".s16", "mov.s16 ?, 0;"},   {".b32", "mov.b32 ?, 0;"},          {".u32", "mov.u32 ?, 0;"},
        {".s32", "mov.s32 ?, 0;"},   {".b64", "mov.b64 ?, 0;"},          {".u64", "mov.u64 ?, 0;"},
        {".s64", "mov.s64 ?, 0;"},   {".f32", "mov.f32 ?, 0f00000000;"}, {".f64", "mov.f64 ?, 0d0000000000000000;"}};
    const auto form = kForms.find(type);
    if (form == kForms.end()) return {};
    std::string out = form->second;
    return out.replace(out.find('?'), 1, name);
}

/// The same for a declaration's list of names, "%r<20>, %x".
std::optional<std::string> set_list(const std::string& type, std::string list, unsigned& left) {
    std::string out;
    std::erase_if(list, [](unsigned char c) { return std::isspace(c); });
    for (std::size_t at = 0; at <= list.size();) {
        const auto end = std::min(list.find(',', at), list.size());
        const std::string name = list.substr(at, end - at);
        at = end + 1;
        const auto open = name.find('<');
        const unsigned many =
            open == name.npos ? 1 : static_cast<unsigned>(std::strtoul(name.c_str() + open + 1, nullptr, 10));
        if (many > left || name.empty()) return std::nullopt;
        left -= many;
        for (unsigned n = 0; n < many; ++n) {
            const auto one = set_to_zero(type, open == name.npos ? name : name.substr(0, open) + std::to_string(n));
            if (one.empty()) return std::nullopt;
            out += " " + one;
        }
    }
    return out;
}

/// Whether a position is inside of braces.
bool inside_function(std::string_view text, std::size_t at) {
    int depth = 0;
    for (const char c : text.substr(0, at)) depth += (c == '{') - (c == '}');
    return depth > 0;
}

/// Where instructions begin and end, each with its semicolon.
std::vector<std::pair<std::size_t, std::size_t>> instructions_of(std::string_view text) {
    std::vector<std::pair<std::size_t, std::size_t>> out;
    constexpr auto npos = std::string_view::npos;
    std::size_t begin = npos;  // of the statement; npos before its first character
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '/' && text.substr(i, 2) == "//") {
            i = std::min(text.find('\n', i), text.size());
            continue;
        }
        if (std::isspace(static_cast<unsigned char>(c))) continue;
        const bool instruction =
            begin != npos && (std::islower(static_cast<unsigned char>(text[begin])) || text[begin] == '@');
        const bool scope = text.substr(i, 2) == "::" || (i > 0 && text[i - 1] == ':');
        if (c == ';') {
            if (instruction) out.emplace_back(begin, i + 1);
            begin = npos;
        } else if (((c == '{' || c == '}') && !instruction) || (c == ':' && !scope)) {
            begin = npos;
        } else if (begin == npos) {
            begin = i;
        }
    }
    return out;
}

/// Whether an instruction is one of those that with_registers_set() writes: without it, what is left would read a
/// register that nothing has set, and its result would be nobody's to say.
bool sets_register(std::string_view instruction) {
    static const std::regex kForm(R"(mov\.\w+\s+[\w$%]+,\s*(0|0f0{8}|0d0{16});)");
    return std::regex_match(instruction.begin(), instruction.end(), kForm);
}

std::string without_digits(std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isdigit(c); });
    return text;
}

}  // namespace

std::string why_not_comparable(std::string_view text) {
    for (const auto word : kExcluded)
        if (text.find(word) != text.npos) return std::string(word);
    return branches_backwards(text) ? "a branch backwards" : "";
}

std::optional<std::string> with_registers_set(std::string_view text) {
    static const std::regex kDeclaration(R"(\.reg\s+(\.\w+)\s+([^;{}]+);)");
    const std::string all(text);
    std::string out;
    std::size_t done = 0;
    unsigned left = kMostRegisters;
    for (std::sregex_iterator it(all.begin(), all.end(), kDeclaration), end; it != end; ++it) {
        const auto after = static_cast<std::size_t>(it->position() + it->length());
        const auto set = set_list((*it)[1], (*it)[2], left);
        if (!set || !inside_function(all, after)) return std::nullopt;
        out += all.substr(done, after - done) + *set;
        done = after;
    }
    return out + all.substr(done);
}

std::string reduced(std::string text, const std::function<bool(const std::string&)>& still) {
    const auto all = instructions_of(text);
    for (auto one = all.rbegin(); one != all.rend(); ++one) {
        if (sets_register(std::string_view(text).substr(one->first, one->second - one->first))) continue;
        std::string without = text;
        without.erase(one->first, one->second - one->first);
        if (still(without)) text = std::move(without);
    }
    return text;
}

std::set<std::string> opcodes_of(std::string_view text) {
    std::set<std::string> out;
    for (auto [begin, end] : instructions_of(text)) {
        if (sets_register(text.substr(begin, end - begin))) continue;
        if (text[begin] == '@') {
            begin = text.find_first_of(" \t", begin);
            while (begin < end && std::isspace(static_cast<unsigned char>(text[begin]))) ++begin;
        }
        auto stop = begin;
        while (stop < end && !std::isspace(static_cast<unsigned char>(text[stop])) && text[stop] != ';') ++stop;
        if (begin < end && !text.substr(begin, stop - begin).starts_with("ld.param"))
            out.emplace(text.substr(begin, stop - begin));
    }
    return out;
}

AgainstGpu* AgainstGpu::here() {
    static const std::unique_ptr<AgainstGpu> gpu = [] {
        const char* folder = std::getenv("WARPWRIGHT_FUZZ_GPU");
        if (!folder || !*folder) return std::unique_ptr<AgainstGpu>();
        auto made = device::make_cuda({});
        if (!made) complain(made.error().text());
        std::filesystem::create_directories(folder);
        return std::unique_ptr<AgainstGpu>(new AgainstGpu(folder, std::move(*made)));
    }();
    return gpu.get();
}

AgainstGpu::AgainstGpu(std::filesystem::path folder, std::unique_ptr<device::Device> device)
    : folder_(std::move(folder)), device_(std::move(device)) {}

void AgainstGpu::note(const std::string& kind, const std::string& why, std::string_view text) {
    if (noted_.size() >= kMostNotes || !noted_.insert(kind + without_digits(why)).second) return;
    const auto hash = std::hash<std::string_view>()(text);
    std::ofstream file(folder_ / (kind + "-" + std::to_string(hash) + ".ptx"));
    std::string comment = "// " + why;
    for (std::size_t at = 0; (at = comment.find('\n', at)) != comment.npos; at += 4) comment.replace(at, 1, "\n// ");
    file << comment << "\n" << text;
}

bool AgainstGpu::known(std::string_view text) const {
    const auto opcodes = opcodes_of(text);
    return std::ranges::any_of(different_, [&](const auto& d) { return std::ranges::includes(opcodes, d); });
}

void AgainstGpu::note_difference(std::string_view text, const std::string& place,
                                 const std::function<bool(const std::string&)>& still) {
    const auto small = reduced(std::string(text), still);
    different_.push_back(opcodes_of(small));
    std::string why = "computed otherwise:";
    for (const auto& opcode : different_.back()) why += " " + opcode;
    note("differs", why + "\n" + place, small);
}

void AgainstGpu::count() {
    if (++compared_ % 100 == 0)
        std::ofstream(folder_ / ("compared-" + std::to_string(::getpid()))) << compared_ << "\n";
}

void AgainstGpu::end_after_fault() { std::_Exit(77); }

}  // namespace warpwright::fuzz

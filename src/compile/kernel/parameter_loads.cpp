// Works on lines: clang's PTX has one declaration and one statement a line. A load is moved only where nothing else
// writes its register: what joins at the end of a branch is one register, with a value of each side.
#include "compile/kernel/parameter_loads.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace warpwright::compile {

namespace {

using Lines = std::vector<std::string_view>;

std::string_view trimmed(std::string_view line) {
    const auto first = line.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

/// The name in `.param .u64 k_param_0,`; empty for arrays of bytes, which structures are.
std::string_view number_parameter(std::string_view line) {
    line = trimmed(line);
    if (!line.starts_with(".param ") || line.find(".b8 ") != std::string_view::npos) return {};
    const auto blank = line.find_last_of(" \t");
    line.remove_prefix(blank + 1);
    while (line.ends_with(",") || line.ends_with(")")) line.remove_suffix(1);
    return line;
}

/// The whole parameter that the line loads; empty where it loads none.
std::string_view loaded(std::string_view line) {
    line = trimmed(line);
    const auto from = line.find('['), to = line.find(']');
    if (!line.starts_with("ld.param.") || from == std::string_view::npos || to == std::string_view::npos) return {};
    return line.substr(from + 1, to - from - 1);
}

bool is_instruction(std::string_view line) {
    line = trimmed(line);
    return !line.empty() && line[0] != '.' && line[0] != '$' && line[0] != '/' && line[0] != '{' && line[0] != '}';
}

bool ends_first_block(std::string_view line) {
    line = trimmed(line);
    return line.starts_with("$") || line.starts_with("@") || line.starts_with("bra") || line.starts_with("brx");
}

using Writes = std::map<std::string_view, unsigned>;

/// Counts the registers that a statement may write: those of its first operand, but in an address. `any`: of each.
void count_writes(std::string_view statement, bool any, Writes& writes) {
    statement = trimmed(statement);
    if (statement.starts_with("@"))
        statement = statement.substr(std::min(statement.find_first_of(" \t"), statement.size()));
    int braces = 0;
    bool address = false;
    for (std::size_t k = 0; k < statement.size(); ++k) {
        const char c = statement[k];
        braces += c == '{' ? 1 : c == '}' ? -1 : 0;
        address = c == '[' || (address && c != ']');
        if (c == ',' && braces == 0 && !any) return;
        if (c != '%' || address) continue;
        const auto end = std::min(statement.find_first_of(" \t,|{}()[]<+", k), statement.size());
        ++writes[statement.substr(k, end - k)];
        k = end - 1;
    }
}

/// How often lines [first, last) write each register. Inline PTX may write all that it names.
Writes writes_of(const Lines& lines, std::size_t first, std::size_t last) {
    constexpr std::string_view kBegin = "// begin inline asm", kEnd = "// end inline asm";  // as clang writes it
    Writes out;
    bool any = false;
    for (std::size_t k = first; k < last; ++k) {
        if (lines[k].find(kBegin) != std::string_view::npos) any = true;
        if (lines[k].find(kEnd) != std::string_view::npos) any = false;
        for (std::string_view rest = lines[k].substr(0, lines[k].find("//")); !rest.empty();) {
            const auto end = rest.find(';');
            count_writes(rest.substr(0, end), any, out);
            rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        }
    }
    return out;
}

/// Whether the register that the line loads has no other value.
bool alone(std::string_view line, const Writes& writes) {
    const auto from = line.find('%'), to = line.find(',');
    if (from == std::string_view::npos || to == std::string_view::npos || to < from) return false;
    const auto found = writes.find(line.substr(from, to - from));
    return found != writes.end() && found->second == 1;
}

bool is_head(std::string_view line) {
    line = trimmed(line);
    return line.starts_with(".") &&
           (line.find(".entry ") != std::string_view::npos || line.find(".func ") != std::string_view::npos);
}

/// The lines of one kernel's body [first, last), its loads in order.
void put_body(Lines& out, const Lines& lines, std::size_t first, std::size_t last,
              const std::set<std::string_view>& numbers) {
    // Inline PTX may have a brace where a body ends: what stands behind it is of the kernel, too.
    std::size_t end = last;
    while (end < lines.size() && !is_head(lines[end])) ++end;
    const Writes writes = writes_of(lines, first, end);
    std::size_t begin = first;
    while (begin < last && !is_instruction(lines[begin])) ++begin;
    std::size_t beyond = begin;
    while (beyond < last && !ends_first_block(lines[beyond])) ++beyond;
    const auto moves = [&](std::size_t k) {
        return k >= beyond && numbers.contains(loaded(lines[k])) && alone(lines[k], writes);
    };
    for (std::size_t k = first; k < begin; ++k) out.push_back(lines[k]);
    for (std::size_t k = beyond; k < last; ++k)
        if (moves(k)) out.push_back(lines[k]);
    for (std::size_t k = begin; k < last; ++k)
        if (!moves(k)) out.push_back(lines[k]);
}

}  // namespace

std::string load_parameters_first(std::string_view ptx) {
    Lines lines, out;
    for (std::string_view rest = ptx; !rest.empty();) {
        const auto end = rest.find('\n');
        lines.push_back(rest.substr(0, end));
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    std::set<std::string_view> numbers;  // of the kernel whose head was read last
    bool kernel = false;
    for (std::size_t k = 0; k < lines.size(); ++k) {
        out.push_back(lines[k]);
        const auto line = trimmed(lines[k]);
        if (line.find(".entry ") != std::string_view::npos && line.starts_with(".")) kernel = true, numbers.clear();
        if (line.find(".func ") != std::string_view::npos && line.starts_with(".")) kernel = false;
        if (const auto name = number_parameter(line); kernel && !name.empty()) numbers.insert(name);
        if (lines[k] != "{") continue;
        const auto end = static_cast<std::size_t>(
            std::find(lines.begin() + static_cast<std::ptrdiff_t>(k), lines.end(), "}") - lines.begin());
        if (kernel && !numbers.empty())
            put_body(out, lines, k + 1, end, numbers);
        else
            out.insert(out.end(), lines.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                       lines.begin() + static_cast<std::ptrdiff_t>(end));
        kernel = false;
        k = end - 1;
    }
    std::string text;
    text.reserve(ptx.size());
    for (const auto line : out) (text += line) += '\n';
    return text;
}

}  // namespace warpwright::compile

// Works on lines of text, because clang's PTX has one statement a line: it drops functions that nothing reaches, makes
// one branch of two of which one leads to the next line, gives files the names by which they were given, and kernels
// the directives of their clusters.
#include "compile/kernel/rewrite_ptx.hpp"

#include "compile/kernel/constant_moves.hpp"
#include "compile/kernel/parameter_loads.hpp"
#include "compile/kernel/ptx_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace warpwright::compile {
namespace {

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/// The name declared by the line that opens a .func: after ".func" and an optional "(...)" of results.
std::string_view function_name(std::string_view line) {
    auto at = line.find(".func");
    if (at == std::string_view::npos) return {};
    at = line.find_first_not_of(" \t", at + 5);
    if (at != std::string_view::npos && line[at] == '(') {
        at = line.find(')', at);
        if (at != std::string_view::npos) at = line.find_first_not_of(" \t", at + 1);
    }
    if (at == std::string_view::npos) return {};
    auto end = at;
    while (end < line.size() && is_name_character(line[end])) ++end;
    return line.substr(at, end - at);
}

void add_names(std::string_view line, std::set<std::string_view>& names) {
    for (std::size_t i = 0; i < line.size();) {
        if (!is_name_character(line[i])) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < line.size() && is_name_character(line[end])) ++end;
        names.insert(line.substr(i, end - i));
        i = end;
    }
}

/// A run of lines at module level: one function's declaration or definition, or anything else.
struct Chunk {
    std::size_t first = 0, last = 0;  // [first, last)
    std::string_view function;        // empty for entries and module-level text
    bool keep = false;
};

std::vector<Chunk> chunks_of(const Lines& lines) {
    std::vector<Chunk> chunks;
    for (std::size_t i = 0; i < lines.size();) {
        Chunk chunk{i, i + 1, {}, false};
        const std::string_view head = trimmed(lines[i]);
        const bool function = head.starts_with(".") && head.find(".func") != std::string_view::npos;
        if (function || (head.starts_with(".") && head.find(".entry") != std::string_view::npos)) {
            if (function) chunk.function = function_name(head);
            std::size_t k = i;
            while (k < lines.size() && lines[k] != "}" && !trimmed(lines[k]).ends_with(";")) {
                ++k;
                if (k < lines.size() && lines[k] == "{")
                    while (k < lines.size() && lines[k] != "}") ++k;
            }
            chunk.last = k < lines.size() ? k + 1 : k;
        }
        i = chunk.last;
        chunks.push_back(chunk);
    }
    return chunks;
}

void drop_unreached_functions(Lines& lines) {
    auto chunks = chunks_of(lines);
    std::set<std::string_view> names;
    for (Chunk& chunk : chunks) {
        if (!chunk.function.empty()) continue;
        chunk.keep = true;
        for (std::size_t i = chunk.first; i < chunk.last; ++i) add_names(trimmed(lines[i]), names);
    }
    for (bool more = true; more;) {
        more = false;
        for (Chunk& chunk : chunks) {
            if (chunk.keep || !names.count(chunk.function)) continue;
            chunk.keep = more = true;
            for (std::size_t i = chunk.first; i < chunk.last; ++i) add_names(trimmed(lines[i]), names);
        }
    }
    Lines kept;
    for (const Chunk& chunk : chunks)
        if (chunk.keep) kept.insert(kept.end(), lines.begin() + chunk.first, lines.begin() + chunk.last);
    lines = std::move(kept);
}

/// The target of "bra.uni L;" or "bra L;", after an optional guard; empty when the line is no plain branch.
std::string_view branch_target(std::string_view line) {
    auto at = line.find("bra");
    if (at != 0) return {};
    at = line.find_first_of(" \t");
    if (at == std::string_view::npos) return {};
    const std::string_view opcode = line.substr(0, at);
    if (opcode != "bra" && opcode != "bra.uni") return {};
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos || !line.ends_with(";")) return {};
    return line.substr(at, line.size() - at - 1);
}

bool is_label(std::string_view line) {
    return line.ends_with(":") && line.find_first_of(" \t") == std::string_view::npos;
}

/// operator new, new[], delete and delete[], in all of their forms.
bool is_heap_operator(std::string_view name) {
    for (const char* start : {"_Znw", "_Zna", "_Zdl", "_Zda"})
        if (name.starts_with(start)) return true;
    return false;
}

/// Whether the text declares, without defining it, a function for whose name Such returns true.
template <class Such>
bool declares_function(std::string_view ptx, Such such) {
    for (std::size_t at = 0; (at = ptx.find(".extern .func", at)) != std::string_view::npos; at += 13)
        if (such(function_name(ptx.substr(at, ptx.find('\n', at) - at)))) return true;
    return false;
}

constexpr std::string_view kClusterMark = "//warpwright.cluster_dims ";

/// The clusters that kernels are declared with, by kernel: what clang's plugin has written (toolchain/pass). Their
/// lines are removed.
std::map<std::string_view, std::string> take_clusters(Lines& lines) {
    std::map<std::string_view, std::string> clusters;
    std::erase_if(lines, [&](std::string_view line) {
        if (!line.starts_with(kClusterMark)) return false;
        line.remove_prefix(kClusterMark.size());
        const auto blank = line.find(' ');
        if (blank == std::string_view::npos) return true;
        std::string extents(line.substr(blank + 1));
        for (std::size_t at = 0; (at = extents.find(' ', at)) != std::string::npos; at += 2)
            extents.replace(at, 1, ", ");
        clusters[line.substr(0, blank)] = ".explicitcluster\n.reqnctapercluster " + extents + "\n";
        return true;
    });
    return clusters;
}

/// The number in `.target sm_90a`; 0 where there is none.
unsigned target_of(const Lines& lines) {
    for (const auto line : lines) {
        const std::string_view text = trimmed(line);
        if (!text.starts_with(".target sm_")) continue;
        unsigned number = 0;
        std::from_chars(text.data() + 11, text.data() + text.size(), number);
        return number;
    }
    return 0;
}

/// The name of the kernel that a line opens; empty where it opens none.
std::string_view entry_name(std::string_view line) {
    const auto at = line.find(".entry ");
    if (at == std::string_view::npos || !line.starts_with(".")) return {};
    const auto from = at + 7, to = line.find('(', from);
    return line.substr(from, to == std::string_view::npos ? to : to - from);
}

}  // namespace

bool calls_library(std::string_view ptx) {
    return declares_function(ptx,
                             [](std::string_view name) { return name.starts_with("_Z") && !is_heap_operator(name); });
}

bool calls_heap_operators(std::string_view ptx) { return declares_function(ptx, is_heap_operator); }

bool has_constant_memory(std::string_view ptx) {
    for (std::size_t at = 0; (at = ptx.find(".const ", at)) != std::string_view::npos; at += 7) {
        // At the start of a line, after linkage words at most: instructions are indented.
        const auto line = ptx.rfind('\n', at) + 1;
        if (line < ptx.size() && ptx[line] == '.') return true;
    }
    return false;
}

namespace {

/// Whether the label is among those that stand before the next statement.
bool falls_to(const Lines& lines, std::size_t at, std::string_view label) {
    for (; at < lines.size() && !label.empty(); ++at) {
        const std::string_view line = trimmed(lines[at]);
        if (line.empty()) continue;
        if (!is_label(line)) return false;
        if (line.substr(0, line.size() - 1) == label) return true;
    }
    return false;
}

}  // namespace

namespace {

/// A bit field of constant place and length as a shift and a mask, or two shifts, which is what nvcc writes; empty
/// where the line takes none out. `bfe.u32 %r1, %r2, 8, 5;`
std::string shifts_of_bit_field(std::string_view line) {
    constexpr std::string_view kStart = "bfe.";
    if (!line.starts_with(kStart) || line.size() < 8 || line.find(';') + 1 != line.size()) return {};
    const bool is_signed = line[4] == 's', wide = line.substr(5, 2) == "64";
    const auto blank = line.find_first_of(" \t");
    std::vector<std::string_view> operands;
    for (std::string_view rest = line.substr(std::min(blank, line.size() - 1), line.size() - 1 - blank);;) {
        const auto comma = rest.find(',');
        operands.push_back(trimmed(rest.substr(0, comma)));
        if (comma == std::string_view::npos) break;
        rest = rest.substr(comma + 1);
    }
    if (operands.size() != 4) return {};
    const auto number_of = [](std::string_view text) {
        unsigned value = 0;
        const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
        return end.ec == std::errc() && end.ptr == text.data() + text.size() ? value : ~0u;
    };
    const unsigned bits = wide ? 64 : 32, at = number_of(operands[2]), length = number_of(operands[3]);
    if (at >= bits || length == 0 || length > bits - at) return {};
    const std::string to(operands[0]), from(operands[1]);
    if (is_signed)
        return fmt::format("\tshl.b{0} \t{1}, {2}, {3};\n\tshr.s{0} \t{1}, {1}, {4};\n", bits, to, from,
                           bits - at - length, bits - length);
    const auto mask = length == 64 ? ~0ull : (1ull << length) - 1;
    if (at == 0) return fmt::format("\tand.b{} \t{}, {}, {};\n", bits, to, from, mask);
    const auto shift = fmt::format("\tshr.u{} \t{}, {}, {};\n", bits, to, from, at);
    return at + length == bits ? shift : shift + fmt::format("\tand.b{0} \t{1}, {1}, {2};\n", bits, to, mask);
}

/// A byte that is widened as a number without sign, by a move and a mask, which is what nvcc writes; empty where the
/// line widens none. `cvt.u32.u8 %r1, %rs2;`
std::string mask_of_byte(std::string_view line) {
    constexpr std::string_view kStart = "cvt.u", kByte = ".u8";
    const auto blank = line.find_first_of(" \t"), comma = line.find(',');
    if (!line.starts_with(kStart) || blank == std::string_view::npos || comma == std::string_view::npos ||
        comma < blank || line.find(';') + 1 != line.size() || !line.substr(0, blank).ends_with(kByte))
        return {};
    const auto bits = line.substr(kStart.size(), blank - kByte.size() - kStart.size());
    const auto to = trimmed(line.substr(blank, comma - blank));
    const auto from = trimmed(line.substr(comma + 1, line.size() - comma - 2));
    if (!from.starts_with("%rs") || !(bits == "16" || bits == "32" || bits == "64")) return {};
    if (bits == "16") return fmt::format("\tand.b16 \t{}, {}, 255;\n", to, from);
    return fmt::format("\tcvt.u{0}.u16 \t{1}, {2};\n\tand.b{0} \t{1}, {1}, 255;\n", bits, to, from);
}

}  // namespace

std::string tidy(std::string_view ptx, bool whole) {
    const std::string ordered = load_parameters_first(ptx);  // it looks at comments, which go
    Lines lines = split(ordered);
    auto clusters = take_clusters(lines);
    constexpr unsigned kFirstWithClusters = 90;
    if (target_of(lines) < kFirstWithClusters) clusters.clear();  // nvcc ignores them too
    if (whole) drop_unreached_functions(lines);
    std::string out;
    out.reserve(ptx.size());
    std::string directives;  // of the kernel whose head is being read
    bool inlined = false;    // what the source wrote as PTX
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view line = trimmed(lines[i]);
        if (const auto found = clusters.find(entry_name(line)); found != clusters.end()) directives = found->second;
        if (line == "{") out += std::exchange(directives, {});
        if (line.ends_with(";")) directives.clear();  // the head was that of a declaration
        constexpr std::string_view kBegin = "// begin inline asm", kEnd = "// end inline asm";  // as clang writes it
        if (lines[i].find(kBegin) != std::string_view::npos) inlined = true;
        if (lines[i].find(kEnd) != std::string_view::npos) inlined = false;
        auto two = inlined ? std::string() : shifts_of_bit_field(line);
        if (two.empty() && !inlined) two = mask_of_byte(line);
        if (!two.empty()) {
            out += two;
            continue;
        }
        if (line.starts_with("@") && i + 1 < lines.size()) {
            const auto blank = line.find(' ');
            const std::string_view taken =
                blank == std::string_view::npos ? std::string_view() : branch_target(trimmed(line.substr(blank)));
            const std::string_view next = trimmed(lines[i + 1]);
            const std::string_view otherwise = next.starts_with("bra.uni") ? branch_target(next) : std::string_view();
            if (!taken.empty() && !otherwise.empty() && falls_to(lines, i + 2, taken)) {
                const bool inverted = line.starts_with("@!");
                out += inverted ? "\t@" : "\t@!";
                out += line.substr(inverted ? 2 : 1, blank - (inverted ? 2 : 1));
                out += " bra \t";
                out += otherwise;
                out += ";\n";
                ++i;
                continue;
            }
        }
        if (line.starts_with("bra.uni") && falls_to(lines, i + 1, branch_target(line))) continue;
        // Comments on lines of their own name functions that may have been removed.
        if (line.empty() && i > 2 && lines[i].find("//") != std::string_view::npos) continue;
        if (line.starts_with(".file")) {
            const auto name = lines[i].find("\"./");
            if (name != std::string_view::npos) {
                out.append(lines[i].substr(0, name + 1)).append(lines[i].substr(name + 3)) += '\n';
                continue;
            }
        }
        out += lines[i];
        out += '\n';
    }
    return move_constants(out);
}

}  // namespace warpwright::compile

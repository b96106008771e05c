// A reader of words of C++ with no grammar: it keeps names, brackets and the numbers of #defines. It gives up where a
// declaration is not plain, because a wrong name in a message is worse than none.
#include "support/declarations.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <span>
#include <utility>

namespace warpwright {
namespace {

struct Word {
    std::string text;
    unsigned line = 0;
};
using Constants = std::map<std::string, std::uint64_t, std::less<>>;

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::optional<std::uint64_t> number(std::string_view text) {
    while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex) text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

/// The words of a text, without comments, strings and directives; numbers that a directive defines go to `constants`.
std::vector<Word> words_of(const std::vector<std::string>& lines, Constants& constants) {
    std::vector<Word> out;
    bool comment = false, directive = false;
    for (unsigned n = 0; n < lines.size(); ++n) {
        const std::string_view s = lines[n];
        std::vector<std::string> of_line;
        for (std::size_t i = 0; i < s.size();) {
            if (comment) {
                const auto end = s.find("*/", i);
                comment = end == std::string_view::npos;
                i = comment ? s.size() : end + 2;
            } else if (s.substr(i, 2) == "//") {
                break;
            } else if (s.substr(i, 2) == "/*") {
                comment = true, i += 2;
            } else if (s[i] == '"' || s[i] == '\'') {
                const char quote = s[i++];
                while (i < s.size() && s[i] != quote) i += s[i] == '\\' ? 2 : 1;
                ++i;
            } else if (in_name(s[i])) {
                const auto from = i;
                while (i < s.size() && in_name(s[i])) ++i;
                of_line.emplace_back(s.substr(from, i - from));
            } else if (std::isspace(static_cast<unsigned char>(s[i])) || s[i] == '\\') {
                ++i;
            } else {
                of_line.emplace_back(1, s[i++]);
            }
        }
        directive = directive || (!of_line.empty() && of_line[0] == "#");
        if (!directive)
            for (auto& w : of_line) out.push_back({std::move(w), n + 1});
        else if (of_line.size() == 4 && of_line[1] == "define")
            if (const auto value = number(of_line[3])) constants[of_line[2]] = *value;
        directive = directive && s.ends_with("\\");
    }
    for (std::size_t i = 0; i + 3 < out.size(); ++i)
        if (out[i + 1].text == "=" && (out[i + 3].text == ";" || out[i + 3].text == ","))
            if (const auto value = number(out[i + 2].text); value && starts_name(out[i].text[0]))
                constants.try_emplace(out[i].text, *value);
    return out;
}

/// The value of sums of products of numbers and known constants, such as TILE * TILE + 1.
std::optional<std::uint64_t> value_of(std::span<const Word> words, const Constants& constants) {
    std::uint64_t sum = 0, product = 1;
    bool wanted = true;
    for (const auto& w : words) {
        if (wanted) {
            auto value = number(w.text);
            if (const auto known = constants.find(w.text); known != constants.end()) value = known->second;
            if (!value) return std::nullopt;
            product *= *value;
        } else if (w.text == "+") {
            sum += std::exchange(product, 1);
        } else if (w.text != "*") {
            return std::nullopt;
        }
        wanted = !wanted;
    }
    if (wanted) return std::nullopt;
    return sum + product;
}

bool is_kernel_head(std::span<const Word> words, std::size_t at) {
    while (at-- > 0) {
        const auto& w = words[at].text;
        if (w == ";" || w == "{" || w == "}") return false;
        if (w == "__global__" || w == "__kernel" || w == "kernel") return true;
    }
    return false;
}

int depth_change(const std::string& w) {
    if (w == "(" || w == "[" || w == "{" || w == "<") return 1;
    return w == ")" || w == "]" || w == "}" || w == ">" ? -1 : 0;
}

/// The last name of each parameter in a list that begins behind words[at], a bracket.
std::vector<std::string> names_in_list(std::span<const Word> words, std::size_t at) {
    std::vector<std::string> out;
    std::vector<std::string> names;
    int depth = 0;
    bool value = false, any = false;
    const auto end_one = [&] {
        // One word is a type without a name.
        out.push_back(names.size() > 1 && type_bytes(names.back()) == 0 ? names.back() : "");
        names.clear();
        value = false;
    };
    for (std::size_t i = at + 1; i < words.size(); ++i) {
        const auto& w = words[i].text;
        const int change = depth_change(w);
        if (depth == 0 && change < 0) {
            if (any) end_one();
            return out;
        }
        any = true;
        depth += change;
        if (depth == 0 && w == ",") {
            end_one();
        } else if (depth == 0 && w == "=") {
            value = true;
        } else if (depth == 0 && !value && starts_name(w[0]) && !w.starts_with("__restrict") && w != "const") {
            names.push_back(w);
        }
    }
    return {};
}

bool places_in_memory(const std::string& w) {
    return w == "__shared__" || w == "__device__" || w == "__constant__" || w == "__managed__" || w == "__local";
}

bool ends_declarator(const std::string& w) { return w == "[" || w == "," || w == ";" || w == "=" || w == "{"; }

/// The declaration of `name` in words[from, to), which begin behind a memory qualifier and end before a semicolon.
std::optional<ArrayDeclaration> declared_in(std::span<const Word> words, std::string_view name,
                                            const Constants& constants) {
    ArrayDeclaration d;
    std::size_t first = words.size(), at = words.size();
    int depth = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto& w = words[i].text;
        if (depth == 0 && starts_name(w[0]) && (i + 1 == words.size() || ends_declarator(words[i + 1].text))) {
            first = std::min(first, i);
            if (w == name) at = std::min(at, i);
        }
        depth += depth_change(w);
    }
    if (at == words.size()) return std::nullopt;
    depth = 0;
    for (std::size_t i = 0; i < first; ++i) {
        const auto& w = words[i].text;
        const bool outer = depth == 0;
        depth += w == "(" ? 1 : w == ")" ? -1 : 0;
        if (!outer || w == "(" || w == "static" || w == "extern" || w == "volatile" || w == "alignas" ||
            w == "__align__" || places_in_memory(w))
            continue;
        const bool apart = !d.type.empty() && in_name(w[0]) && in_name(d.type.back());
        d.type += (apart ? " " : "") + w;
    }
    if (d.type.empty()) return std::nullopt;
    d.text = d.type + " " + std::string(name);
    d.line = words[at].line;
    bool known = true;
    for (std::size_t i = at + 1; i < words.size() && words[i].text == "[";) {
        auto end = i + 1;
        d.text += "[";
        for (; end < words.size() && words[end].text != "]"; ++end) d.text += words[end].text;
        d.text += "]";
        const auto extent = value_of(words.subspan(i + 1, std::min(end, words.size()) - i - 1), constants);
        if (extent) d.extents.push_back(*extent);
        known = known && extent;
        ++d.dimensions;
        i = end + 1;
    }
    if (!known) d.extents.clear();
    return d;
}

}  // namespace

std::vector<std::string> parameter_names(const std::vector<std::string>& lines, std::string_view kernel,
                                         std::size_t count) {
    Constants constants;
    const auto words = words_of(lines, constants);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (words[i].text != kernel || words[i + 1].text != "(" || !is_kernel_head(words, i)) continue;
        auto names = names_in_list(words, i + 1);
        if (names.size() == count) return names;
    }
    return {};
}

std::optional<bool> returns_before(const std::vector<std::string>& lines, std::string_view kernel, unsigned line) {
    Constants constants;
    const auto words = words_of(lines, constants);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (words[i].text != kernel || words[i + 1].text != "(" || !is_kernel_head(words, i)) continue;
        auto at = i;
        while (at < words.size() && words[at].text != "{" && words[at].text != ";") ++at;
        if (at == words.size() || words[at].text == ";") continue;
        int depth = 0;
        bool before = false, any = false;
        for (; at < words.size(); ++at) {
            const auto& w = words[at].text;
            depth += w == "{" ? 1 : w == "}" ? -1 : 0;
            if (depth == 0) break;
            if (w != "return" && w != "exit" && w != "goto" && w != "asm" && w != "__asm__" && w != "__trap") continue;
            any = true;
            before = before || words[at].line < line;
        }
        const bool inside = at < words.size() && words[i].line <= line && line <= words[at].line;
        return inside ? before : any;
    }
    return std::nullopt;
}

std::optional<ArrayDeclaration> array_declaration(const std::vector<std::string>& lines, std::string_view name,
                                                  unsigned before) {
    Constants constants;
    const auto words = words_of(lines, constants);
    std::optional<ArrayDeclaration> best;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!places_in_memory(words[i].text)) continue;
        auto end = i;
        while (end < words.size() && words[end].text != ";" && words[end].text != "{" && words[end].text != "}") ++end;
        auto found = declared_in(std::span(words).subspan(i + 1, end - i - 1), name, constants);
        if (found && (!best || found->line <= before)) best = std::move(found);
        i = end;
    }
    return best;
}

unsigned type_bytes(std::string_view type) {
    static const std::map<std::string, unsigned, std::less<>> known = [] {
        std::map<std::string, unsigned, std::less<>> m{{"bool", 1},
                                                       {"char", 1},
                                                       {"signed char", 1},
                                                       {"unsigned char", 1},
                                                       {"short", 2},
                                                       {"unsigned short", 2},
                                                       {"int", 4},
                                                       {"unsigned int", 4},
                                                       {"unsigned", 4},
                                                       {"long", 8},
                                                       {"unsigned long", 8},
                                                       {"long long", 8},
                                                       {"float", 4},
                                                       {"unsigned long long", 8},
                                                       {"double", 8},
                                                       {"half", 2},
                                                       {"__half", 2},
                                                       {"__half2", 4},
                                                       {"half2", 4},
                                                       {"__nv_bfloat16", 2},
                                                       {"__nv_bfloat162", 4},
                                                       {"size_t", 8},
                                                       {"uint8_t", 1},
                                                       {"int8_t", 1},
                                                       {"uint16_t", 2},
                                                       {"int16_t", 2},
                                                       {"uint32_t", 4},
                                                       {"int32_t", 4},
                                                       {"uint64_t", 8},
                                                       {"int64_t", 8}};
        constexpr std::array<std::pair<const char*, unsigned>, 12> of_vectors{{{"char", 1},
                                                                               {"uchar", 1},
                                                                               {"short", 2},
                                                                               {"ushort", 2},
                                                                               {"int", 4},
                                                                               {"uint", 4},
                                                                               {"long", 8},
                                                                               {"ulong", 8},
                                                                               {"longlong", 8},
                                                                               {"ulonglong", 8},
                                                                               {"float", 4},
                                                                               {"double", 8}}};
        for (const auto& [name, bytes] : of_vectors)
            for (unsigned n = 1; n <= 4; ++n) m[name + std::to_string(n)] = bytes * n;
        return m;
    }();
    for (const std::string_view word : {"const", "volatile", " "})
        for (bool changed = true; changed;) {
            changed = type.starts_with(word) || type.ends_with(word);
            if (type.starts_with(word)) type.remove_prefix(word.size());
            if (type.ends_with(word)) type.remove_suffix(word.size());
        }
    while (type.starts_with(' ')) type.remove_prefix(1);
    while (type.ends_with(' ')) type.remove_suffix(1);
    if (type.ends_with('*')) return 8;
    const auto at = known.find(type);
    return at == known.end() ? 0 : at->second;
}

std::string pointed_type(std::string_view signature, std::size_t parameter) {
    if (!signature.ends_with(')')) return "";
    std::size_t open = signature.size() - 1;
    for (int depth = 1; depth > 0 && open > 0;) {
        --open;
        depth += signature[open] == ')' ? 1 : signature[open] == '(' ? -1 : 0;
    }
    const auto list = signature.substr(open + 1, signature.size() - open - 2);
    std::size_t from = 0, index = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        const char c = i < list.size() ? list[i] : ',';
        depth += c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
        if (c != ',' || (depth != 0 && i < list.size())) continue;
        if (index++ == parameter) {
            auto type = list.substr(from, i - from);
            const auto star = type.rfind('*');
            return star == std::string_view::npos || type.ends_with(')') ? "" : std::string(type.substr(0, star));
        }
        from = i + 1;
        while (from < list.size() && list[from] == ' ') ++from;
    }
    return "";
}

std::string allocated_variable(std::string_view line, unsigned column) {
    // nvcc's columns are those of a text that it has made; they seldom meet the beginning of a word.
    if (column > line.size() || (column > 0 && !starts_name(line[column - 1])) ||
        (column > 1 && in_name(line[column - 2])))
        column = 0;
    Constants ignored;
    const auto words = words_of({std::string(column ? line.substr(column - 1) : line)}, ignored);
    const auto allocates = [](const std::string& w) {
        return (w.starts_with("cuda") && (w.find("Malloc") != w.npos || w == "cudaHostAlloc")) ||
               w.starts_with("cuMemAlloc") || w.starts_with("cuMemHostAlloc");
    };
    const auto is_call = [&](std::size_t i) { return i + 1 < words.size() && allocates(words[i].text); };
    std::size_t at = words.size(), calls = 0;
    for (std::size_t i = 0; i < words.size(); ++i)
        if (is_call(i)) at = std::min(at, i), ++calls;
    if (at == words.size() || (column == 0 && calls > 1)) return "";
    while (at < words.size() && words[at].text != "(") ++at;
    // The first argument, without casts and the address operator.
    std::string name;
    int depth = 0;
    bool closed = false;  // a bracket was: what stands behind it makes it a cast
    for (std::size_t i = at + 1; i < words.size(); ++i) {
        const auto& w = words[i].text;
        if (depth == 0 && (w == "," || w == ")")) return name;
        depth += w == "(" ? 1 : w == ")" ? -1 : 0;
        if (std::exchange(closed, w == ")") && w != ")") name.clear();
        if (w == "(" || w == "*" || w == "<" || (w == ">" && !name.ends_with('-'))) {
            name.clear();
        } else if (w != ")" && w != "&") {
            name += w;
        }
    }
    return "";
}

}  // namespace warpwright

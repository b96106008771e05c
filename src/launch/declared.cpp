// The linkage name is believed first: it has types after templates and macros. The source is read as words alone, so
// what it does not say plainly (a macro, two declarations that differ) is taken for unknown.
#include "launch/declared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "support/demangle.hpp"

namespace warpwright::launch {
namespace {

bool of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
    return std::string(text);
}

/// "int, foo<a, b>*" -> "int", "foo<a, b>*".
std::vector<std::string> parts_of(std::string_view list) {
    std::vector<std::string> out;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const char c = list[i];
        if (c == '(' || c == '<' || c == '[') ++depth;
        if (c == ')' || c == '>' || c == ']') --depth;
        if (c != ',' || depth != 0) continue;
        out.push_back(trimmed(list.substr(begin, i - begin)));
        begin = i + 1;
    }
    if (const std::string last = trimmed(list.substr(begin)); !last.empty() || !out.empty()) out.push_back(last);
    if (out.size() == 1 && out[0] == "void") out.clear();
    return out;
}

/// The words of a type, without what says nothing of an element; "*" and "&" are words.
std::vector<std::string> words_of(std::string_view type) {
    constexpr std::string_view kQualifiers[] = {"const",    "volatile", "__restrict__", "__restrict",
                                                "restrict", "__global", "global",       "__constant",
                                                "constant", "struct",   "__constant__", "__read_only"};
    std::vector<std::string> out;
    for (std::size_t i = 0; i < type.size();) {
        if (std::isspace(static_cast<unsigned char>(type[i]))) {
            ++i;
            continue;
        }
        std::size_t end = i + 1;
        if (of_word(type[i]))
            while (end < type.size() && of_word(type[end])) ++end;
        const std::string_view word = type.substr(i, end - i);
        if (std::find(std::begin(kQualifiers), std::end(kQualifiers), word) == std::end(kQualifiers))
            out.emplace_back(word);
        i = end;
    }
    return out;
}

/// Bytes of a number of this type; 0 where it is none, or one of a byte.
unsigned number_bytes(const std::string& type) {
    constexpr struct {
        const char* name;
        unsigned bytes;
    } kTypes[] = {{"bool", 1},     {"short", 2},     {"ushort", 2},        {"int16_t", 2},  {"uint16_t", 2},
                  {"half", 2},     {"__half", 2},    {"__nv_bfloat16", 2}, {"int", 4},      {"uint", 4},
                  {"int32_t", 4},  {"uint32_t", 4},  {"float", 4},         {"long", 8},     {"ulong", 8},
                  {"longlong", 8}, {"ulonglong", 8}, {"int64_t", 8},       {"uint64_t", 8}, {"size_t", 8},
                  {"double", 8}};
    for (const auto& t : kTypes)
        if (type == t.name) return t.bytes;
    return 0;
}

/// "unsigned long int" -> "ulong"; the words of other types as one.
std::string plain_type(const std::vector<std::string>& words) {
    bool is_unsigned = false, is_signed = false, is_short = false, is_char = false, other = false;
    int longs = 0;
    std::string last;
    for (const std::string& word : words) {
        if (word == "unsigned")
            is_unsigned = true;
        else if (word == "signed")
            is_signed = true;
        else if (word == "short")
            is_short = true;
        else if (word == "long")
            ++longs;
        else if (word == "char")
            is_char = true;
        else if (word != "int")
            other = true, last += word;
    }
    if (other) return longs || is_unsigned || is_signed || is_short ? std::string() : last;
    return is_char ? "char" : is_short ? "short" : longs ? "long" : "int";
}

std::vector<unsigned> elements_of(std::string_view type) {
    auto words = words_of(type);
    if (words.size() < 2 || words.back() != "*") return {};
    words.pop_back();
    const std::string plain = plain_type(words);
    if (const unsigned bytes = number_bytes(plain); bytes != 0) return {bytes};
    // A vector: its own elements, or its numbers.
    std::size_t digits = plain.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(plain[digits - 1]))) --digits;
    const std::string count = plain.substr(digits);
    const unsigned bytes = number_bytes(plain.substr(0, digits));
    if (bytes < 2 || count.empty() || count.size() > 2) return {};
    const unsigned n = static_cast<unsigned>(std::stoul(count));
    if (n == 0 || n > 16) return {};
    if (n == 3) return {bytes, 3 * bytes, 4 * bytes};  // OpenCL C pads it
    return n == 1 ? std::vector{bytes} : std::vector{bytes, n * bytes};
}

/// What stands in the last pair of round brackets of "void f<int>(float const*, int)"; absent where there is none.
std::optional<std::string> last_brackets(const std::string& readable) {
    if (!readable.ends_with(')')) return std::nullopt;
    int depth = 0;
    for (std::size_t i = readable.size(); i-- > 0;) {
        if (readable[i] == ')') ++depth;
        if (readable[i] == '(' && --depth == 0) return readable.substr(i + 1, readable.size() - i - 2);
    }
    return std::nullopt;
}

/// "ns::f<int>(float*)" -> "f"; a name that is none of C++ as it is.
std::string base_name(const std::string& readable) {
    std::string name = readable.substr(0, readable.find_last_not_of(' ') + 1);
    if (const auto inside = last_brackets(name)) name.resize(name.size() - inside->size() - 2);
    if (name.ends_with('>')) {
        int depth = 0;
        std::size_t i = name.size();
        while (i-- > 0) {
            if (name[i] == '>') ++depth;
            if (name[i] == '<' && --depth == 0) break;
        }
        name.resize(std::min(i, name.size()));
    }
    std::size_t begin = name.size();
    while (begin > 0 && of_word(name[begin - 1])) --begin;
    return name.substr(begin);
}

/// The text without comments.
std::string without_comments(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::string_view two = text.substr(i, 2);
        const std::size_t end = two == "//" ? text.find('\n', i) : two == "/*" ? text.find("*/", i + 2) : i;
        if (end == i) {
            out += text[i++];
            continue;
        }
        out += ' ';
        if (end == std::string_view::npos) break;
        i = end + (two == "/*" ? 2 : 0);
    }
    return out;
}

/// "const float* __restrict__ x" -> its type and its name.
Declared declared(std::string_view text) {
    Declared out;
    std::size_t end = text.size();
    while (end > 0 && !of_word(text[end - 1])) --end;  // "x[]" is a pointer, and taken for unknown
    std::size_t begin = end;
    while (begin > 0 && of_word(text[begin - 1])) --begin;
    if (begin == 0 || end != text.size()) return out;
    out.name = text.substr(begin, end - begin);
    out.type = trimmed(text.substr(0, begin));
    for (const std::string word : {"__restrict__", "__restrict", "restrict"})
        if (out.type.ends_with(word))
            out.type = trimmed(std::string_view(out.type).substr(0, out.type.size() - word.size()));
    return out;
}

/// The lists of parameters of all kernels of this name that the source declares.
std::vector<std::vector<std::string>> lists_of(const std::string& text, const std::string& name) {
    std::vector<std::vector<std::string>> out;
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += name.size()) {
        const std::size_t behind = at + name.size();
        if ((at > 0 && of_word(text[at - 1])) || (behind < text.size() && of_word(text[behind]))) continue;
        const std::size_t open = text.find_first_not_of(" \t\r\n", behind);
        if (open == std::string::npos || text[open] != '(') continue;
        const std::size_t statement = text.find_last_of(";{}", at);
        const std::string_view before = std::string_view(text).substr(statement + 1, at - statement - 1);
        if (before.find("__global__") == std::string_view::npos && before.find("kernel") == std::string_view::npos)
            continue;
        int depth = 0;
        std::size_t close = open;
        for (; close < text.size(); ++close) {
            if (text[close] == '(') ++depth;
            if (text[close] == ')' && --depth == 0) break;
        }
        if (close < text.size()) out.push_back(parts_of(std::string_view(text).substr(open + 1, close - open - 1)));
    }
    return out;
}

std::vector<Declared> in_source(const std::string& name, std::size_t count, std::string_view source) {
    std::vector<Declared> out;
    if (name.empty() || source.empty()) return out;
    for (const auto& list : lists_of(without_comments(source), name)) {
        if (list.size() != count) continue;
        std::vector<Declared> one;
        for (const std::string& text : list) one.push_back(declared(text));
        const auto same = [](const Declared& a, const Declared& b) { return a.type == b.type && a.name == b.name; };
        if (!out.empty() && !std::equal(out.begin(), out.end(), one.begin(), same)) return {};
        out = std::move(one);
    }
    return out;
}

/// "float const*" as people write it: "const float*".
std::string usual_order(const std::string& type) {
    constexpr std::string_view kConst = " const*";
    if (!type.ends_with(kConst) || type.find('*') != type.size() - 1) return type;
    return "const " + type.substr(0, type.size() - kConst.size()) + "*";
}

}  // namespace

std::vector<Declared> declared_parameters(const std::string& linkage_name, std::size_t count, std::string_view source) {
    const std::string readable = demangle(linkage_name);
    std::vector<Declared> out = in_source(base_name(readable), count, source);
    out.resize(count);
    if (readable != linkage_name)
        if (const auto inside = last_brackets(readable))
            if (const auto types = parts_of(*inside); types.size() == count)
                for (std::size_t i = 0; i < count; ++i) out[i].type = usual_order(types[i]);
    for (Declared& one : out) one.element_bytes = elements_of(one.type);
    return out;
}

bool takes_elements(const Declared& parameter, unsigned bytes) {
    const auto& known = parameter.element_bytes;
    return bytes == 1 || known.empty() || std::find(known.begin(), known.end(), bytes) != known.end();
}

std::string elements_wanted(const Declared& parameter) {
    return fmt::format("{} is {}, whose elements have {} byte{}",
                       parameter.name.empty() ? "the parameter" : "'" + parameter.name + "'", parameter.type,
                       parameter.element_bytes.back(), parameter.element_bytes.back() == 1 ? "" : "s");
}

std::string element_to_pass(const Declared& parameter) {
    const unsigned bytes = parameter.element_bytes.front();
    const auto has = [&](const char* word) { return parameter.type.find(word) != std::string::npos; };
    if (bytes == 1) return "u8";  // bool
    const char* kind = has("bfloat16") ? "bf" : has("float") || has("double") || has("half") ? "f" : "i";
    const auto words = words_of(parameter.type);
    const bool without_sign = *kind == 'i' && (words.front() == "size_t" || words.front().starts_with('u'));
    return fmt::format("{}{}", without_sign ? "u" : kind, 8 * bytes);
}

}  // namespace warpwright::launch

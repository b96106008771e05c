// Names in front of a bracket are taken, those inside of brackets too: an index may itself be loaded.
#include "predict/array_on_line.hpp"

#include <cctype>

namespace warpwright::predict {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Where the line's assignment is; npos where it has none. "+=" reads what it stores.
std::size_t assignment(std::string_view line, bool& reads_too) {
    int depth = 0;
    for (std::size_t k = 0; k < line.size(); ++k) {
        depth += line[k] == '[' || line[k] == '(' ? 1 : line[k] == ']' || line[k] == ')' ? -1 : 0;
        if (line[k] != '=' || depth != 0) continue;
        const char before = k > 0 ? line[k - 1] : ' ', after = k + 1 < line.size() ? line[k + 1] : ' ';
        if (after == '=' || std::string_view("=!<>").find(before) != std::string_view::npos) {
            ++k;
            continue;
        }
        reads_too = std::string_view("+-*/%&|^").find(before) != std::string_view::npos;
        return k;
    }
    return std::string_view::npos;
}

/// The one name in front of a bracket; empty where there are none or several.
std::string only_array(std::string_view text) {
    std::string found;
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (text[k] != '[') continue;
        std::size_t begin = k;
        while (begin > 0 && is_word(text[begin - 1])) --begin;
        if (begin == k || std::isdigit(static_cast<unsigned char>(text[begin]))) continue;
        const std::string name(text.substr(begin, k - begin));
        if (!found.empty() && found != name) return {};
        found = name;
    }
    return found;
}

}  // namespace

std::string array_on_line(std::string_view line, bool stored) {
    if (const auto comment = line.find("//"); comment != std::string_view::npos) line = line.substr(0, comment);
    // The body of a loop or a condition on the same line is what counts.
    bool reads_too = false;
    const auto at = assignment(line, reads_too);
    if (at == std::string_view::npos) return only_array(line);
    if (stored) return only_array(line.substr(0, at));
    const std::string read = only_array(line.substr(at));
    return read.empty() && reads_too ? only_array(line.substr(0, at)) : read;
}

unsigned calls_of_math(std::string_view line) {
    static constexpr std::string_view kNames[] = {
        "sin",   "cos",   "tan",   "sincos", "sinpi", "cospi",  "exp",  "exp2",  "exp10",  "expm1",  "log",
        "log2",  "log10", "log1p", "pow",    "tanh",  "sinh",   "cosh", "asin",  "acos",   "atan",   "atan2",
        "asinh", "acosh", "atanh", "erf",    "erfc",  "erfinv", "cbrt", "hypot", "lgamma", "tgamma", "fmod",
    };
    if (const auto comment = line.find("//"); comment != std::string_view::npos) line = line.substr(0, comment);
    unsigned calls = 0;
    for (std::size_t k = 0; k < line.size();) {
        if (!is_word(line[k])) {
            ++k;
            continue;
        }
        const std::size_t begin = k;
        while (k < line.size() && is_word(line[k])) ++k;
        std::size_t after = k;
        while (after < line.size() && line[after] == ' ') ++after;
        if (after >= line.size() || line[after] != '(') continue;
        std::string_view name = line.substr(begin, k - begin);
        if (name.ends_with('f') && name != "erf") name.remove_suffix(1);
        calls += std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
    }
    return calls;
}

}  // namespace warpwright::predict

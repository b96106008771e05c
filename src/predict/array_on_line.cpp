// Names in front of a bracket are taken, those inside of brackets too: an index may itself be loaded.
#include "predict/array_on_line.hpp"

#include <algorithm>
#include <cctype>

namespace warpwright::predict {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

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

/// The names in front of brackets.
std::vector<std::string> in_front_of_brackets(std::string_view text) {
    std::vector<std::string> found;
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (text[k] != '[') continue;
        std::size_t begin = k;
        while (begin > 0 && is_word(text[begin - 1])) --begin;
        if (begin == k || is_digit(text[begin])) continue;
        std::string name(text.substr(begin, k - begin));
        if (std::find(found.begin(), found.end(), name) == found.end()) found.push_back(std::move(name));
    }
    return found;
}

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find("//")); }

/// Calls `f(word, where it ends)` with each word of the text, until it returns true.
template <class F>
void each_word(std::string_view text, F&& f) {
    for (std::size_t k = 0; k < text.size();) {
        const std::size_t begin = k;
        while (k < text.size() && is_word(text[k])) ++k;
        if (k == begin)
            ++k;
        else if (f(text.substr(begin, k - begin), k))
            return;
    }
}

std::size_t after_blanks(std::string_view text, std::size_t at) {
    while (at < text.size() && text[at] == ' ') ++at;
    return at;
}

/// Where the bracket at `open` is closed; the text's end where it is not.
std::size_t closing(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t k = open; k < text.size(); ++k) {
        depth += text[k] == '(' || text[k] == '[' ? 1 : text[k] == ')' || text[k] == ']' ? -1 : 0;
        if (depth == 0) return k;
    }
    return text.size();
}

/// Where an argument that begins at `at` is over.
std::size_t end_of_argument(std::string_view text, std::size_t at) {
    while (at < text.size() && text[at] != ',' && text[at] != ')')
        at = text[at] == '(' || text[at] == '[' ? std::min(text.size(), closing(text, at) + 1) : at + 1;
    return at;
}

/// The name whose address an argument is, or that is an address, behind casts. Empty where a condition or a function
/// chooses.
std::string addressed(std::string_view text) {
    if (text.find('?') != std::string_view::npos) return {};
    for (;;) {
        text.remove_prefix(std::min(text.size(), text.find_first_not_of(" &*")));
        if (text.starts_with('(')) {
            // What stands behind a cast's type is what is cast.
            const std::size_t close = std::min(closing(text, 0), text.size() - 1);
            const std::size_t next = after_blanks(text, close + 1);
            const bool cast = next < text.size() &&
                              (is_word(text[next]) || text[next] == '(' || text[next] == '&' || text[next] == '*');
            text = cast ? text.substr(next) : text.substr(1, close - 1);
            continue;
        }
        std::size_t end = 0;
        while (end < text.size() && is_word(text[end])) ++end;
        const std::string_view name = text.substr(0, end), rest = text.substr(after_blanks(text, end));
        if (name.empty() || is_digit(name[0])) return {};
        if (name.ends_with("_cast")) {
            const std::size_t open = rest.find('(');
            if (open == std::string_view::npos) return {};
            text = rest.substr(open + 1, closing(rest, open) - open - 1);
        } else if (rest.starts_with("::") || (name == "this" && rest.starts_with("->"))) {
            text = rest.substr(2);
        } else {
            return rest.starts_with('(') || rest.starts_with('<') ? std::string() : std::string(name);
        }
    }
}

}  // namespace

std::vector<std::string> arrays_on_line(std::string_view line, bool stored) {
    line = without_comment(line);
    // The body of a loop or a condition on the same line is what counts.
    bool reads_too = false;
    const auto at = assignment(line, reads_too);
    if (at == std::string_view::npos) return in_front_of_brackets(line);
    std::vector<std::string> before = in_front_of_brackets(line.substr(0, at));
    if (stored) return before;
    std::vector<std::string> read = in_front_of_brackets(line.substr(at));
    if (!read.empty()) return read;
    // Else what stands in front is read: by an operator such as +=, or in a condition before what is stored.
    if (!reads_too && !before.empty()) before.pop_back();
    return before;
}

std::string array_of_atomic(std::string_view line) {
    line = without_comment(line);
    std::string found;
    each_word(line, [&](std::string_view word, std::size_t end) {
        const std::size_t open = after_blanks(line, end);
        if (!word.starts_with("atomic") || open >= line.size() || line[open] != '(') return false;
        found = addressed(line.substr(open + 1, end_of_argument(line, open + 1) - open - 1));
        return true;
    });
    return found;
}

void add_shared_names(std::string_view line, std::set<std::string>& names) {
    line = without_comment(line);
    const auto at = line.find("__shared__");
    if (at == std::string_view::npos) return;
    line = line.substr(at + 10, line.find(';', at) - at - 10);
    each_word(line, [&](std::string_view word, std::size_t end) {
        // Types are followed by a name.
        const std::size_t next = after_blanks(line, end);
        const bool name = next >= line.size() || line[next] == '[' || line[next] == ',' || line[next] == '=';
        if (name && !is_digit(word[0])) names.insert(std::string(word));
        return false;
    });
}

std::string branch_on_line(std::string_view line) {
    constexpr std::size_t kLong = 60;
    line = without_comment(line);
    std::string found;
    unsigned branches = 0;
    each_word(line, [&](std::string_view word, std::size_t end) {
        const std::size_t open = after_blanks(line, end);
        if ((word != "if" && word != "for" && word != "while" && word != "switch") || open >= line.size() ||
            line[open] != '(')
            return false;
        const std::size_t close = closing(line, open);
        const std::string_view condition = line.substr(open, close < line.size() ? close + 1 - open : close);
        found = std::string(word) + " ";
        if (condition.size() <= kLong && close < line.size()) {
            found += condition;
        } else {
            // A character of several bytes is not cut.
            std::size_t most = std::min(kLong, condition.size());
            while (most < condition.size() && (static_cast<unsigned char>(condition[most]) & 0xc0) == 0x80) --most;
            found += std::string(condition.substr(0, most)) + " ...";
        }
        return ++branches > 1;
    });
    return branches == 1 ? found : std::string();
}

unsigned calls_of_math(std::string_view line) {
    static constexpr std::string_view kNames[] = {
        "sin",   "cos",   "tan",   "sincos", "sinpi", "cospi",  "exp",  "exp2",  "exp10",  "expm1",  "log",
        "log2",  "log10", "log1p", "pow",    "tanh",  "sinh",   "cosh", "asin",  "acos",   "atan",   "atan2",
        "asinh", "acosh", "atanh", "erf",    "erfc",  "erfinv", "cbrt", "hypot", "lgamma", "tgamma", "fmod",
    };
    line = without_comment(line);
    unsigned calls = 0;
    each_word(line, [&](std::string_view name, std::size_t end) {
        const std::size_t after = after_blanks(line, end);
        if (after >= line.size() || line[after] != '(') return false;
        if (name.ends_with('f') && name != "erf") name.remove_suffix(1);
        calls += std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
        return false;
    });
    return calls;
}

}  // namespace warpwright::predict

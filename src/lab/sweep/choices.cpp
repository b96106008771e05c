// Every number may be an expression or a range, and each parser gives an error with the word that was wrong. They know
// nothing of the command line, so that other callers can use them.
#include "lab/sweep/choices.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "ladder/expression.hpp"

namespace warpwright::lab {
namespace {

Error usage(std::string what, std::string hint = "") {
    return Error{ErrorKind::usage, std::move(what), Location{}, std::move(hint)};
}

/// "b" and "i" of "b^i".
std::optional<std::pair<std::string, std::string>> power(const std::string& text) {
    const auto caret = text.find('^');
    if (caret == std::string::npos || caret == 0 || text.find_first_not_of("0123456789^") != std::string::npos)
        return std::nullopt;
    if (text.find('^', caret + 1) != std::string::npos) return std::nullopt;
    return std::pair{text.substr(0, caret), text.substr(caret + 1)};
}

/// What a product of numbers could be, not a word of an axis: "2^20", "3*64", "128", "8..16".
bool reads_as_numbers(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789^*+-/(). :") == std::string::npos &&
           text.find_first_of("0123456789") != std::string::npos;
}

}  // namespace

std::vector<std::string> split_list(const std::vector<std::string>& texts, char separator) {
    std::vector<std::string> out;
    for (const std::string& text : texts) {
        std::string item;
        int depth = 0;
        for (char c : text) {
            if (c == '(') ++depth;
            if (c == ')') --depth;
            if (c == separator && depth == 0) {
                out.push_back(item);
                item.clear();
            } else {
                item += c;
            }
        }
        out.push_back(item);
    }
    return out;
}

Result<std::int64_t> parse_whole(const std::string& text, const std::string& what) {
    auto expression = ladder::Expression::parse(text);
    if (!expression) return usage(what + ": " + expression.error().what);
    auto value = expression->integer({});
    if (value) return *value;
    // No variable means anything here.
    if (!expression->names().empty())
        return usage(what + ": '" + expression->names().front() + "' is not a number", "for example 192 or 3*2^10");
    return usage(what + ": " + value.error().what);
}

Result<std::vector<std::int64_t>> parse_numbers(const std::string& text, const std::string& what) {
    const auto dots = text.find("..");
    if (dots == std::string::npos) {
        auto value = parse_whole(text, what);
        if (!value) return std::move(value).error();
        return std::vector<std::int64_t>{*value};
    }
    const std::string from = text.substr(0, dots);
    std::string to = text.substr(dots + 2), step;
    if (const auto colon = to.find(':'); colon != std::string::npos) {
        step = to.substr(colon + 1);
        to.resize(colon);
        if (step.empty()) return usage(what + ": a step is missing after ':'", "for example 8..64:8 or 8..64:*2");
    }
    auto first = parse_whole(from, what), last = parse_whole(to, what);
    if (!first) return std::move(first).error();
    if (!last) return std::move(last).error();
    std::int64_t add = 1, factor = 1;
    const auto a = power(from), b = power(to);
    if (!step.empty()) {
        const bool by_factor = step.front() == '*';
        auto value = parse_whole(by_factor ? step.substr(1) : step, what);
        if (!value) return std::move(value).error();
        (by_factor ? factor : add) = *value;
        if (by_factor) add = 0;
    } else if (a && b && a->first == b->first) {
        auto base = parse_whole(a->first, what);
        if (!base) return std::move(base).error();
        add = 0;
        factor = *base;
    }
    if (*first > *last) return usage(what + ": a range goes upward", "for example 8..64");
    if (add < 0 || factor < 1 || (add == 0 && (factor < 2 || *first < 1)))
        return usage(what + ": it never ends", "a step of at least 1, or a factor of at least 2");
    std::vector<std::int64_t> out;
    for (std::int64_t v = *first; v <= *last; v = v * factor + add) {
        out.push_back(v);
        if (out.size() > kMostValues)
            return usage(what + ": more than " + std::to_string(kMostValues) + " values", "a larger step");
        if (factor > 1 && v > *last / factor) break;
    }
    return out;
}

Result<Size> parse_size(const std::string& text, std::size_t dimensions) {
    Size out;
    // "x" separates unless the text has function names, where it could be part of one.
    bool words = std::any_of(text.begin(), text.end(),
                             [](char c) { return std::isalpha(static_cast<unsigned char>(c)) && c != 'x'; });
    for (const std::string& part : words ? std::vector<std::string>{text} : split_list({text}, 'x')) {
        auto value = parse_whole(part, "size '" + text + "'");
        if (!value) return std::move(value).error();
        if (*value < 0) return usage("size '" + text + "': a size is not negative");
        out.push_back(*value);
    }
    if (out.size() == 1) out.assign(dimensions, out.front());
    if (out.size() != dimensions)
        return usage("size '" + text + "': this problem has " + std::to_string(dimensions) + " size" +
                         (dimensions == 1 ? "" : "s"),
                     "give one number, or one for each joined by x");
    return out;
}

Result<std::vector<Size>> parse_sizes(const std::string& text, std::size_t dimensions) {
    if (text.find("..") == std::string::npos) {
        auto size = parse_size(text, dimensions);
        if (!size) return std::move(size).error();
        return std::vector<Size>{std::move(*size)};
    }
    const std::string what = "size '" + text + "'";
    std::vector<Size> out{{}};
    const auto parts = split_list({text}, 'x');
    for (const std::string& part : parts) {
        auto values = parse_numbers(part, what);
        if (!values) return std::move(values).error();
        std::vector<Size> longer;
        for (const Size& size : out)
            for (std::int64_t v : *values) {
                longer.push_back(size);
                longer.back().push_back(v);
            }
        if (longer.size() > kMostValues)
            return usage(what + ": more than " + std::to_string(kMostValues) + " sizes", "larger steps");
        out = std::move(longer);
    }
    for (Size& size : out) {
        std::string plain;
        for (std::int64_t v : size) plain += (plain.empty() ? "" : "x") + std::to_string(v);
        auto whole = parse_size(plain, dimensions);
        if (!whole) return std::move(whole).error();
        size = std::move(*whole);
    }
    return out;
}

Result<Axes> parse_axes(const std::vector<std::string>& texts) {
    Axes out;
    for (const std::string& text : texts) {
        auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
            return usage("axis '" + text + "': NAME=VALUE,... is wanted", "for example --axis T=int32");
        std::vector<std::string>& values = out[text.substr(0, equals)];
        for (std::string& value : split_list({text.substr(equals + 1)})) {
            if (!reads_as_numbers(value)) {
                values.push_back(std::move(value));
                continue;
            }
            auto numbers = parse_numbers(value, "axis '" + text + "'");
            if (!numbers) return std::move(numbers).error();
            for (std::int64_t n : *numbers) values.push_back(std::to_string(n));
        }
    }
    return out;
}

}  // namespace warpwright::lab

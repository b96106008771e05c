#include "lab/words.hpp"

#include <algorithm>
#include <cctype>

#include "ladder/expression.hpp"

namespace warpwright::lab {
namespace {

Error usage(std::string what, std::string hint = "") {
    return Error{ErrorKind::usage, std::move(what), Location{}, std::move(hint)};
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
    if (!value) return usage(what + ": " + value.error().what);
    return *value;
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

Result<Axes> parse_axes(const std::vector<std::string>& texts) {
    Axes out;
    for (const std::string& text : texts) {
        auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
            return usage("axis '" + text + "': NAME=VALUE,... is wanted", "for example --axis T=int32");
        for (std::string& value : split_list({text.substr(equals + 1)}))
            out[text.substr(0, equals)].push_back(std::move(value));
    }
    return out;
}

}  // namespace warpwright::lab

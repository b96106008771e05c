#include "cli/parse.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "ladder/expression.hpp"

namespace warpwright::cli {
namespace {

Error usage(std::string what, std::string hint = "") {
    return Error{ErrorKind::usage, std::move(what), Location{}, std::move(hint)};
}

/// A whole number, or an expression of numbers.
Result<std::int64_t> whole(const std::string& text, const std::string& what) {
    auto expression = ladder::Expression::parse(text);
    if (!expression) return usage(what + ": " + expression.error().what);
    auto value = expression->integer({});
    if (!value) return usage(what + ": " + value.error().what);
    return *value;
}

std::optional<long double> number(const std::string& text) {
    if (text.empty()) return std::nullopt;
    errno = 0;
    char* end = nullptr;
    if (text.starts_with("0x") || text.starts_with("-0x")) {  // whole, all 64 bits of it
        bool negative = text[0] == '-';
        unsigned long long value = std::strtoull(text.c_str() + negative, &end, 16);
        if (*end != '\0' || errno == ERANGE) return std::nullopt;
        return negative ? -static_cast<long double>(value) : static_cast<long double>(value);
    }
    if (std::isspace(static_cast<unsigned char>(text[0]))) return std::nullopt;
    long double value = std::strtold(text.c_str(), &end);
    if (*end != '\0') return std::nullopt;
    return value;
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

Result<std::vector<std::int64_t>> parse_size(const std::string& text, std::size_t dimensions) {
    std::vector<std::int64_t> out;
    // "x" separates unless the text has function names, where it could be part of one.
    bool words = std::any_of(text.begin(), text.end(),
                             [](char c) { return std::isalpha(static_cast<unsigned char>(c)) && c != 'x'; });
    for (const std::string& part : words ? std::vector<std::string>{text} : split_list({text}, 'x')) {
        auto value = whole(part, "size '" + text + "'");
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

Result<device::Dim3> parse_extent(const std::string& text, const std::string& what) {
    std::uint32_t values[3] = {1, 1, 1};
    auto parts = split_list({text}, 'x');
    if (parts.size() > 3) return usage(what + " '" + text + "': at most three numbers", "for example 16x16");
    for (std::size_t i = 0; i < parts.size(); ++i) {
        auto [end, problem] = std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), values[i]);
        if (parts[i].empty() || problem != std::errc{} || end != parts[i].data() + parts[i].size() || values[i] == 0)
            return usage(what + " '" + text + "': '" + parts[i] + "' is not a whole number from 1 to 4294967295",
                         "for example 64 or 16x16");
    }
    return device::Dim3{values[0], values[1], values[2]};
}

Result<std::map<std::string, std::vector<std::string>>> parse_axes(const std::vector<std::string>& texts) {
    std::map<std::string, std::vector<std::string>> out;
    for (const std::string& text : texts) {
        auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
            return usage("axis '" + text + "': NAME=VALUE,... is wanted", "for example --axis T=int32");
        for (std::string& value : split_list({text.substr(equals + 1)}))
            out[text.substr(0, equals)].push_back(std::move(value));
    }
    return out;
}

Result<LaunchArgument> parse_argument(const std::string& text) {
    LaunchArgument a;
    a.text = text;
    std::string name = "argument '" + text + "'";
    if (text == "ptr:null") return a.kind = LaunchArgument::Kind::null, a;
    auto open = text.find('[');
    auto equals = text.find('=');
    if (open != std::string::npos && (equals == std::string::npos || open < equals)) {
        a.kind = LaunchArgument::Kind::buffer;
        auto close = text.find(']', open);
        if (close == std::string::npos) return usage(name + ": ']' is missing", "TYPE[COUNT]=contents");
        auto element = ladder::parse_element(text.substr(0, open));
        if (!element)
            return usage(name + ": '" + text.substr(0, open) + "' is no element type",
                         "i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64");
        a.element = *element;
        auto count = whole(text.substr(open + 1, close - open - 1), name);
        if (!count) return std::move(count).error();
        if (*count < 0) return usage(name + ": a buffer cannot have " + std::to_string(*count) + " elements");
        a.count = static_cast<std::uint64_t>(*count);
        if (auto bytes = ladder::buffer_bytes(a.element, a.count, text); !bytes) return std::move(bytes).error();
        if (close + 1 == text.size() || text[close + 1] != '=')
            return usage(name + ": does not say what the buffer holds", "TYPE[COUNT]=zero, for example");
        auto contents = ladder::parse_contents(text.substr(close + 2));
        if (!contents) {
            Error error = std::move(contents).error();
            error.what = name + ": " + error.what;
            return error;
        }
        a.contents = *contents;
        return a;
    }
    std::string digits = text;
    if (auto colon = text.find(':'); colon != std::string::npos) {
        a.number_element = ladder::parse_element(text.substr(0, colon));
        if (!a.number_element)
            return usage(name + ": '" + text.substr(0, colon) + "' is no element type", "for example f32:1.5");
        digits = text.substr(colon + 1);
    }
    auto value = number(digits);
    if (!value)
        return usage(name + ": is neither a number nor a buffer",
                     "a buffer is TYPE[COUNT]=contents, a number 1024 or f32:1.5, a null pointer ptr:null");
    a.number = *value;
    return a;
}

Result<std::pair<std::size_t, std::string>> parse_output(const std::string& text) {
    auto colon = text.find(':');
    std::size_t index = 0;
    auto end = text.data() + (colon == std::string::npos ? 0 : colon);
    auto [stop, problem] = std::from_chars(text.data(), end, index);
    if (colon == std::string::npos || colon + 1 == text.size() || problem != std::errc{} || stop != end)
        return usage("output '" + text + "': INDEX:FILE is wanted",
                     "for example --out 1:out.npy; arguments are counted from 0");
    return std::pair{index, text.substr(colon + 1)};
}

}  // namespace warpwright::cli

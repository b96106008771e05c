// The parsers are separate from the commands, so that launch and check read the same words and tests reach them without
// a device. Numbers keep all bits of a 64-bit integer, and a count may be written as an extent.
#include "cli/options/argument_words.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace warpwright::cli {
namespace {

Error usage(std::string what, std::string hint = "") {
    return Error{ErrorKind::usage, std::move(what), Location{}, std::move(hint)};
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

/// An extent as grids have it is a number of elements as well: "64x32" is 64*32.
std::string product(std::string count) {
    for (std::size_t i = 1; i + 1 < count.size(); ++i)
        if (count[i] == 'x' && std::isdigit(static_cast<unsigned char>(count[i - 1])) &&
            std::isdigit(static_cast<unsigned char>(count[i + 1])) && !(i == 1 && count[0] == '0'))
            count[i] = '*';
    return count;
}

}  // namespace

Result<launch::Extent> parse_extent(const std::string& text, const std::string& what) {
    std::uint32_t values[3] = {1, 1, 1};
    // As people write dim3 in a program, too: 16,16.
    auto parts = split_list({text}, text.find(',') != std::string::npos ? ',' : 'x');
    if (parts.size() > 3) return usage(what + " '" + text + "': at most three numbers", "for example 16x16");
    for (std::size_t i = 0; i < parts.size(); ++i) {
        auto [end, problem] = std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), values[i]);
        if (parts[i].empty() || problem != std::errc{} || end != parts[i].data() + parts[i].size() || values[i] == 0)
            return usage(what + " '" + text + "': '" + parts[i] + "' is not a whole number from 1 to 4294967295",
                         "for example 64 or 16x16");
    }
    return launch::Extent{values[0], values[1], values[2]};
}

Result<LaunchArgument> parse_argument(const std::string& text) {
    LaunchArgument a;
    a.text = text;
    std::string name = "argument '" + text + "'";
    if (text == "ptr:null") return a.kind = LaunchArgument::Kind::null, a;
    if (const std::string_view local = "local:"; text.starts_with(local)) {
        auto bytes = lab::parse_whole(product(text.substr(local.size())), name);
        if (!bytes) return std::move(bytes).error();
        if (*bytes <= 0) return usage(name + ": local memory has at least one byte", "local:1024");
        a.kind = LaunchArgument::Kind::local;
        a.bytes = static_cast<std::uint64_t>(*bytes);
        return a;
    }
    auto open = text.find('[');
    auto equals = text.find('=');
    if (open != std::string::npos && (equals == std::string::npos || open < equals)) {
        a.kind = LaunchArgument::Kind::buffer;
        auto close = text.find(']', open);
        if (close == std::string::npos) return usage(name + ": ']' is missing", "TYPE[COUNT]=contents");
        auto element = values::parse_element(text.substr(0, open));
        if (!element)
            return usage(name + ": '" + text.substr(0, open) + "' is not an element type",
                         "i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64");
        a.element = *element;
        auto count = lab::parse_whole(product(text.substr(open + 1, close - open - 1)), name);
        if (!count) return std::move(count).error();
        if (*count < 0) return usage(name + ": a buffer cannot have " + std::to_string(*count) + " elements");
        a.count = static_cast<std::uint64_t>(*count);
        if (auto bytes = values::buffer_bytes(a.element, a.count, text); !bytes) return std::move(bytes).error();
        if (close + 1 == text.size() || text[close + 1] != '=')
            return usage(name + ": does not say what the buffer holds", "TYPE[COUNT]=zero, for example");
        if (text.substr(close + 2) == "none") return a.unwritten = true, a;
        auto contents = values::parse_contents(text.substr(close + 2));
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
        a.number_element = values::parse_element(text.substr(0, colon));
        if (!a.number_element)
            return usage(name + ": '" + text.substr(0, colon) + "' is not an element type", "for example f32:1.5");
        digits = text.substr(colon + 1);
    }
    auto value = number(digits);
    if (!value)
        return usage(name + ": is neither a number nor a buffer",
                     "a buffer is TYPE[COUNT]=contents, a number 1024 or f32:1.5, a null pointer ptr:null, a __local "
                     "pointer local:BYTES");
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

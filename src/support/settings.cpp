// Makes the table of settings.inc and converts what the environment has to the type that a setting has there.
#include "support/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

namespace warpwright::settings {
namespace {

// The types, as settings.inc names them.
struct Type {
    Kind kind;
    double least = 0, most = 0;
};
constexpr Type text_type{Kind::text}, path_type{Kind::path}, paths_type{Kind::paths}, flag_type{Kind::flag};
constexpr Type whole(std::uint64_t least, std::uint64_t most) {
    return {Kind::whole, static_cast<double>(least), static_cast<double>(most)};
}
constexpr Type number(double least, double most) { return {Kind::number, least, most}; }

std::vector<Info> make_table() {
    constexpr Type text = text_type, path = path_type, paths = paths_type, flag = flag_type;
    std::vector<Info> table;
    const char* group = "";
    const auto add = [&](Setting setting, const char* variable, Type type, const char* otherwise, const char* meaning,
                         const char* users) {
        table.push_back({setting, group, variable, type.kind, type.least, type.most, otherwise, meaning, users});
    };
#define WARPWRIGHT_SETTINGS_GROUP(title) group = title;
#define WARPWRIGHT_SETTING(identifier, variable, type, otherwise, meaning, users) \
    add(Setting::identifier, variable, type, otherwise, meaning, users);
#include "support/settings.inc"
#undef WARPWRIGHT_SETTING
#undef WARPWRIGHT_SETTINGS_GROUP
    return table;
}

template <class T>
std::optional<T> parsed(std::string_view text) {
    T value{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::uint64_t> whole_of(const Info& i, const std::string& text) {
    const auto value = parsed<std::uint64_t>(text);
    if (!value || static_cast<double>(*value) < i.least || static_cast<double>(*value) > i.most) return std::nullopt;
    return value;
}

std::optional<double> number_of(const Info& i, const std::string& text) {
    const auto value = parsed<double>(text);
    if (!value || !(*value >= i.least && *value <= i.most)) return std::nullopt;
    return value;
}

std::optional<bool> flag_of(const std::string& text) {
    if (text == "0") return false;
    if (text == "1") return true;
    return std::nullopt;
}

std::string limit_text(double limit) {
    char out[32];
    const auto [end, problem] = std::to_chars(out, out + sizeof out, limit);
    return problem == std::errc{} ? std::string(out, end) : std::string("?");
}

/// The expected form, if a value does not fit; empty if it does.
std::string wanted(const Info& i, const std::string& value) {
    const std::string range = limit_text(i.least) + " to " + limit_text(i.most);
    switch (i.kind) {
        case Kind::flag:
            return flag_of(value) ? "" : "0 or 1";
        case Kind::whole:
            if (whole_of(i, value)) return "";
            return i.most >= static_cast<double>(std::numeric_limits<std::uint64_t>::max())
                       ? "a whole number from " + limit_text(i.least) + " on"
                       : "a whole number from " + range;
        case Kind::number:
            return number_of(i, value) ? "" : "a number from " + range;
        case Kind::text:
        case Kind::path:
        case Kind::paths:
            break;
    }
    return "";
}

}  // namespace

std::span<const Info> all() {
    static const std::vector<Info> table = make_table();
    return table;
}

const Info& info(Setting setting) { return all()[static_cast<std::size_t>(setting)]; }

void choose(Setting setting, const std::string& value) { ::setenv(variable(setting), value.c_str(), 1); }

bool is_set(Setting setting) { return std::getenv(variable(setting)) != nullptr; }

std::string text(Setting setting) {
    const char* value = std::getenv(variable(setting));
    return value ? value : "";
}

std::vector<std::string> paths(Setting setting) {
    const std::string list = text(setting);
    std::vector<std::string> out;
    for (std::size_t from = 0; from < list.size();) {
        const std::size_t to = std::min(list.find(':', from), list.size());
        if (to > from) out.push_back(list.substr(from, to - from));
        from = to + 1;
    }
    return out;
}

bool flag(Setting setting, bool otherwise) { return flag_of(text(setting)).value_or(otherwise); }

std::uint64_t whole(Setting setting, std::uint64_t otherwise) {
    return whole_of(info(setting), text(setting)).value_or(otherwise);
}

double number(Setting setting, double otherwise) { return number_of(info(setting), text(setting)).value_or(otherwise); }

std::vector<Error> wrong() {
    std::vector<Error> out;
    for (const Info& i : all()) {
        const std::string value = text(i.setting);
        if (value.empty()) continue;
        if (const std::string want = wanted(i, value); !want.empty())
            out.push_back({ErrorKind::usage,
                           std::string(i.variable) + "='" + value + "' is not " + want,
                           {},
                           std::string(i.meaning)});
    }
    return out;
}

}  // namespace warpwright::settings

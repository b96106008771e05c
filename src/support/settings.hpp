// The settings that the user makes in the environment, read in this one place: settings.inc lists every variable with
// its type, default and meaning (docs/settings.md shows the list). wrong() reports a value that does not fit its
// type, and the caller decides: `cli` refuses it, the libraries inside a user's program report it and use the
// default.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright {

enum class Setting {
#define WARPWRIGHT_SETTINGS_GROUP(title)
#define WARPWRIGHT_SETTING(identifier, variable, type, otherwise, meaning, users) identifier,
#include "support/settings.inc"
#undef WARPWRIGHT_SETTING
#undef WARPWRIGHT_SETTINGS_GROUP
};

namespace settings {

enum class Kind {
    text,
    path,    ///< of a file or a folder
    paths,   ///< folders, joined by ':'
    flag,    ///< 0 or 1
    whole,   ///< a whole number from `least` to `most`
    number,  ///< a number from `least` to `most`
};

/// A row of the table.
struct Info {
    Setting setting;
    const char* group;     ///< its heading
    const char* variable;  ///< "WARPWRIGHT_CACHE"
    Kind kind;
    double least, most;
    const char* otherwise;  ///< the default, for people
    const char* meaning;
    const char* users;
};

/// The whole table, in the order of settings.inc.
std::span<const Info> all();
const Info& info(Setting setting);

/// The name of a setting's variable: no other code spells one.
constexpr const char* variable(Setting setting) {
    constexpr const char* names[] = {
#define WARPWRIGHT_SETTINGS_GROUP(title)
#define WARPWRIGHT_SETTING(identifier, variable, type, otherwise, meaning, users) variable,
#include "support/settings.inc"
#undef WARPWRIGHT_SETTING
#undef WARPWRIGHT_SETTINGS_GROUP
    };
    return names[static_cast<unsigned>(setting)];
}

/// Sets the variable for this process and those that it starts: an option of the command line that stands for it. Call
/// it before there are threads.
void choose(Setting setting, const std::string& value);

/// True if the variable is set, even to nothing.
bool is_set(Setting setting);
/// The value as written; empty if it is not set.
std::string text(Setting setting);
/// The parts of a list that are not empty.
std::vector<std::string> paths(Setting setting);

/// The value, or `otherwise` if the variable is not set, is empty, or is one that wrong() reports.
bool flag(Setting setting, bool otherwise);
std::uint64_t whole(Setting setting, std::uint64_t otherwise);
double number(Setting setting, double otherwise);

/// Every variable whose value does not fit its type; kind usage, one line each.
std::vector<Error> wrong();

}  // namespace settings
}  // namespace warpwright

// TOML as anybody may have written it: the one place where a text becomes a table (tests/architecture). The parser's
// own limit is on values within values; a key with dots makes a table for each of its parts, and tables are destroyed
// one within the other. So a key has a limit of its own.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>

#include "support/result.hpp"
#include "support/toml_keys.hpp"

namespace warpwright {

/// The table of a text; ErrorKind::input, with its place in `file`, where it is no TOML or goes too deep.
inline Result<toml::table> read_toml(std::string_view text, const std::string& file) {
    if (const auto place = key_of_too_many_parts(text, file))
        return Error{ErrorKind::input, "a key has more than " + std::to_string(kMostKeyParts) + " parts", *place, ""};
    try {
        return toml::parse(text, file);
    } catch (const toml::parse_error& e) {
        return Error{ErrorKind::input, std::string(e.description()),
                     Location{file, static_cast<unsigned>(e.source().begin.line),
                              static_cast<unsigned>(e.source().begin.column)},
                     ""};
    }
}

}  // namespace warpwright

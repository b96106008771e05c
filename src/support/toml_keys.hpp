// How deep the keys of a TOML text go, before a parser sees it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/result.hpp"

namespace warpwright {

/// No key of any file of ours has more parts: `a.b.c` has three.
constexpr unsigned kMostKeyParts = 16;

/// The place of the first key with more parts than that; none: there is no such key. (Beyond a mistake in the text this
/// may be anything.)
std::optional<Location> key_of_too_many_parts(std::string_view text, const std::string& file);

}  // namespace warpwright

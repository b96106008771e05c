// The public functions of the CUDA runtime that our runtime library has, by name: what is taken over in a program that
// has the static runtime in it.
#pragma once

#include <string_view>

namespace warpwright::takeover {

/// The name as it stands in a table that lasts; nullptr: it is none of them.
const char* known_name(std::string_view name);

}  // namespace warpwright::takeover

// What tells one machine view of a kernel from another.
#pragma once

#include <string>

#include "machine/code.hpp"

namespace warpwright::machine {

/// Makes a hash of all that the code says, but for its places in the text of the PTX: two codes with the same one are
/// the same to any simulation, and to whoever asks for what holds a launch back.
std::string fingerprint(const Code& code);

}  // namespace warpwright::machine

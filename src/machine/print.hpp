// The machine view as text, for people: `launch --dump-machine`.
#pragma once

#include <string>

#include "machine/code.hpp"

namespace warpwright::machine {

/// Each block with its operations in the order of issue: the pipe, what it does beyond computing, issue slots and
/// cycles where they are not one operation's, the values read and made, and the PTX instruction.
std::string print(const Code& code);

}  // namespace warpwright::machine

// The host program's own machine code, as far as the checkers of whole programs ask: which source line a call stands
// on, and whether what a call returned is looked at. (Here because this room has the disassembler; it knows no kernel.)
#pragma once

#include <span>
#include <string>
#include <vector>

namespace warpwright::debuginfo {

struct HostPlace {
    std::string function;  ///< readable; empty where it is not known
    std::string file;      ///< empty where the program has no line information
    unsigned line = 0;
};

/// The call that returns to `address`: the place itself, then the calls that the compiler inlined round it.
std::vector<HostPlace> host_places(const void* address);

/// Whether the code after a call reads the whole number that the call returned. `stack`: where the call returns to,
/// where the function it is in returns to, and so on. True also where it cannot be told.
bool result_is_read(std::span<void* const> stack);

}  // namespace warpwright::debuginfo

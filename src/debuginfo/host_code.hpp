// The host program's own machine code, as far as the checkers of whole programs need it: the source line of a call, and
// whether the call's result is used. (This room has the disassembler; it does not depend on kernels.)
#pragma once

#include <span>
#include <string>
#include <vector>

namespace warpwright::debuginfo {

struct HostPlace {
    std::string function;  ///< readable; empty where it is not known
    std::string file;      ///< empty where the program has no line information
    unsigned line = 0, column = 0;
};

/// The call that returns to `address`: its own place, then the calls around it that the compiler inlined.
std::vector<HostPlace> host_places(const void* address);

/// Whether the code after a call reads the whole number that the call returned. `stack`: the return address of the
/// call, that of the function containing it, and so on. True also if it cannot be determined.
bool result_is_read(std::span<void* const> stack);

}  // namespace warpwright::debuginfo

// Constants of shuffles, which nvcc puts into registers first. clang's back end makes them operands, so that a kernel
// would count fewer instructions than by nvcc.
#pragma once

#include <string>
#include <string_view>

namespace warpwright::compile {

/// The text with a `mov` for each constant of a `shfl.sync`, once for each block of code, or not at all
/// where the block before it, which every way leads through, has it already.
std::string move_constants(std::string_view ptx);

}  // namespace warpwright::compile

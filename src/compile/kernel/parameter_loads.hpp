// A kernel's parameters are loaded where it begins, as by nvcc. clang's back end moves each load to where the value is
// used, so that warps which leave a kernel early would count fewer instructions.
#pragma once

#include <string>
#include <string_view>

namespace warpwright::compile {

/// The text with the loads of parameters that are numbers or addresses in front of the kernel's first instruction.
/// Parts of structures stay where they are read.
std::string load_parameters_first(std::string_view ptx);

}  // namespace warpwright::compile

// Functions of OpenCL C that neither clang nor libclc has for PTX: the launch's offset and dimensions, and printf.
#pragma once

#include <string>

namespace warpwright::compile {

/// The text with a body for each of these that it declares. %envreg3 to %envreg6 have the launch's offset and
/// dimensions, as in NVIDIA's OpenCL.
std::string with_opencl_functions(std::string ptx);

}  // namespace warpwright::compile

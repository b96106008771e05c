// Functions of the device's side of the runtime library that are PTX themselves: cooperative groups as compilers before
// CUDA 11 call them (cudaCGGetIntrinsicHandle, cudaCGSynchronize and their like). A module that declares one and does
// not define it gets its text.
#pragma once

#include <string>

#include "simt/details.hpp"

namespace warpwright::engine {

/// What the module lacks of them, to be put behind its text; empty: nothing.
std::string missing_device_functions(const ptx::Module& module);

}  // namespace warpwright::engine

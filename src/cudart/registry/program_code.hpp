// The code of kernels, found in the memory of the program that carries it: fat binaries that a compiler has put there,
// and code that the program loads itself. None of it is trusted: a damaged file of a program must give an error.
#pragma once

#include <cstdint>
#include <string>

#include "support/result.hpp"

namespace warpwright::cudart {

/// The PTX for the device model in what the compiler registers: a wrapper round one fat binary, or round a list of them
/// that are linked here. Errors as compile::ptx_of has them; with Cause::no_ptx, the hint names a model that would run
/// the program.
Result<std::string> registered_ptx(const void* wrapper);

/// The PTX in what a program gives as code, of at most `most` bytes: PTX, a fat binary, or one in its wrapper. Machine
/// code is an error with Cause::no_ptx.
Result<std::string> loaded_ptx(const void* code, std::uint64_t most);

}  // namespace warpwright::cudart

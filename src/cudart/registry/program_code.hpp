// Finds the code of kernels in the program's memory: fat binaries that a compiler has put there, and code that the
// program loads itself. None of it is trusted: a damaged program must give an error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::cudart {

/// The PTX for the device model, from what the compiler registers: a wrapper of one fat binary, or of a list of them
/// that are linked here. Errors are those of compile::ptx_of; with Cause::no_ptx, the hint names a model that would run
/// the program.
Result<std::string> registered_ptx(const void* wrapper);

/// Whether the wrapper's fat binary is one file's part of device code that files share.
bool is_relocatable(const void* wrapper);

/// The PTX in code that a program loads, of at most `most` bytes: PTX, a fat binary, or one in its wrapper. Machine
/// code is an error with Cause::no_ptx.
Result<std::string> loaded_ptx(const void* code, std::uint64_t most);

/// The PTX in an object or archive of files whose device code is linked later (-dc); nothing where it is neither, or
/// has no such code.
struct ObjectPtx {
    std::vector<std::string> texts;
    bool device_runtime = false;  ///< it is NVIDIA's device runtime, of which the emulated device has its own
};
Result<ObjectPtx> object_ptx(const void* file, std::uint64_t bytes);

/// Several PTX texts as one, in which each finds what another defines.
Result<std::string> linked_ptx(const std::vector<std::string>& texts);

}  // namespace warpwright::cudart

// Kernels that launch kernels, for clang 19, which refuses a kernel's name in device code except where a constant is
// expected. So the preprocessed text is changed: within device functions `child<<<grid, block>>>(x)` becomes
// `ww_launch<child>(grid, block)(x)`, and the runtime's functions become those of
// toolchain/include/warpwright/nested.h. All lines keep their numbers.
#pragma once

#include <string>
#include <vector>

#include "compile/process.hpp"
#include "support/result.hpp"

namespace warpwright::compile {

/// Whether a compiler's diagnostics show such a program.
bool launches_on_device(const std::string& diagnostics);

/// An error of such a program in terms of the original source.
Error explained(Error error);

/// The preprocessed text of a file, changed. `host`: for the host's side, where functions of both sides stay
/// unchanged.
std::string with_device_launches(const std::string& preprocessed, bool host);

/// Compiles in two steps: `command` (without file names) with -E and `dependencies`, and then the changed text. An
/// error of either is in the result, as the compiler reported it.
Result<ProcessResult> run_with_device_launches(const std::vector<std::string>& command,
                                               const std::vector<std::string>& dependencies, const std::string& source,
                                               const std::string& output, const std::string& folder, bool host,
                                               const ProcessSettings& settings);

}  // namespace warpwright::compile

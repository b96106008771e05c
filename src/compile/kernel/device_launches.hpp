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

/// Whether they come from a macro that stands for a line of the preprocessor's (`#define UNROLL #pragma unroll`). nvcc
/// takes that, because its compiler reads what the preprocessor has written.
bool pragma_in_macro(const std::string& diagnostics);

/// An error of such a program in terms of the original source.
Error explained(Error error);

/// The preprocessed text of a file, changed. `host`: for the host's side, where functions of both sides stay
/// unchanged.
std::string with_device_launches(const std::string& preprocessed, bool host);

/// What becomes of the preprocessed text before it is compiled.
enum class Launches {
    unchanged,  ///< the text stays
    device,     ///< launches in device code are written anew, for the device's side
    host        ///< and for the host's
};

/// Compiles in two steps: `command` (without file names) with -E and `dependencies`, and then the text. An error of
/// either is in the result, as the compiler reported it.
Result<ProcessResult> run_in_two_steps(const std::vector<std::string>& command,
                                       const std::vector<std::string>& dependencies, const std::string& source,
                                       const std::string& output, const std::string& folder, Launches launches,
                                       const ProcessSettings& settings);

}  // namespace warpwright::compile

// What run, build and check share: where the runtime library is, and programs compiled from source.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "support/result.hpp"

namespace warpwright::cli {

/// Where libraries of ours may be that programs load: installed, or in a build tree.
std::vector<std::string> library_roots();

/// The folders that hold our libcudart.so.13 and .12. ErrorKind::no_device where they are not there.
Result<std::vector<std::string>> cudart_folders();

/// Compiles and links a program; `lines`: source lines in the kernels.
Result<void> build_whole(const ProgramOptions& options, const std::string& source, const std::string& program, bool lines);

}  // namespace warpwright::cli

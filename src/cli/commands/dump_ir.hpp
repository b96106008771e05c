// `launch --dump-ir`: the warp IR of a kernel as the passes of the lowering leave it.
#pragma once

#include <string>

#include "cli/commands/session.hpp"
#include "cli/console.hpp"

namespace warpwright::cli {

/// ErrorKind::usage where `pass` is neither empty nor "each" nor the name of a pass; it lists them.
Result<void> check_dump_ir(const std::string& pass);
/// Compiles the file as a launch does and prints the chosen kernel's IR after each pass, or after the one that is
/// named.
Result<void> dump_ir(const LaunchOptions& options, Runtime& runtime, Console& console);

}  // namespace warpwright::cli

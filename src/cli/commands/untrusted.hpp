// --untrusted: a command's work in a confined child (confine/confine.hpp), with what that command needs to read.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/options/options.hpp"

namespace warpwright::cli {

void add_untrusted(CLI::App& command, LaunchOptions& options);

/// Runs `work` as it is, or with --untrusted in a confined child that may read the file, the --include folders, the
/// files of arguments, the compiler's own files and the device models, and start the compiler until end_of_compiling().
/// The exit code.
int maybe_confined(LaunchOptions& options, Console& console, const std::function<int()>& work);

/// From now on a confined process starts nothing.
Result<void> end_of_compiling();

}  // namespace warpwright::cli

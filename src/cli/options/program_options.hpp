// The options of the commands for whole programs.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/options/options.hpp"

namespace warpwright::cli {

CLI::App* add_run_command(CLI::App& app, ProgramOptions& options);
CLI::App* add_build_command(CLI::App& app, ProgramOptions& options);
/// The program and its arguments, which the parser leaves alone; and options whose value may be left out.
void settle_program(ProgramOptions& options, const CLI::App& command);

}  // namespace warpwright::cli

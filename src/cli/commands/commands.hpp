// The commands that stand in a file of their own: each adds its options to the program and says what to do when it is
// asked for. cli.cpp has the list of them, in the order of --help.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/console.hpp"
#include "cli/options/options.hpp"

namespace warpwright::cli {

struct Command {
    CLI::App* app = nullptr;
    std::function<int(Console&)> run;  ///< the exit code
};

/// What several commands have in common.
void add_run_options(CLI::App& command, RunOptions& options);
void add_json_and_csv(CLI::App& command, OutputOptions& options);
void settle(OutputOptions& options, const CLI::App& command);  ///< after parsing: an option alone means standard output

Command add_history(CLI::App& app);
Command add_compare(CLI::App& app);
Command add_explain(CLI::App& app);
Command add_check(CLI::App& app);
Command add_report(CLI::App& app);
/// `words`: the command line; `self`: the program's file, or empty.
Command add_tune(CLI::App& app, const std::vector<std::string>& words, const std::string& self);

}  // namespace warpwright::cli

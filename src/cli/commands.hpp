// The commands that stand in a file of their own: each adds its options to the program and says what to do when it is
// asked for. cli.cpp has the list of them, in the order of --help.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/console.hpp"

namespace warpwright::cli {

struct Command {
    CLI::App* app = nullptr;
    std::function<int(Console&)> run;  ///< the exit code
};

Command add_history(CLI::App& app);
Command add_compare(CLI::App& app);
Command add_explain(CLI::App& app);
Command add_check(CLI::App& app);
Command add_report(CLI::App& app);

}  // namespace warpwright::cli

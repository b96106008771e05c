// The commands that stand in a file of their own: each adds its options to the program and says what to do when it is
// asked for. cli.cpp has the list of them, in the order of --help.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>

#include "cli/console.hpp"
#include "cli/options/options.hpp"

namespace warpwright::cli {

struct Command {
    CLI::App* app = nullptr;
    std::function<int(Console&)> run;  ///< the exit code
};

/// How the program was started, for commands that start it again or store their own command line.
struct Invocation {
    std::string self;                ///< the program's file; empty: it cannot be started again
    std::vector<std::string> words;  ///< its command line
};

Command add_lab(CLI::App& app, const Invocation& invocation);
Command add_launch(CLI::App& app);
Command add_device(CLI::App& app);
Command add_occupancy(CLI::App& app);
Command add_digest(CLI::App& app);
Command add_history(CLI::App& app);
Command add_compare(CLI::App& app);
Command add_explain(CLI::App& app);
Command add_check(CLI::App& app);
Command add_report(CLI::App& app);
Command add_tune(CLI::App& app, const Invocation& invocation);
Command add_learn(CLI::App& app);
Command add_grade(CLI::App& app, const Invocation& invocation);
Command add_serve(CLI::App& app, const Invocation& invocation);
Command add_run(CLI::App& app, const Invocation& invocation);
Command add_build(CLI::App& app);

/// The option --instructions of the commands that judge a learner's file.
void add_instructions(CLI::App& command, std::uint64_t& to);

}  // namespace warpwright::cli

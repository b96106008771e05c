// Options that several commands have in common, and the parser's words for them.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <string>

#include "cli/options/options.hpp"

namespace warpwright::cli {

/// The parser's own conversion takes -1 for the largest number and cuts what is larger still.
template <class T>
std::string whole_number_or_why_not(const std::string& text) {
    T value{};
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!text.empty() && problem == std::errc{} && end == text.data() + text.size()) return {};
    return "'" + text + "' is not a whole number from 0 to " + std::to_string(std::numeric_limits<T>::max());
}

template <class T>
CLI::Option* add_number(CLI::App& command, const std::string& name, T& value, const std::string& help) {
    return command.add_option(name, value, help)
        ->check(CLI::Validator([](const std::string& text) { return whole_number_or_why_not<T>(text); }, ""))
        ->capture_default_str();
}

/// Of every command that runs kernels: device, model, threads, time limit, seed.
void add_run_options(CLI::App& command, RunOptions& options);
/// Of every command that can do its work in a confined child (cli/commands/untrusted.hpp).
void add_untrusted(CLI::App& command, RunOptions& options);
/// Which launches on the emulated device have predicted times.
/// --devices and --topology of whole programs.
void add_several_devices(CLI::App& command, ProgramOptions& options);
void add_memory_options(CLI::App& command, ProgramOptions& options);
void add_predict_options(CLI::App& command, RunOptions& options);
/// Where the records go as data.
void add_json_and_csv(CLI::App& command, OutputOptions& options);
/// The same, and how the table looks.
void add_output_options(CLI::App& command, OutputOptions& options);
/// The database of results, for commands that store what they measure.
/// `resumes`: they can be taken up where they were interrupted.
void add_keep_options(CLI::App& command, KeepOptions& options, bool resumes = true);
/// After parsing: --json or --csv without a file means standard output.
void settle(OutputOptions& options, const CLI::App& command);

}  // namespace warpwright::cli

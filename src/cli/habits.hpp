// Words that users of other tools type (git's `help`, nvprof's, Nsight Compute's, Compute Sanitizer's, Google
// Benchmark's), and words that are misspelt: what they mean here, or one line that says what to type.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::cli {

/// Whether a program of this name is built before it runs: CUDA C++, or C and C++ that calls OpenCL.
bool is_program_source(const std::string& name);

/// A command line as the parser knows it: no words at all, `help`, `help lab`, `-V`, `version`, `list` and `--list` are
/// turned into what they mean. The first word is the program's own name.
std::vector<std::string> usual_words(std::vector<std::string> words);

/// `check python3 -m pytest`: behind a program that the shell would find by its name alone, and behind Python, all
/// words are the program's, as if "--" stood there. `app` has the commands.
void mark_program_words(const CLI::App& app, std::vector<std::string>& words);

/// The line for a first word that is no command of `app`.
Error unknown_command(const CLI::App& app, const std::string& word);

/// The line for a command without a word that it needs, with an example.
Error missing_word(const CLI::App& command);

/// The line for an option before any command that is none.
Error unknown_own_option(const std::string& word);

/// The line for an option that `command` does not have. `word` may have a value behind '='.
Error unknown_option(const CLI::App& command, const std::string& word);

/// The line for a name that is neither an experiment nor a ladder. Absent where it is one, or a folder or file.
Result<void> check_lab_name(const std::string& name);

}  // namespace warpwright::cli

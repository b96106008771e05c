// Runs a compiler, an assembler or a linker. What they take from their command line are options, names of files and
// values; a name or a value must never be taken for an option.
#pragma once

#include <string>
#include <vector>

#include "support/child_process.hpp"
#include "support/library_search.hpp"
#include "support/result.hpp"

namespace warpwright::compile {

using warpwright::find_program;
using warpwright::ProcessResult;
using warpwright::ProcessSettings;

/// A file's name as it may follow "--", and where a tool knows no "--": "./-x" for "-x", "./@x" for "@x".
std::string operand(const std::string& path);

/// The words as the tools may have them. Each word that begins with "@" would be replaced by options that a file has,
/// and so would the value of "-I@x" or "-D@x", which clang hands on as a word of its own. Such names of files get a
/// "./"; a macro of such a name is an error (usage).
Result<std::vector<std::string>> without_response_files(const std::vector<std::string>& words);

/// Runs `words[0]` (a path, or a name looked up in PATH) to its end, with without_response_files(words).
/// ErrorKind::no_device when it cannot be started.
Result<ProcessResult> run_process(const std::vector<std::string>& words, const ProcessSettings& settings = {});

}  // namespace warpwright::compile

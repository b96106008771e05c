// Runs another program, without a shell, and collects its output.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "support/library_search.hpp"
#include "support/result.hpp"

namespace warpwright::compile {

/// The settings and limits with which another program runs.
struct ProcessSettings {
    std::vector<std::string> without;                  ///< variables to remove from its environment
    double seconds = 0;                                ///< it is killed after this time; 0 = never
    std::size_t output_bytes = std::size_t{64} << 20;  ///< kept of each of its outputs; the rest is read and dropped
    std::size_t file_bytes = 0;                        ///< the longest file it may write; 0 = any
    std::size_t memory_bytes = 0;                      ///< of its address space; 0 = any
};

struct ProcessResult {
    int exit_code = 0;       ///< meaningful when signal == 0
    int signal = 0;          ///< the signal that ended it, or 0
    std::string errors;      ///< its standard error
    std::string output;      ///< its standard output
    bool timed_out = false;  ///< it was killed because its time was over
};

/// Runs `arguments[0]` (a path, or a name looked up in PATH) to its end. ErrorKind::no_device when it cannot be
/// started.
Result<ProcessResult> run_process(const std::vector<std::string>& arguments, const ProcessSettings& settings = {});

using warpwright::find_program;

}  // namespace warpwright::compile

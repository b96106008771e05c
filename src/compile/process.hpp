// Runs another program and takes what it prints. No shell stands between.
#pragma once

#include <string>
#include <vector>

#include "support/library_search.hpp"
#include "support/result.hpp"

namespace warpwright::compile {

struct ProcessResult {
    int exit_code = 0;   ///< meaningful when signal == 0
    int signal = 0;      ///< the signal that ended it, or 0
    std::string errors;  ///< its standard error
    std::string output;  ///< its standard output
};

/// Runs `arguments[0]` (a path, or a name looked up in PATH) to its end, without the variables in `without` in its
/// environment. ErrorKind::no_device when it cannot be started.
Result<ProcessResult> run_process(const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& without = {});

using warpwright::find_program;

}  // namespace warpwright::compile

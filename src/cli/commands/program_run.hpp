// Runs another program to its end, with its own input and outputs, and tells how it ended.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::cli {

struct Ended {
    int code = 0;  ///< as a shell has it: 128 + signal where a signal ended it
    int signal = 0;
};

/// `environment` is added to ours. ErrorKind::input where it cannot be started. `same_addresses`: the operating system
/// draws no addresses at random, so that they are the same in each run, as far as it can be asked for that. `silent`:
/// what it writes to its outputs is thrown away, and it has nothing to read.
Result<Ended> run_program(const std::vector<std::string>& words, const std::map<std::string, std::string>& environment,
                          bool same_addresses = false, bool silent = false);

}  // namespace warpwright::cli

// check --schedules: what depends on the order of blocks and warps, found by running a program in several orders.
#pragma once

#include <string>

#include "cli/options/options.hpp"
#include "support/result.hpp"

namespace warpwright::cli {

/// Runs a program in the usual schedule and in `count` others, without checkers, and compares device memory after each
/// launch. What the first difference is, as text for people; empty: there is none.
Result<std::string> first_difference_of_schedules(const ProgramOptions& options, unsigned count, Console& console);

}  // namespace warpwright::cli

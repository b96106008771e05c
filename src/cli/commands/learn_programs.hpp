// Whole programs of the course, built and run against our runtime library; those of strangers in a confined process.
#pragma once

#include <memory>

#include "cli/console.hpp"
#include "cli/options/options.hpp"
#include "learn/programs.hpp"

namespace warpwright::cli {

/// `limit`: seconds for a launch. With `run.untrusted` files that are not the exercise's own are confined.
std::shared_ptr<learn::Programs> own_programs(const RunOptions& run, double limit, Console& console);

}  // namespace warpwright::cli

// Whole programs of the course, built and run against our runtime library; those of strangers in a confined process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/options/options.hpp"
#include "learn/programs.hpp"

namespace warpwright::cli {

/// What a learner's program may use.
struct ProgramBounds {
    double limit = 0;                 ///< seconds for a launch
    std::uint64_t instructions = 0;   ///< of warps, for a launch
    std::vector<std::string> hidden;  ///< what it may not read where it is confined
};

/// With `run.untrusted` files that are not the exercise's own are confined.
std::shared_ptr<learn::Programs> own_programs(const RunOptions& run, ProgramBounds bounds, Console& console);

}  // namespace warpwright::cli

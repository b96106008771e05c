// Going on with a sweep in a fresh process. After a kernel's fault, or one that does not end, NVIDIA's driver answers
// this process no more; the one that takes its place begins at the next rung, with the records there are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/sweep/context.hpp"

namespace warpwright::cli {

/// Where a sweep stands.
struct Standing {
    int code = 0;  ///< the exit code so far
    std::uint64_t seed = 0;
    std::int64_t run = 0;  ///< in the database; 0: none
    lab::Standing sweep;   ///< its steps, and their records
};

/// Replaces this process by `self` (a program's file) with the same words and the standing. Returns only what kept it
/// from that.
Error go_on(const std::string& self, const std::vector<std::string>& words, const Standing& standing);

/// Reads what `--go-on` names, and removes it.
Result<Standing> read_standing(const std::string& text);

}  // namespace warpwright::cli

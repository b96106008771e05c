// Going on with a sweep in a fresh process. After a kernel's fault, or one that does not end, NVIDIA's driver answers this
// process no more; the one that takes its place begins at the next rung, with the records there are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/record.hpp"
#include "support/result.hpp"

namespace warpwright::cli {

/// Where a sweep stands.
struct Standing {
    std::size_t next = 0;  ///< the rung to go on with, counted over all sizes
    int code = 0;          ///< the exit code so far
    std::uint64_t seed = 0;
    std::vector<record::Record> records;
};

/// Replaces this process by `self` (a program's file) with the same words and the standing. Returns only what kept it
/// from that.
Error go_on(const std::string& self, const std::vector<std::string>& words, const Standing& standing);

/// Reads what `--go-on` names, and removes it.
Result<Standing> read_standing(const std::string& text);

}  // namespace warpwright::cli

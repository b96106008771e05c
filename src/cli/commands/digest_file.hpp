// The files of `run --digest`: a digest of device memory after each launch, by pieces of memory. docs/run.md has the
// format.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::cli {

struct DigestedLaunch {
    std::string kernel, grid, block, digest;
    std::map<std::string, std::string> changed;  ///< pieces of memory, and their digests
    std::string title() const;
    bool same_launch(const DigestedLaunch& o) const { return kernel == o.kernel && grid == o.grid && block == o.block; }
};

struct Digests {
    bool fixed = false;  ///< addresses are the same in each run
    std::vector<DigestedLaunch> launches;
};

Result<Digests> read_digests(const std::string& file);

/// The pieces of memory that the two launches left differently, as far as they changed there.
std::vector<std::string> differing(const DigestedLaunch& a, const DigestedLaunch& b);
/// The same as text; "memory that was written before" where there are none.
std::string differing_text(const DigestedLaunch& a, const DigestedLaunch& b);

}  // namespace warpwright::cli

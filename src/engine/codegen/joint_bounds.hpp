// A stretch of a converged block in two versions. Before it the bounds of all its regular accesses are compared at
// once, those of accesses at known distances by the lowest and the highest of them (bounds_groups.hpp). Where all hold,
// a version without any check runs, whose transactions are counted together (joint_counts.hpp); else one that checks
// and counts each access by itself, as elsewhere, so that faults are told as ever.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

/// Instructions of a block, by index.
struct Stretch {
    std::size_t first = 0, last = 0;
    std::set<std::size_t> early;   ///< computed before the checks, because their addresses need them
    std::vector<Access> accesses;  ///< those that are checked before
};

/// The stretches of the block that is being written, in order; none where two versions do not pay.
std::vector<Stretch> find_stretches(FunctionState& fn);

/// Writes a stretch; `emit` writes an instruction of the block, by its index.
Result<void> write_stretch(FunctionState& fn, const Stretch& stretch,
                           const std::function<Result<void>(std::size_t)>& emit);

}  // namespace warpwright::engine::codegen

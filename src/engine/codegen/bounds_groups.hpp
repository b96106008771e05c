// Which accesses of a stretch (joint_bounds.hpp) are in bounds where two of them are: those of one base at constant
// distances, and at multiples of a scalar, as rows of a matrix are of its pitch.
#pragma once

#include "engine/codegen/access.hpp"
#include "engine/codegen/linear_forms.hpp"

namespace warpwright::engine::codegen {

/// The bytes of one check: of a run of lanes, or of the one address of all.
struct Part {
    const Access* access = nullptr;
    const Run* run = nullptr;  ///< null: one address, or all of a scattered access
    Linear form;               ///< of the address; modulo 2^64, as addresses are
    std::uint64_t span = 0;
};

/// Parts whose lowest and highest bound all of them.
struct BoundsGroup {
    Part first;  ///< in the program's order: its site knows the allocation
    Part lowest, highest;
    simt::Product pitch;     ///< what some are multiples apart of; empty: all distances are constants
    std::int64_t least = 0;  ///< of the pitch, so that their order is known
    unsigned unit = 1;       ///< of which it must be a multiple, so that all are aligned
};

std::vector<BoundsGroup> bounds_groups(FunctionState& fn, const std::vector<Access>& accesses);
/// Whether the pitch is one for which the group holds; null where it has none.
V pitch_fits(FunctionState& fn, const BoundsGroup& group);

}  // namespace warpwright::engine::codegen

// Joins operations that an assembler makes one instruction of. Private to this room.
#pragma once

#include <vector>

#include "machine/code.hpp"
#include "simt/ir.hpp"

namespace warpwright::machine {

/// An instruction of the warp IR and what it becomes.
struct DraftInst {
    const simt::Inst* inst = nullptr;
    Op op;
    std::vector<simt::ValueId> more{};  ///< of a load: what those have for results that are a part of it
    bool within = false;                ///< it is a part of another load
};
using Draft = std::vector<std::vector<DraftInst>>;  ///< by block

/// Joins: a wide multiply, or a shift by a constant, and the 64-bit addition of its result; constants added to
/// addresses; shifts and the addition of their results; two additions; two operations of logic; and predicates that are
/// combined. An item that is joined to its reader has `issues` 0, and its inputs are the reader's.
void fold(Draft& draft, const simt::Function& f);

}  // namespace warpwright::machine

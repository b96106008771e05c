// Blocks that an assembler schedules together. Private to this room.
#pragma once

#include <vector>

#include "machine/code.hpp"
#include "simt/ir.hpp"

namespace warpwright::machine {

/// How the blocks of a function end, as far as regions need it.
struct Ends {
    const simt::Function& f;
    std::uint32_t first_block;  ///< of the function, in Code::blocks
    /// Of a block whose branch is a predicate of the blocks behind it: the one where they meet again; else kNone.
    const std::vector<simt::BlockId>& until;
};

/// Adds the regions of a function to Code::regions. A region is a row of blocks, each entered from those before it
/// alone: a block runs under a predicate and goes on where its predecessor does otherwise, or simply follows. Such
/// blocks are one to the scheduler of an assembler: the loads of all of them come early, each under its predicate.
///
/// The blocks stay in Code::blocks, for warps whose lanes part. Operations in the region's body are not in order yet.
void find_regions(Code& code, const Ends& ends);

}  // namespace warpwright::machine

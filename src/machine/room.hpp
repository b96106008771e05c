// How many registers an assembler gives to loads that it issues early. Private to this room.
#pragma once

#include <vector>

#include "machine/code.hpp"
#include "simt/ir.hpp"
#include "simt/passes.hpp"

namespace warpwright::machine {

/// Loads of four words of global memory come early as long as a thread has no more registers than leave all warps
/// resident, beside the values that live across them. Where these leave little, four are under way all the same; two of
/// those under a predicate or with an address of their own. Found in machine code of compute capability 9.0 with 1 to
/// 96 values that live across 2 to 16 loads (docs/perf/timing.md). Loads of fewer words are not held back.
class Rooms {
public:
    explicit Rooms(const simt::Function& f);

    /// Words for the loads of operations that blocks `from` to `to` have in a row.
    unsigned words(simt::BlockId from, simt::BlockId to, const std::vector<Op>& ops) const;

private:
    unsigned held(simt::BlockId from, simt::BlockId to) const;
    unsigned width(simt::ValueId v) const;

    const simt::Function& f_;
    std::vector<simt::ValueSet> live_in_;
    std::vector<bool> constant_;  ///< by value: an operand from the parameters, which takes no register
};

}  // namespace warpwright::machine

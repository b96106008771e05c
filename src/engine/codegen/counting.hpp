// Code that counts: executions of blocks, and additions to counters. The layout has the instructions of one execution
// of a block; access_costs.hpp has the cost of an access.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// Adds to a counter of 64 bits.
void bump(FunctionState& fn, V pointer, V by);
/// A field of struct Site of one memory instruction.
V site_field(FunctionState& fn, unsigned site, unsigned offset);
/// What instructions take on a warp's clock (WarpFrame::executed and trips), of which the turns of blocks and what
/// kernels read as a clock are made.
struct Pace {
    std::uint64_t instructions = 0, trips = 0;
};
/// Of a block of code; with `from`, of this instruction and those behind it.
Pace pace_of(const simt::Block& block, const simt::Inst* from = nullptr);
/// At the start of a copy of block b: advances the warp's clock, where the function keeps one.
void keep_clock(FunctionState& fn, simt::BlockId b);
/// At the start of a copy of block b: counts its executions and the lanes active in them.
void count_block(FunctionState& fn, simt::BlockId b);
/// Adds an instruction to the list of a block's contents, once, when its first copy is written.
void count_instruction(FunctionState& fn, const simt::Inst& i);
/// The same for the branch that ends block b.
void count_end(FunctionState& fn, simt::BlockId b);
/// Sets the floating-point operations of the matrix instruction that was counted last.
void count_matrix_flops(FunctionState& fn, const simt::Inst& i, double flops);
/// At the end of block b, whose lanes take the ways of `masks`: counts whether they diverge. Converged code calls this
/// only where they do.
void count_divergence(FunctionState& fn, simt::BlockId b, const std::vector<V>& masks);

}  // namespace warpwright::engine::codegen

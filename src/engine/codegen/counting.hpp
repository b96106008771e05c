// What is counted as code runs: executions of blocks, and additions to counters. What one execution of a block costs in
// instructions is in the layout; what an access costs is in access_costs.hpp.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// Adds to a counter of 64 bits.
void bump(FunctionState& fn, V pointer, V by);
/// A field of struct Site of one memory instruction.
V site_field(FunctionState& fn, unsigned site, unsigned offset);
/// At the start of a copy of block b: its executions, and the lanes active in them.
void count_block(FunctionState& fn, simt::BlockId b);
/// An instruction goes into the list of what a block contains, once, when its first copy is written.
void count_instruction(FunctionState& fn, const simt::Inst& i);
/// The same of the branch that ends block b.
void count_end(FunctionState& fn, simt::BlockId b);
/// The floating-point operations of the matrix instruction that was counted last.
void count_matrix_flops(FunctionState& fn, const simt::Inst& i, double flops);
/// At the end of block b, whose lanes take the ways of `masks`: whether they part. In converged code they do by then.
void count_divergence(FunctionState& fn, simt::BlockId b, const std::vector<V>& masks);

}  // namespace warpwright::engine::codegen

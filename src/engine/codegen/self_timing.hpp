// Code of kernels that time themselves: beside each value stands the time at which it is there, and an instruction is
// issued when what it reads is (engine/shared/self_timing.hpp has what each takes). Elsewhere nothing is written.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// Whether the kernel reads a clock so that the time between two reads tells something: at two places, or in a loop.
bool times_itself(const simt::Function& f);
/// What the function's instructions take; before any code is written.
void plan_times(FunctionState& fn);
/// The places where the times of values are kept; in the function's entry.
void make_time_slots(FunctionState& fn);
/// Before an instruction: it waits for what it reads, and its result is there when its unit has made it.
void time_instruction(FunctionState& fn, const simt::Inst& i);
/// Of an access: its result is there `takes` ticks after it was issued.
void time_result(FunctionState& fn, const simt::Inst& i, V takes);
/// Before the branch that ends the block.
void time_branch(FunctionState& fn, simt::BlockId b);
/// Values of `to` that depend on where the warp came from are there when those are that they become.
void time_phis(FunctionState& fn, simt::BlockId from, simt::BlockId to);
/// Whether the second level answers the load, whatever the first one has.
bool is_past_first(const FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen

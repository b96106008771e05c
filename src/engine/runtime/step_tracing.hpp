// What instructions at mbarriers and bulk copies tell the trace of their block (machine::AsyncStep). Where the block is
// not traced, nothing happens.
#pragma once

#include "engine/runtime/async_op.hpp"

namespace warpwright::engine {

/// The copy that is being made reads or writes these bytes of global memory.
void trace_copied(const BlockContext* c, std::uint64_t address, std::uint64_t bytes);
/// It has delivered bytes, of which the mbarrier at the place learns.
void trace_delivered(const BlockContext* c, const SharedPlace& barrier, std::uint64_t bytes);
/// The instruction is done: writes its event.
void trace_steps(BlockContext* c, const WarpFrame* f, const AsyncForm& form, std::uint64_t mask,
                 const std::uint64_t* in, const std::uint64_t* out);

}  // namespace warpwright::engine

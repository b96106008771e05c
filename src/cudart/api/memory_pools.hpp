// What the rest of the memory functions tell the pools.
#pragma once

namespace warpwright::cudart {

/// An allocation is about to be freed otherwise than in the order of a stream: its pool has it no more.
void forget_pool_memory(void* pointer);
/// The same of all memory that is gone because a device was reset.
void forget_gone_pool_memory();

}  // namespace warpwright::cudart

// What the rest of the memory functions tell the pools.
#pragma once

namespace warpwright::cudart {

/// An allocation is about to be freed otherwise than in the order of a stream: its pool has it no more.
void forget_pool_memory(void* pointer);

}  // namespace warpwright::cudart

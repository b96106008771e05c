// The effect of atomic operations on memory.
#pragma once

#include <cstdint>

#include "engine/shared/atomic_op.hpp"

namespace warpwright::engine {

/// Reads, combines and writes `bytes` (2, 4 or 8; 16 for exch and cas via halves is not offered) at `at`. `shared`: no
/// other host thread can access the place, so no host atomics are needed. Returns the old value.
std::uint64_t apply_atomic(AtomicOp op, unsigned bytes, void* at, std::uint64_t b, std::uint64_t c, bool shared);

/// The same for the lanes of `mask`, in order; operands and old values are indexed by lane, `shared` is a mask of
/// lanes. Neighbouring lanes at one place are one step for all other threads.
void apply_atomics(AtomicOp op, unsigned bytes, std::uint8_t* const* places, std::uint64_t mask, const void* b,
                   const void* c, void* out, std::uint64_t shared);

}  // namespace warpwright::engine

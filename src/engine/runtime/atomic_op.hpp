// The atomic operations, one enumerator per kind of arithmetic, and their effect on memory.
#pragma once

#include <cstdint>

#include "simt/details.hpp"
#include "support/result.hpp"

namespace warpwright::engine {

enum class AtomicOp : std::uint32_t {
    exch,
    cas,
    add_int,
    add_f16,
    add_f16x2,
    add_bf16,
    add_bf16x2,
    add_f32,
    add_f64,
    min_s,
    max_s,
    min_u,
    max_u,
    min_f16,
    max_f16,
    min_f16x2,
    max_f16x2,
    min_bf16,
    max_bf16,
    min_bf16x2,
    max_bf16x2,
    inc,
    dec,
    and_,
    or_,
    xor_,
};

Result<AtomicOp> atomic_op(const simt::Details& inst, simt::Type type);

/// Reads, combines and writes `bytes` (2, 4 or 8; 16 for exch and cas via halves is not offered) at `at`. `shared`: no
/// other host thread can access the place, so no host atomics are needed. Returns the old value.
std::uint64_t apply_atomic(AtomicOp op, unsigned bytes, void* at, std::uint64_t b, std::uint64_t c, bool shared);

/// The same for the lanes of `mask`, in order; operands and old values are indexed by lane, `shared` is a mask of
/// lanes. Neighbouring lanes at one place are one step for all other threads.
void apply_atomics(AtomicOp op, unsigned bytes, std::uint8_t* const* places, std::uint64_t mask, const void* b,
                   const void* c, void* out, std::uint64_t shared);

}  // namespace warpwright::engine

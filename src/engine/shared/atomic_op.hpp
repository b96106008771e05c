// The atomic operations, one enumerator per kind of arithmetic.
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

}  // namespace warpwright::engine

// Inside arith/ only: exact floating-point tools that several families share. "To odd" means rounded so that an
// inexact result has its last bit set: rounding such a value once more, to at least two bits fewer, in any mode,
// gives what one rounding of the exact value gives (Boldo and Melquiond, "Emulation of FMA and correctly rounded
// sums: proved algorithms using rounding to odd", 2008).
#pragma once

#include "engine/codegen/arith/emit.hpp"

namespace warpwright::engine::arith {

/// Makes subnormal f32 values zeros of the same sign (.ftz).
Value* flush_f32(const Emitter& e, Value* value);
/// The same for f16 bits.
Value* flush_f16(const Emitter& e, Value* bits);
/// Clamps to [0, 1]; NaN and -0 give +0 (.sat).
Value* saturate(const Emitter& e, Value* value);
/// Makes negative values and -0 +0; NaN stays (.relu).
Value* relu(const Emitter& e, Value* value);
/// max or min of f32 or f64 values: a NaN loses against a number (wins with `propagate_nan`), -0 < +0.
Value* float_min_max(const Emitter& e, Value* x, Value* y, bool maximum, bool propagate_nan);

/// An f64 NaN made quiet, sign and payload kept.
Value* quiet_f64(const Emitter& e, Value* nan);

/// x + y of f64 values, rounded to odd.
Value* sum_to_odd(const Emitter& e, Value* x, Value* y);
/// An f64 (exact, or itself rounded to odd) as f32, rounded to odd or in a rounding mode.
Value* narrow_to_odd(const Emitter& e, Value* value);
Value* narrow(const Emitter& e, Value* value, Rounding rounding);

/// Makes values (f32 or f64, not yet rounded to a narrower result) below `least` zeros of the same sign. The hardware
/// flushes a result that would be subnormal if it were rounded with unlimited exponents (docs/arithmetic.md).
Value* flush_below(const Emitter& e, Value* value, double least);

// Correctly rounded f32 operations in any mode; NaNs have the host's bits. `flush`: results that are subnormal with
// unlimited exponents become zeros (the caller flushes the operands).
Value* f32_add(const Emitter& e, Value* x, Value* y, Rounding rounding, bool flush = false);
Value* f32_mul(const Emitter& e, Value* x, Value* y, Rounding rounding, bool flush = false);
Value* f32_fma(const Emitter& e, Value* x, Value* y, Value* z, Rounding rounding, bool flush = false);
Value* f32_div(const Emitter& e, Value* x, Value* y, Rounding rounding, bool flush = false);
Value* f32_sqrt(const Emitter& e, Value* x, Rounding rounding);
// The same for f64: to nearest by host instructions, directed modes by C functions. If several operands are NaNs, the
// result is the one that the hardware chooses.
Value* f64_operation(const Emitter& e, Op op, Operands operands, Rounding rounding);

/// A binary floating-point format of at most 16 bits below f32's range, sign bit on top.
struct SmallFormat {
    unsigned exponent_bits, mantissa_bits;
    bool has_infinity;    ///< e4m3 has none: its overflow value is NaN
    unsigned nan;         ///< the canonical NaN
    unsigned max_finite;  ///< bits of the largest finite value
};
inline constexpr SmallFormat kF16{5, 10, true, 0x7fff, 0x7bff};
inline constexpr SmallFormat kBf16{8, 7, true, 0x7fff, 0x7f7f};
inline constexpr SmallFormat kTf32{8, 10, true, 0x3ffff, 0x3fbff};
inline constexpr SmallFormat kE4m3{4, 3, false, 0x7f, 0x7e};
inline constexpr SmallFormat kE5m2{5, 2, true, 0x7f, 0x7b};

/// The bits (as i32) of an f32 (exact, or rounded to odd) in a small format. `saturate_finite`: values beyond the
/// largest finite one become that one instead of infinity.
Value* pack_small(const Emitter& e, Value* value, const SmallFormat& format, Rounding rounding, bool saturate_finite);
/// f16 or bf16 bits (i16) of an f32 (exact, or rounded to odd), NaN canonical; and back, exactly.
Value* f32_to_half(const Emitter& e, Value* value, simt::Type type, Rounding rounding = Rounding::nearest_even);
Value* half_to_f32(const Emitter& e, Value* bits, simt::Type type);

}  // namespace warpwright::engine::arith

// Conversions between f32 and the formats below it.
#include "engine/codegen/arith/numeric.hpp"

namespace warpwright::engine::arith {

Value* pack_small(const Emitter& e, Value* value, const SmallFormat& format, Rounding rounding, bool saturate_finite) {
    auto& b = e.b;
    auto number = [&](std::uint64_t n) { return e.integer(32, n); };
    const unsigned total = 1 + format.exponent_bits + format.mantissa_bits;
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const int dropped = 23 - static_cast<int>(format.mantissa_bits);

    Value* bits = e.bits(value);
    Value* magnitude = b.CreateAnd(bits, number(0x7fffffff));
    Value* negative = b.CreateICmpSLT(bits, number(0));
    Value* field = b.CreateLShr(magnitude, number(23));
    Value* normal = b.CreateICmpNE(field, number(0));
    Value* significand = b.CreateAnd(magnitude, number(0x7fffff));
    significand = e.select(normal, b.CreateOr(significand, number(0x800000)), significand);
    // Biased exponent in the new format, at least 1; below that the significand loses bits.
    Value* exponent = b.CreateSub(e.max(field, number(1), true), number(static_cast<std::uint64_t>(127 - bias)));
    Value* deficit = b.CreateSub(number(1), exponent);
    Value* extra = e.max(deficit, number(0), true);
    exponent = e.max(exponent, number(1), true);
    Value* shift = e.min(b.CreateAdd(extra, number(static_cast<std::uint64_t>(dropped))), number(26), true);

    Value* kept = b.CreateLShr(significand, shift);
    Value* unit = b.CreateShl(number(1), shift);
    Value* rest = b.CreateAnd(significand, b.CreateSub(unit, number(1)));
    Value* half = b.CreateLShr(unit, number(1));
    Value* inexact = b.CreateICmpNE(rest, number(0));
    Value* up = nullptr;
    switch (rounding) {
        case Rounding::nearest_even: {
            Value* odd = b.CreateICmpNE(b.CreateAnd(kept, number(1)), number(0));
            Value* tie = b.CreateAnd(b.CreateICmpEQ(rest, half), odd);
            up = b.CreateOr(b.CreateICmpUGT(rest, half), tie);
            break;
        }
        case Rounding::nearest_away:
            up = b.CreateICmpUGE(rest, half);
            break;
        case Rounding::zero:
            up = b.CreateXor(inexact, inexact);
            break;
        case Rounding::down:
            up = b.CreateAnd(inexact, negative);
            break;
        case Rounding::up:
            up = b.CreateAnd(inexact, b.CreateNot(negative));
            break;
    }
    kept = b.CreateAdd(kept, e.resize(up, 32, false));
    // The implicit 1 of a normal number adds into the exponent field; so does a carry out of rounding.
    Value* packed = b.CreateAdd(b.CreateShl(b.CreateSub(exponent, number(1)), number(format.mantissa_bits)), kept);

    Value* over = b.CreateICmpUGT(packed, number(format.max_finite));
    Value* largest = number(format.max_finite);
    Value* overflow = format.has_infinity ? number(format.max_finite + 1) : number(format.nan);
    if (saturate_finite)
        overflow = largest;
    else if (rounding != Rounding::nearest_even && rounding != Rounding::nearest_away) {
        Value* infinite = b.CreateICmpEQ(magnitude, number(0x7f800000));  // an infinity stays one
        Value* away = infinite;
        if (rounding == Rounding::down) away = b.CreateOr(infinite, negative);
        if (rounding == Rounding::up) away = b.CreateOr(infinite, b.CreateNot(negative));
        overflow = e.select(away, overflow, largest);
    }
    packed = e.select(over, overflow, packed);
    packed = b.CreateOr(packed, b.CreateShl(b.CreateLShr(bits, number(31)), number(total - 1)));
    return e.select(e.is_nan(value), number(format.nan), packed);
}

Value* f32_to_half(const Emitter& e, Value* value, simt::Type type, Rounding rounding) {
    if (rounding != Rounding::nearest_even)
        return e.resize(pack_small(e, value, is_bf16(type) ? kBf16 : kF16, rounding, false), 16, false);
    Value* rounded;
    if (is_bf16(type)) {
        Value* bits = e.bits(value);
        Value* odd = e.b.CreateAnd(e.b.CreateLShr(bits, e.like(bits, 16)), e.like(bits, 1));
        bits = e.b.CreateAdd(bits, e.b.CreateAdd(odd, e.like(bits, 0x7fff)));
        rounded = e.resize(e.b.CreateLShr(bits, e.like(bits, 16)), 16, false);
    } else {
        rounded = e.bits(e.b.CreateFPTrunc(value, e.f16()));
    }
    return e.select(e.is_nan(value), e.integer(16, 0x7fff), rounded);
}

Value* half_to_f32(const Emitter& e, Value* bits, simt::Type type) {
    if (!is_bf16(type)) {
        // The fence keeps LLVM from narrowing comparisons of widened values to half vectors, which it would take
        // apart lane by lane on hosts that only convert halves.
        Value* wide = e.b.CreateFPExt(e.as_f16(bits), e.f32());
        return e.b.CreateUnaryIntrinsic(llvm::Intrinsic::arithmetic_fence, wide);
    }
    return e.as_f32(e.b.CreateShl(e.resize(bits, 32, false), e.integer(32, 16)));
}

}  // namespace warpwright::engine::arith

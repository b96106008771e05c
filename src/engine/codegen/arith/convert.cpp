// cvt between scalar types, and cvt.pack. The packed small formats are in convert_packed.cpp.
#include <cmath>

#include "engine/codegen/arith/convert.hpp"
#include "engine/codegen/arith/numeric.hpp"

namespace warpwright::engine::arith {
namespace {

bool rounds_to_integer(const Details& inst) {
    return inst.has(Mod::rni) || inst.has(Mod::rzi) || inst.has(Mod::rmi) || inst.has(Mod::rpi);
}

Value* round_to_integer(const Emitter& e, Value* x, Rounding rounding) {
    switch (rounding) {
        case Rounding::zero:
            return e.unary(llvm::Intrinsic::trunc, x);
        case Rounding::down:
            return e.unary(llvm::Intrinsic::floor, x);
        case Rounding::up:
            return e.unary(llvm::Intrinsic::ceil, x);
        default:
            return e.unary(llvm::Intrinsic::roundeven, x);
    }
}

// .sat between integers: clamps to the destination's range, with regard to the source's signedness.
Value* saturate_integer(const Emitter& e, Value* x, simt::Type to, simt::Type from) {
    const unsigned width = Emitter::width(x), bits = simt::bits(to);
    const bool to_signed = simt::is_signed(to);
    const unsigned magnitude_bits = to_signed ? bits - 1 : bits;
    const std::uint64_t top = magnitude_bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << magnitude_bits) - 1;
    if (!simt::is_signed(from)) return magnitude_bits < width ? e.min(x, e.like(x, top), false) : x;
    if (!to_signed)
        x = e.max(x, e.like(x, 0), true);
    else if (bits < width)
        x = e.max(x, e.like(x, ~top), true);
    return bits < width ? e.min(x, e.like(x, top), true) : x;
}

Value* integer_to_integer(const Emitter& e, const Details& inst, Value* x, simt::Type to, simt::Type from) {
    if (inst.arithmetic.saturate) x = saturate_integer(e, x, to, from);
    return e.resize(x, simt::bits(to), simt::is_signed(from));
}

// An integer as f64: exact up to 32 bits; a 64-bit integer is rounded to odd (from its halves, each exact).
Value* integer_to_f64(const Emitter& e, Value* x, bool is_signed) {
    auto convert = [&](Value* v, bool with_sign) {
        return with_sign ? e.b.CreateSIToFP(v, e.f64()) : e.b.CreateUIToFP(v, e.f64());
    };
    if (Emitter::width(x) < 64) return convert(x, is_signed);
    Value* low = convert(e.resize(x, 32, false), false);
    Value* high = convert(e.resize(e.b.CreateLShr(x, e.like(x, 32)), 32, false), is_signed);
    return sum_to_odd(e, e.b.CreateFMul(high, e.real64(4294967296.0)), low);
}

Value* integer_to_float(const Emitter& e, const Details& inst, Value* x, simt::Type to, bool is_signed) {
    const Rounding rounding = inst.arithmetic.rounding;
    const bool nearest = rounding == Rounding::nearest_even;
    if (to == simt::Type::f64) {
        if (Emitter::width(x) == 64 && !nearest)
            return is_signed ? e.call_lanes<ww_rt_s64_to_f64>({x}, rounding)
                             : e.call_lanes<ww_rt_u64_to_f64>({x}, rounding);
        return is_signed ? e.b.CreateSIToFP(x, e.f64()) : e.b.CreateUIToFP(x, e.f64());
    }
    if (is_f32(to)) {
        if (nearest || Emitter::width(x) <= 16)
            return is_signed ? e.b.CreateSIToFP(x, e.f32()) : e.b.CreateUIToFP(x, e.f32());
        return narrow(e, integer_to_f64(e, x, is_signed), rounding);
    }
    return f32_to_half(e, narrow_to_odd(e, integer_to_f64(e, x, is_signed)), to, rounding);
}

// Out of range: the nearest end. NaN: 0, except that from f64 or to a 64-bit integer it is the value with the top
// bit alone set (ISA "cvt", notes on float-to-integer conversion). LLVM's saturating conversions are not used: they
// come out lane by lane on x86.
Value* float_to_integer(const Emitter& e, const Details& inst, Value* x, simt::Type to, simt::Type from) {
    auto& b = e.b;
    const Rounding rounding = inst.arithmetic.rounding;
    const unsigned bits = simt::bits(to);
    const bool is_signed = simt::is_signed(to);
    if (rounding != Rounding::zero) x = round_to_integer(e, x, rounding);
    auto real = [&](double value) { return llvm::ConstantFP::get(x->getType(), value); };
    const bool nan_is_zero = bits < 64 && from != simt::Type::f64;
    const unsigned work = bits < 32 ? 32 : bits;  // 8 and 16 bits: clamped to their range, converted as s32
    const double end = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));  // first value beyond
    const double low = is_signed ? -end : 0.0;
    const std::uint64_t top = (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) >> (is_signed ? 1 : 0);

    Value* fits = b.CreateFCmpOLT(x, real(end));  // false for NaN
    Value* safe = e.select(fits, x, real(0.0));
    safe = e.select(b.CreateFCmpOGT(safe, real(low)), safe, real(low));
    llvm::Type* type = e.int_type(work);
    Value* whole = is_signed || bits < 32 ? b.CreateFPToSI(safe, type) : b.CreateFPToUI(safe, type);
    whole = e.resize(whole, bits, is_signed);
    Value* beyond =
        e.select(e.is_nan(x), e.integer(bits, nan_is_zero ? 0 : std::uint64_t{1} << (bits - 1)), e.integer(bits, top));
    return e.select(fits, whole, beyond);
}

// The 16-bit NaN that keeps the sign and the top of an f64 NaN's payload, as cvt from f64 has it.
Value* half_nan(const Emitter& e, Value* x, simt::Type to) {
    const unsigned mantissa = is_bf16(to) ? 7 : 10;
    Value* bits = e.bits(x);
    Value* payload =
        e.b.CreateAnd(e.b.CreateLShr(bits, e.integer(64, 52 - mantissa)), e.integer(64, (1u << mantissa) - 1));
    Value* sign = e.b.CreateAnd(e.b.CreateLShr(bits, e.integer(64, 48)), e.integer(64, 0x8000));
    Value* frame = e.integer(64, is_bf16(to) ? 0x7fc0 : 0x7e00);
    return e.resize(e.b.CreateOr(e.b.CreateOr(payload, sign), frame), 16, false);
}

// tf32: numbers have zeros in the 13 bits that it ignores. .rn and .rz give a canonical NaN; .rna keeps a NaN's upper
// bits as they are, and its .satfinite takes one unit off whatever lands above the finite values (both seen on an
// H200).
Value* to_tf32(const Emitter& e, const Details& inst, Value* x, Rounding rounding) {
    const bool saturate_finite = inst.has(Mod::satfinite);
    Value* unit = e.integer(32, 0x2000);
    if (rounding == Rounding::nearest_away) {
        Value* half_unit = e.select(e.is_nan(x), e.integer(32, 0), e.integer(32, 0x1000));
        Value* sum = e.b.CreateAdd(e.bits(x), half_unit);
        Value* rounded = e.b.CreateAnd(sum, e.integer(32, 0xffffe000u));
        if (!saturate_finite) return rounded;
        Value* exponent = e.b.CreateAnd(rounded, e.integer(32, 0x7f800000));
        Value* over = e.b.CreateICmpEQ(exponent, e.integer(32, 0x7f800000));
        return e.select(over, e.b.CreateSub(rounded, unit), rounded);
    }
    Value* packed = e.b.CreateShl(pack_small(e, x, kTf32, rounding, saturate_finite), e.integer(32, 13));
    return e.select(e.is_nan(x), e.integer(32, 0x7fffe000), packed);
}

Value* float_to_float(const Emitter& e, const Details& inst, Value* x, simt::Type to) {
    const Rounding rounding = inst.arithmetic.rounding;
    const bool from_double = x->getType()->getScalarType()->isDoubleTy();
    if (rounds_to_integer(inst)) x = round_to_integer(e, x, rounding);
    if (inst.arithmetic.saturate) x = saturate(e, x);
    if (inst.has(Mod::relu)) x = relu(e, x);
    const Rounding result_rounding = rounds_to_integer(inst) ? Rounding::nearest_even : rounding;
    if (to == simt::Type::f64) {
        if (from_double) return x;
        // The flush is a separate f32 operation, and gives the canonical NaN.
        if (inst.arithmetic.flush) x = e.select(e.is_nan(x), e.as_f32(e.integer(32, 0x7fffffff)), x);
        return e.b.CreateFPExt(x, e.f64());
    }
    if (is_f32(to)) {
        if (from_double) x = narrow(e, x, result_rounding);
        return inst.arithmetic.flush ? flush_f32(e, x) : x;
    }
    if (to == simt::Type::tf32) return to_tf32(e, inst, x, result_rounding);
    Value* narrowed = from_double ? narrow_to_odd(e, x) : x;
    Value* result =
        inst.has(Mod::satfinite)
            ? e.resize(pack_small(e, narrowed, is_bf16(to) ? kBf16 : kF16, result_rounding, true), 16, false)
            : f32_to_half(e, narrowed, to, result_rounding);
    if (!from_double) return result;
    Value *is_nan = e.is_nan(x), *nan = half_nan(e, x, to);
    return e.select(is_nan, nan, result);
}

bool is_scalar_float(simt::Type type) {
    return type == simt::Type::f16 || type == simt::Type::bf16 || type == simt::Type::f32 || type == simt::Type::f64 ||
           type == simt::Type::tf32;
}

}  // namespace

Result<Values> emit_convert(ArithContext& context, const Details& inst, Operands v) {
    Emitter e(context);
    const simt::Type to = inst.type(0), from = inst.type(1);
    const bool float_to = simt::is_float(to), float_from = simt::is_float(from);
    if ((float_to && !is_scalar_float(to)) || (float_from && !is_scalar_float(from)))
        return emit_convert_packed(context, inst, v);
    if (!float_from) {
        if (!float_to) return Values{integer_to_integer(e, inst, v[0], to, from)};
        if (to == simt::Type::tf32) return unsupported(inst, "tf32 comes from f32 only");
        Value* result = integer_to_float(e, inst, v[0], to, simt::is_signed(from));
        if (inst.arithmetic.saturate && !is_half(to))
            result = saturate(e, result);
        else if (inst.arithmetic.saturate)
            result = f32_to_half(e, saturate(e, half_to_f32(e, result, to)), to);
        return Values{result};
    }
    if (from == simt::Type::tf32) return unsupported(inst, "tf32 is a result type only");
    if (to == simt::Type::tf32 && !is_f32(from)) return unsupported(inst, "tf32 comes from f32 only");
    Value* x = is_half(from) ? half_to_f32(e, v[0], from) : v[0];
    // On the way to a half, .ftz changes nothing: the half's subnormal results are not subnormal in f32.
    if (is_f32(from) && inst.arithmetic.flush && !is_half(to)) x = flush_f32(e, x);
    return Values{float_to ? float_to_float(e, inst, x, to) : float_to_integer(e, inst, x, to, from)};
}

// Both integers are clamped to the range of the first type, with b in the low bits and a above it. 8-bit and smaller
// results shift c up and fill the low bits.
Result<Values> emit_convert_pack(ArithContext& context, const Details& inst, Operands v) {
    Emitter e(context);
    const simt::Type to = inst.type(0), from = inst.type(1);
    const unsigned bits = simt::bits(to);
    if (from != simt::Type::s32 || bits > 16 || (bits < 16) != (v.size() > 2))
        return unsupported(inst, "cvt.pack takes s32 pairs, and a third operand below 16 bits");
    auto part = [&](Value* x) {
        return e.b.CreateAnd(saturate_integer(e, x, to, from), e.like(x, (std::uint64_t{1} << bits) - 1));
    };
    Value* upper = e.b.CreateShl(part(v[0]), e.integer(32, bits));
    Value* packed = e.b.CreateOr(upper, part(v[1]));
    if (v.size() > 2) packed = e.b.CreateOr(packed, e.b.CreateShl(v[2], e.integer(32, 2 * bits)));
    return Values{packed};
}

}  // namespace warpwright::engine::arith

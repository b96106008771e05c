// This file has the forms of cvt between f32 and pairs of narrow floats, and between such pairs. They are separate from
// the scalar forms because their operands are split into twice as many lanes.
#include "engine/codegen/arith/convert.hpp"
#include "engine/codegen/arith/numeric.hpp"

namespace warpwright::engine::arith {
namespace {

bool is_pair16(simt::Type type) { return is_packed16(type) && is_half(type); }
bool is_pair8(simt::Type type) { return type == simt::Type::e4m3x2 || type == simt::Type::e5m2x2; }

// One f32 to 16 or 8 bits of the result (as iN of that width).
Value* pack_one(const Emitter& e, const Details& inst, Value* x, simt::Type to) {
    if (inst.has(Mod::relu)) x = relu(e, x);
    const Rounding rounding = inst.arithmetic.rounding;
    if (is_pair16(to)) {
        if (!inst.has(Mod::satfinite)) return f32_to_half(e, x, to, rounding);
        return e.resize(pack_small(e, x, is_bf16(to) ? kBf16 : kF16, rounding, true), 16, false);
    }
    const SmallFormat& format = to == simt::Type::e4m3x2 ? kE4m3 : kE5m2;
    return e.resize(pack_small(e, x, format, rounding, inst.has(Mod::satfinite)), 8, false);
}

// 8-bit floats to f16 bits. e5m2 is the top half of an f16. e4m3 moves its exponent and mantissa up by 7 and is then
// scaled by 2^8, the difference of the biases; in f16 that product is exact, also for subnormals.
Value* widen8(const Emitter& e, Value* bytes, simt::Type from) {
    Value* bits = e.resize(bytes, 16, false);
    Value* nan;
    Value* wide;
    if (from == simt::Type::e5m2x2) {
        wide = e.b.CreateShl(bits, e.integer(16, 8));
        nan = e.b.CreateICmpUGT(e.b.CreateAnd(wide, e.integer(16, 0x7fff)), e.integer(16, 0x7c00));
    } else {
        Value* magnitude = e.b.CreateShl(e.b.CreateAnd(bits, e.integer(16, 0x7f)), e.integer(16, 7));
        Value* scaled = e.b.CreateFMul(half_to_f32(e, magnitude, simt::Type::f16), e.real(256.0));
        Value* sign = e.b.CreateShl(e.b.CreateAnd(bits, e.integer(16, 0x80)), e.integer(16, 8));
        wide = e.b.CreateOr(f32_to_half(e, scaled, simt::Type::f16), sign);
        nan = e.b.CreateICmpEQ(e.b.CreateAnd(bits, e.integer(16, 0x7f)), e.integer(16, 0x7f));
    }
    return e.select(nan, e.integer(16, 0x7fff), wide);
}

}  // namespace

Result<Values> emit_convert_packed(ArithContext& context, const Details& inst, Operands v) {
    Emitter e(context);
    const simt::Type to = inst.type(0), from = inst.type(1);
    if (inst.has(Mod::rs)) return unsupported(inst, "stochastic rounding");
    const bool small = is_pair8(to);
    if (is_f32(from) && v.size() == 2 && (is_pair16(to) || small)) {  // a in the upper half, b in the lower
        const unsigned width = small ? 8 : 16;
        Value* high = e.resize(pack_one(e, inst, v[0], to), 2 * width, false);
        Value* low = e.resize(pack_one(e, inst, v[1], to), 2 * width, false);
        return Values{e.b.CreateOr(e.b.CreateShl(high, e.like(high, width)), low)};
    }
    const Emitter pairs = e.split(2);
    if (is_pair16(from) && small) {
        Value* x = half_to_f32(pairs, pairs.cast(v[0], pairs.int_type(16)), from);
        return Values{e.cast(pack_one(pairs, inst, x, to), e.int_type(16))};
    }
    if (is_pair8(from) && to == simt::Type::f16x2) {
        Value* wide = widen8(pairs, pairs.cast(v[0], pairs.int_type(8)), from);
        if (inst.has(Mod::relu)) {
            Value* negative = pairs.b.CreateICmpSLT(wide, pairs.integer(16, 0));
            wide = pairs.select(negative, pairs.integer(16, 0), wide);
        }
        return Values{e.cast(wide, e.int_type(32))};
    }
    return unsupported(inst, "no such conversion of packed floats");
}

}  // namespace warpwright::engine::arith

// f16, bf16 and their pairs: exact results through f32, rounded once. Sums and products need no care: f32 has more
// than twice the bits, plus two, and a bf16 product that loses bits below 2^-149 lies too far under half of the
// smallest bf16 (2^-134) to be rounded up by that. Fused operations are rounded to odd first.
#include "engine/codegen/arith/numeric.hpp"

namespace warpwright::engine::arith {
namespace {

Value* widen(const Emitter& e, Value* value) { return e.b.CreateFPExt(value, e.f64()); }

// x * y + z for f16: the f32 product of 11-bit significands is exact; the sum is taken to odd.
Value* fma_f16(const Emitter& e, Value* x, Value* y, Value* z) {
    Value* product = e.b.CreateFMul(x, y);
    Value* sum = e.b.CreateFAdd(product, z);
    Value* z_part = e.b.CreateFSub(sum, product);
    Value* product_part = e.b.CreateFSub(sum, z_part);
    Value *product_error = e.b.CreateFSub(product, product_part), *z_error = e.b.CreateFSub(z, z_part);
    Value* error = e.b.CreateFAdd(product_error, z_error);
    Value* bits = e.bits(sum);
    Value* even = e.b.CreateICmpEQ(e.b.CreateAnd(bits, e.like(bits, 1)), e.like(bits, 0));
    Value* inexact = e.b.CreateFCmpONE(error, e.real(0.0));
    Value* grow = e.b.CreateICmpSGE(e.b.CreateXor(bits, e.bits(error)), e.like(bits, 0));
    Value *away = e.b.CreateAdd(bits, e.like(bits, 1)), *towards = e.b.CreateSub(bits, e.like(bits, 1));
    Value *stepped = e.select(grow, away, towards), *steps = e.b.CreateAnd(even, inexact);
    return e.as_f32(e.select(steps, stepped, bits));
}

// The f32 value, exact or to odd, that one more rounding turns into the result.
Value* operate(const Emitter& e, const Details& inst, Operands v, bool bf16) {
    switch (inst.op) {
        case Op::add:
            return e.b.CreateFAdd(v[0], v[1]);
        case Op::sub:
            return e.b.CreateFSub(v[0], v[1]);
        case Op::mul:
            return e.b.CreateFMul(v[0], v[1]);
        case Op::mad:
        case Op::fma: {
            if (!bf16) return fma_f16(e, v[0], v[1], v[2]);
            Value *x = widen(e, v[0]), *y = widen(e, v[1]);
            Value* product = e.b.CreateFMul(x, y);
            return narrow_to_odd(e, sum_to_odd(e, product, widen(e, v[2])));
        }
        default:
            return nullptr;
    }
}

// Operations on the bits alone: abs, neg; and min, max, which return an operand as it is.
Value* operate_on_bits(const Emitter& e, const Details& inst, Operands bits, Operands values, simt::Type type) {
    Value* sign = e.integer(16, 0x8000);
    switch (inst.op) {
        case Op::abs:
        case Op::neg: {
            Value* changed =
                inst.op == Op::abs ? e.b.CreateAnd(bits[0], e.b.CreateNot(sign)) : e.b.CreateXor(bits[0], sign);
            return e.select(e.is_nan(values[0]), e.integer(16, 0x7fff), changed);
        }
        case Op::min:
        case Op::max: {
            llvm::SmallVector<Value*, 3> in(values.begin(), values.end());
            if (inst.has(Mod::xorsign) || inst.has(Mod::abs))
                for (Value*& value : in) value = e.fabs(value);
            Value* best = float_min_max(e, in[0], in[1], inst.op == Op::max, inst.has(Mod::nan_));
            if (in.size() > 2) best = float_min_max(e, best, in[2], inst.op == Op::max, inst.has(Mod::nan_));
            Value* out = f32_to_half(e, best, type);
            if (!inst.has(Mod::xorsign)) return out;
            Value* signs = e.b.CreateAnd(e.b.CreateXor(bits[0], bits[1]), sign);
            Value* signed_out = e.b.CreateOr(e.b.CreateAnd(out, e.b.CreateNot(sign)), signs);
            return e.select(e.is_nan(best), out, signed_out);
        }
        default:
            return nullptr;
    }
}

// fma.oob: a factor that is the out-of-bounds NaN makes the result 0 (ISA "fma", half precision). An H200 uses this
// pattern, with either sign.
Value* out_of_bounds(const Emitter& e, Operands bits, Value* result) {
    Value* any = nullptr;
    for (Value* operand : bits) {
        Value* is = e.b.CreateICmpEQ(e.b.CreateAnd(operand, e.integer(16, 0x7fff)), e.integer(16, 0x7ff7));
        any = any ? e.b.CreateOr(any, is) : is;
    }
    return e.select(any, e.integer(16, 0), result);
}

}  // namespace

Result<Values> emit_half(ArithContext& context, const Details& inst, Operands v) {
    Emitter outer(context);
    const simt::Type type = inst.type();
    const bool pairs = is_packed16(type), bf16 = is_bf16(type), flush = inst.arithmetic.flush && !bf16;
    const Emitter e = pairs ? outer.split(2) : outer;
    llvm::SmallVector<Value*, 3> bits, values;
    for (Value* operand : v) {
        Value* part = pairs ? e.cast(operand, e.int_type(16)) : operand;
        if (flush) part = flush_f16(e, part);
        bits.push_back(part);
        values.push_back(half_to_f32(e, part, type));
    }
    Value* result = operate_on_bits(e, inst, bits, values, type);
    if (!result) {
        Value* wide = operate(e, inst, values, bf16);
        if (!wide) return unsupported(inst, "no such half-precision form");
        if (inst.arithmetic.saturate) wide = saturate(e, wide);
        if (inst.has(Mod::relu)) wide = relu(e, wide);
        // A value that rounds up to 2^-14 in 11 bits, the smallest normal f16, is not subnormal.
        if (flush) wide = flush_below(e, wide, 0x1p-14 * (1 - 0x1p-12));
        result = f32_to_half(e, wide, type);
        if (inst.has(Mod::oob)) result = out_of_bounds(e, Operands(bits).take_front(2), result);
    }
    return Values{pairs ? outer.cast(result, outer.int_type(32)) : result};
}

}  // namespace warpwright::engine::arith

// f32, f64 and f32x2 arithmetic, f32 with half operands, and copysign. Multiplications and additions are never
// contracted: each rounds where PTX says so.
#include "engine/codegen/arith/numeric.hpp"

namespace warpwright::engine::arith {
namespace {

Value* sign_bit(const Emitter& e, Value* bits) { return e.like(bits, std::uint64_t{1} << (Emitter::width(bits) - 1)); }

Value* negate(const Emitter& e, Value* value) {
    Value* bits = e.bits(value);
    return e.cast(e.b.CreateXor(bits, sign_bit(e, bits)), value->getType());
}

// The sign of `from` on the magnitude of `value`.
Value* copy_sign(const Emitter& e, Value* from, Value* value) {
    Value *bits = e.bits(value), *sign = sign_bit(e, bits);
    Value* magnitude = e.b.CreateAnd(bits, e.b.CreateNot(sign));
    return e.cast(e.b.CreateOr(magnitude, e.b.CreateAnd(e.bits(from), sign)), value->getType());
}

// div.approx and div.full: within 2 ulp; a correctly rounded quotient is. div.approx has one more rule: a divisor
// above 2^126 gives 0, or NaN for an infinite dividend.
Value* divide_approx(const Emitter& e, const Details& inst, Value* x, Value* y) {
    Value* quotient = e.b.CreateFDiv(x, y);
    if (inst.has(Mod::full)) return quotient;
    Value* magnitude = e.fabs(y);
    Value* above = e.b.CreateFCmpOGT(magnitude, e.real(0x1p126));
    Value* finite = e.b.CreateFCmpONE(magnitude, e.real(__builtin_inf()));
    Value* huge = e.b.CreateAnd(above, finite);
    Value* sign = copy_sign(e, y, e.real(0.0));
    return e.select(huge, e.b.CreateFMul(x, sign), quotient);
}

Value* min_max(const Emitter& e, const Details& inst, Operands v) {
    const bool maximum = inst.op == Op::max;
    const bool propagate = inst.has(Mod::nan_);
    llvm::SmallVector<Value*, 3> in(v.begin(), v.end());
    if (inst.has(Mod::xorsign) || inst.has(Mod::abs))
        for (Value*& value : in) value = e.fabs(value);
    Value* best = float_min_max(e, in[0], in[1], maximum, propagate);
    if (in.size() > 2) best = float_min_max(e, best, in[2], maximum, propagate);
    if (inst.has(Mod::xorsign)) {
        Value *x = e.bits(v[0]), *y = e.bits(v[1]);
        Value* sign = e.b.CreateXor(x, y);
        best = copy_sign(e, e.cast(sign, best->getType()), best);
    }
    return best;
}

Value* operate(const Emitter& e, const Details& inst, Operands v, bool is_double) {
    const Rounding rounding = inst.arithmetic.rounding;
    switch (inst.op) {
        case Op::abs:
        case Op::neg: {
            Value* changed = inst.op == Op::abs ? e.fabs(v[0]) : negate(e, v[0]);
            if (!is_double) return changed;
            // The hardware adds -0: a NaN keeps its sign and becomes quiet.
            Value *is_nan = e.is_nan(v[0]), *quiet = quiet_f64(e, v[0]);
            return e.select(is_nan, quiet, changed);
        }
        case Op::min:
        case Op::max:
            return min_max(e, inst, v);
        default:
            break;
    }
    if (is_double) return f64_operation(e, inst.op, v, rounding);
    const bool flush = inst.arithmetic.flush;
    switch (inst.op) {
        case Op::add:
            return f32_add(e, v[0], v[1], rounding, flush);
        case Op::sub:
            return f32_add(e, v[0], negate(e, v[1]), rounding, flush);
        case Op::mul:
            return f32_mul(e, v[0], v[1], rounding, flush);
        case Op::mad:
        case Op::fma:
            return f32_fma(e, v[0], v[1], v[2], rounding, flush);
        case Op::div:
            if (inst.has(Mod::approx) || inst.has(Mod::full)) {
                Value* quotient = divide_approx(e, inst, v[0], v[1]);
                return flush ? flush_f32(e, quotient) : quotient;
            }
            return f32_div(e, v[0], v[1], rounding, flush);
        default:
            return nullptr;
    }
}

}  // namespace

Result<Values> emit_float(ArithContext& context, const Details& inst, Operands v) {
    Emitter outer(context);
    const simt::Type type = inst.type();
    const bool is_double = type == simt::Type::f64;
    if (inst.op == Op::copysign) return Values{copy_sign(outer, v[0], v[1])};
    const bool pairs = type == simt::Type::f32x2;
    const Emitter e = pairs ? outer.split(2) : outer;
    llvm::SmallVector<Value*, 3> in;
    for (unsigned i = 0; i < v.size(); ++i) {
        Value* value = pairs ? e.cast(v[i], e.f32()) : v[i];
        // Mixed precision: every operand but the last (the addend) has the second type. For sub and add that is a.
        if (inst.types.size() == 2 && is_half(inst.type(1)) && i + 1 < v.size())
            value = half_to_f32(e, value, inst.type(1));
        in.push_back(!is_double && inst.arithmetic.flush ? flush_f32(e, value) : value);
    }
    Value* result = operate(e, inst, in, is_double);
    if (!result) return unsupported(inst, "no such floating-point form");
    if (inst.arithmetic.saturate) result = saturate(e, result);
    return Values{pairs ? outer.cast(result, outer.int_type(64)) : result};
}

}  // namespace warpwright::engine::arith

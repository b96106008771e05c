// Special functions: rcp sqrt rsqrt sin cos lg2 ex2 tanh. Approximate forms are polynomials (minimax, fitted for these
// intervals) in plain f32 multiplications and additions: the same bits on every host, fused or not. Error bounds are
// the ISA's; each function states the error that it reaches.
#include <cmath>

#include "engine/codegen/arith/numeric.hpp"

namespace warpwright::engine::arith {
namespace {

// Coefficients from the constant up, by Horner's rule.
Value* polynomial(const Emitter& e, Value* x, llvm::ArrayRef<double> coefficients) {
    Value* sum = e.real(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back())) sum = e.b.CreateFAdd(e.b.CreateFMul(sum, x), e.real(c));
    return sum;
}

// The nearest integer of |x| < 2^22: adding 1.5 * 2^23 leaves no room for a fraction.
Value* nearest_integer(const Emitter& e, Value* x) {
    Value* magic = e.real(12582912.0);
    return e.b.CreateFSub(e.b.CreateFAdd(x, magic), magic);
}

Value* power_of_two(const Emitter& e, Value* exponent) {  // i32 in [-126, 127]
    Value* biased = e.b.CreateAdd(exponent, e.integer(32, 127));
    return e.as_f32(e.b.CreateShl(biased, e.integer(32, 23)));
}

// 2^x: relative error below 2^-22.9; exact for integers. Subnormal results are rounded once, by the last product.
Value* exp2(const Emitter& e, Value* x) {
    Value* nan = e.is_nan(x);
    // Outside this range the result is 0 or infinity; the last select passes NaN.
    Value* low = e.select(e.b.CreateFCmpOGT(x, e.real(-152.0)), x, e.real(-152.0));
    Value* inside = e.select(e.b.CreateFCmpOLT(low, e.real(129.0)), low, e.real(129.0));
    Value* whole = nearest_integer(e, inside);
    Value* f = e.b.CreateFSub(inside, whole);
    Value* tail = polynomial(
        e, f, {0.693147214968, 0.240226527829, 0.0555031055121, 0.00961769297614, 0.00134066438475, 0.000155946770151});
    Value* mantissa = e.b.CreateFAdd(e.b.CreateFMul(tail, f), e.real(1.0));
    Value* n = e.b.CreateFPToSI(whole, e.int_type(32));
    Value* first = e.b.CreateAShr(n, e.integer(32, 1));
    Value *one_half = power_of_two(e, first), *other_half = power_of_two(e, e.b.CreateSub(n, first));
    return e.select(nan, x, e.b.CreateFMul(e.b.CreateFMul(mantissa, one_half), other_half));
}

// log2(x): relative error below 2^-22.8, and absolute below 2^-22.8 inside (0.5, 2).
Value* log2(const Emitter& e, Value* x) {
    Value* zero = e.real(0.0);
    Value* subnormal = e.b.CreateFCmpOLT(e.fabs(x), e.real(0x1p-126));
    Value* bits = e.bits(e.select(subnormal, e.b.CreateFMul(x, e.real(0x1p24)), x));
    // x = 2^k * m with m in [sqrt(1/2), sqrt(2)).
    Value* offset = e.b.CreateSub(bits, e.integer(32, 0x3f3504f3));
    Value* k = e.b.CreateAShr(offset, e.integer(32, 23));
    Value* m = e.as_f32(e.b.CreateSub(bits, e.b.CreateShl(k, e.integer(32, 23))));
    Value* f = e.b.CreateFSub(m, e.real(1.0));
    Value* fraction =
        e.b.CreateFMul(f, polynomial(e, f,
                                     {1.44269500365, -0.721347346807, 0.480910642927, -0.360703682601, 0.28791624837,
                                      -0.238944824982, 0.215715607726, -0.207269727418, 0.125836993602}));
    k = e.b.CreateSub(k, e.select(subnormal, e.integer(32, 24), e.integer(32, 0)));
    Value* result = e.b.CreateFAdd(e.b.CreateSIToFP(k, e.f32()), fraction);
    Value* infinity = e.real(HUGE_VAL);
    result = e.select(e.b.CreateFCmpOEQ(x, infinity), infinity, result);
    result = e.select(e.b.CreateFCmpOEQ(x, zero), e.real(-HUGE_VAL), result);
    return e.select(e.b.CreateFCmpULT(x, zero), llvm::ConstantFP::getNaN(e.f32()), result);
}

// sin or cos in turns: t = x / 2pi, minus its nearest integer. The absolute error is below 2^-21.5 in [-pi, pi] and
// grows with |x| as the rounding of t does (2^-16 at 100 pi), as the ISA allows.
Value* sine(const Emitter& e, Value* x, bool cosine) {
    Value* t = e.b.CreateFMul(x, e.real(0.15915494309189535));
    Value* small = e.b.CreateFCmpULT(e.fabs(t), e.real(0x1p22));  // beyond, t is a whole number of turns, nearly
    // x times zero is NaN for infinities and NaN, 0 for the rest.
    Value *part = e.b.CreateFSub(t, nearest_integer(e, t)), *nothing = e.b.CreateFMul(x, e.real(0.0));
    Value* r = e.select(small, part, nothing);
    Value* magnitude = e.fabs(r);
    Value* folded = e.b.CreateFSub(e.real(0.5), magnitude);
    Value* far = e.b.CreateFCmpOGT(magnitude, e.real(0.25));
    Value* near = e.select(far, folded, magnitude);  // in [0, 1/4] turn
    Value* square = e.b.CreateFMul(near, near);
    Value* sign = e.integer(32, 0x80000000u);
    if (cosine) {
        Value* tail = polynomial(e, square, {-19.7391844747, 64.9354219379, -85.2590420889, 56.3799493622});
        Value* value = e.b.CreateFAdd(e.b.CreateFMul(tail, square), e.real(1.0));
        value = e.select(e.b.CreateFCmpOLT(value, e.real(0.0)), e.real(0.0), value);
        value = e.select(e.is_nan(r), r, value);
        Value *bits = e.bits(value), *flip = e.select(far, sign, e.integer(32, 0));
        return e.as_f32(e.b.CreateXor(bits, flip));
    }
    Value* value = e.b.CreateFMul(
        near, polynomial(e, square, {6.28318528037, -41.3416807227, 81.6024851119, -76.581396427, 39.7616171342}));
    value = e.select(e.b.CreateFCmpOGT(value, e.real(1.0)), e.real(1.0), value);
    Value *bits = e.bits(value), *own_sign = e.b.CreateAnd(e.bits(r), sign);
    return e.as_f32(e.b.CreateOr(bits, own_sign));
}

// tanh: relative error below 2^-14 (the ISA allows 2^-11). (E - 1) / (E + 1) with E = e^2|x|, and x itself where E - 1
// would cancel.
Value* tanh(const Emitter& e, Value* x) {
    Value* magnitude = e.fabs(x);
    Value* limited = e.select(e.b.CreateFCmpOLT(magnitude, e.real(20.0)), magnitude, e.real(20.0));
    Value* power = exp2(e, e.b.CreateFMul(limited, e.real(2.8853900817779268)));
    Value *less = e.b.CreateFSub(power, e.real(1.0)), *more = e.b.CreateFAdd(power, e.real(1.0));
    Value* ratio = e.b.CreateFDiv(less, more);
    Value* result = e.select(e.b.CreateFCmpOLT(magnitude, e.real(0x1p-9)), magnitude, ratio);
    Value* sign = e.b.CreateAnd(e.bits(x), e.integer(32, 0x80000000u));
    Value *is_nan = e.is_nan(x), *signed_result = e.as_f32(e.b.CreateOr(e.bits(result), sign));
    return e.select(is_nan, x, signed_result);
}

Value* approximate(const Emitter& e, Op op, Value* x) {
    switch (op) {
        case Op::rcp:
            return e.b.CreateFDiv(e.real(1.0), x);
        case Op::sqrt:
            return e.unary(llvm::Intrinsic::sqrt, x);
        case Op::rsqrt:
            return e.b.CreateFDiv(e.real(1.0), e.unary(llvm::Intrinsic::sqrt, x));
        case Op::sin:
            return sine(e, x, false);
        case Op::cos:
            return sine(e, x, true);
        case Op::lg2:
            return log2(e, x);
        case Op::ex2:
            return exp2(e, x);
        case Op::tanh:
            return tanh(e, x);
        default:
            return nullptr;
    }
}

// rcp and rsqrt .approx.ftz.f64: only the operand's upper word is used (a NaN whose payload is in the lower word counts
// as an infinity), and the result's lower word is zero. rsqrt.approx.f64 without .ftz uses the whole operand,
// subnormals too.
Value* gross_f64(const Emitter& e, const Details& inst, Value* x) {
    Value* upper = e.integer(64, 0xffffffff00000000u);
    const bool ftz = inst.arithmetic.flush;
    auto flush = [&](Value* bits) {
        Value* exponent = e.b.CreateAnd(bits, e.integer(64, 0x7ff0000000000000u));
        Value* sign = e.b.CreateAnd(bits, e.integer(64, 0x8000000000000000u));
        return e.select(e.b.CreateICmpEQ(exponent, e.integer(64, 0)), sign, bits);
    };
    Value* in = ftz ? e.as_f64(flush(e.b.CreateAnd(e.bits(x), upper))) : x;
    if (inst.op == Op::rsqrt) in = e.unary(llvm::Intrinsic::sqrt, in);
    Value* result = e.b.CreateFDiv(e.real64(1.0), in);
    if (!ftz) return result;
    Value* rounded = e.b.CreateAnd(e.b.CreateAdd(e.bits(result), e.integer(64, 0x80000000u)), upper);
    Value *is_nan = e.is_nan(result), *number = e.as_f64(flush(rounded));
    return e.select(is_nan, e.as_f64(e.integer(64, 0x7fffffff00000000u)), number);
}

Result<Values> emit_half_special(Emitter& outer, const Details& inst, Value* operand) {
    const simt::Type type = inst.type();
    const bool pairs = is_packed16(type), flush = inst.arithmetic.flush && !is_bf16(type);
    const Emitter e = pairs ? outer.split(2) : outer;
    Value* bits = pairs ? e.cast(operand, e.int_type(16)) : operand;
    if (flush) bits = flush_f16(e, bits);
    Value* x = half_to_f32(e, bits, type);
    if (inst.arithmetic.flush && is_bf16(type)) x = flush_f32(e, x);
    Value* y = approximate(e, inst.op, x);
    if (inst.arithmetic.flush && is_bf16(type)) y = flush_f32(e, y);
    Value* result = f32_to_half(e, y, type);
    if (flush) result = flush_f16(e, result);
    return Values{pairs ? outer.cast(result, outer.int_type(32)) : result};
}

}  // namespace

Result<Values> emit_special(ArithContext& context, const Details& inst, Operands v) {
    Emitter e(context);
    const simt::Type type = inst.type();
    const bool approximation = inst.has(Mod::approx);
    const Rounding rounding = inst.arithmetic.rounding;
    if (is_half(type)) {
        if (inst.op != Op::ex2 && inst.op != Op::tanh) return unsupported(inst, "half precision has ex2 and tanh only");
        return emit_half_special(e, inst, v[0]);
    }
    if (type == simt::Type::f64) {
        if (approximation && (inst.op == Op::rcp || inst.op == Op::rsqrt)) return Values{gross_f64(e, inst, v[0])};
        if (approximation) return unsupported(inst, "f64 has approximate rcp and rsqrt only");
        if (inst.op == Op::rcp) return Values{f64_operation(e, Op::div, {e.real64(1.0), v[0]}, rounding)};
        if (inst.op == Op::sqrt) return Values{f64_operation(e, Op::sqrt, v, rounding)};
        return unsupported(inst, "no such f64 function");
    }
    if (!is_f32(type)) return unsupported(inst, "not a floating-point type");
    const bool flush = inst.arithmetic.flush;
    Value* x = flush ? flush_f32(e, v[0]) : v[0];
    if (!approximation && inst.op == Op::rcp) return Values{f32_div(e, e.real(1.0), x, rounding, flush)};
    if (!approximation && inst.op == Op::sqrt) return Values{f32_sqrt(e, x, rounding)};  // never subnormal then
    Value* result = approximate(e, inst.op, x);
    return Values{flush ? flush_f32(e, result) : result};
}

}  // namespace warpwright::engine::arith

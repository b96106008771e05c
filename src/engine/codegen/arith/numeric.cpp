// A directed rounding begins with the host's rounding to nearest: an exact comparison tells on which side the true
// result lies, and its neighbour is taken where that is the right one. For f64 the directed modes are C++ functions,
// and the rules of flushing follow the hardware's.
#include "engine/codegen/arith/numeric.hpp"

#include <llvm/IR/MDBuilder.h>

#include <initializer_list>
#include <utility>

#include "engine/shared/host_nan.hpp"

namespace warpwright::engine::arith {
namespace {

using llvm::Intrinsic::ID;

// x's neighbour one step away from zero (grow) or towards it, by its bits.
Value* step(const Emitter& e, Value* bits, Value* grow) {
    Value* one = e.like(bits, 1);
    Value *away = e.b.CreateAdd(bits, one), *towards = e.b.CreateSub(bits, one);
    return e.select(grow, away, towards);
}

// The f32 next to `nearest` in a directed mode, given on which side of it the exact value lies.
Value* direct(const Emitter& e, Value* nearest, Value* too_large, Value* too_small, Rounding rounding) {
    Value* bits = e.bits(nearest);
    Value* negative = e.b.CreateICmpSLT(bits, e.like(bits, 0));
    Value* off = nullptr;   // nearest lies on the wrong side
    Value* grow = nullptr;  // the right neighbour has the larger magnitude
    switch (rounding) {
        case Rounding::down:
            off = too_large, grow = negative;
            break;
        case Rounding::up:
            off = too_small, grow = e.b.CreateNot(negative);
            break;
        default:
            off = e.select(negative, too_small, too_large), grow = e.b.CreateXor(negative, negative);
            break;
    }
    return e.as_f32(e.select(off, step(e, bits, grow), bits));
}

Value* widen(const Emitter& e, Value* value) { return e.b.CreateFPExt(value, e.f64()); }

// x + y == 0 rounds to -0 downwards unless both are +0; to nearest it is +0 unless both are -0.
Value* zero_sum_down(const Emitter& e, Value* sum, Value* x, Value* y) {
    Value *x_bits = e.bits(x), *y_bits = e.bits(y);
    Value* sign = e.b.CreateAnd(e.b.CreateOr(x_bits, y_bits), e.integer(64, std::uint64_t{1} << 63));
    Value *is_zero = e.b.CreateFCmpOEQ(sum, e.real64(0.0)), *zero = e.as_f64(sign);
    return e.select(is_zero, zero, sum);
}

constexpr double kLeastNormal = 0x1p-126;

// Flushes f64 values (exact, or rounded to odd) that f32 with unlimited exponents would round below 2^-126 in a
// directed mode. Away from zero, a value between the two largest such numbers is raised to 2^-126.
Value* flush_directed(const Emitter& e, Value* value, Rounding rounding) {
    if (rounding == Rounding::zero) return flush_below(e, value, kLeastNormal);
    constexpr double kLargestBelow = kLeastNormal * (1 - 0x1p-24), kJustAbove = kLargestBelow * (1 + 0x1p-52);
    Value* negative = e.b.CreateFCmpOLT(value, e.real64(0.0));
    Value* lifted = flush_below(e, value, kJustAbove);
    Value* lowered = flush_below(e, value, kLeastNormal);
    return rounding == Rounding::up ? e.select(negative, lowered, lifted) : e.select(negative, lifted, lowered);
}

Value* directed_sum(const Emitter& e, Value* x, Value* y, Rounding rounding, bool flush) {
    Value* sum = sum_to_odd(e, x, y);
    if (rounding == Rounding::down) sum = zero_sum_down(e, sum, x, y);
    return narrow(e, flush ? flush_directed(e, sum, rounding) : sum, rounding);
}

// Flushes a product or sum that is rounded to nearest. The hardware decides by the result with unlimited exponents;
// `scaled` is the same operation on operands times 2^32, so that it does not lose bits below 2^-126. (Where a scaled
// operand overflows, the result is far from subnormal, or it is 0.)
constexpr double kScale = 0x1p32;
Value* flush_nearest(const Emitter& e, Value* result, Value* scaled) {
    Value* bits = e.bits(result);
    Value* tiny = e.b.CreateFCmpOLT(e.fabs(scaled), e.real(kLeastNormal * kScale));
    return e.as_f32(e.select(tiny, e.b.CreateAnd(bits, e.like(bits, 0x80000000u)), bits));
}

// True when a lane of an f64 value is a NaN. The two halves of the vector are compared with each other, so that one
// comparison tests two lanes.
Value* any_nan(const Emitter& e, Value* value) {
    unsigned n = e.lanes;
    if (n < 2 || n % 2) {
        Value* nan = e.is_nan(value);
        return n ? e.b.CreateOrReduce(nan) : nan;
    }
    auto half = [&](Value* x, unsigned lanes, bool upper) {
        llvm::SmallVector<int, 64> order;
        for (unsigned i = 0; i < lanes; ++i) order.push_back(static_cast<int>(i + (upper ? lanes : 0)));
        return e.b.CreateShuffleVector(x, order);
    };
    n /= 2;
    Value *lower = half(value, n, false), *upper = half(value, n, true);
    Value* nan = e.b.CreateFCmpUNO(lower, upper);
    for (; n > 8 && n % 2 == 0; n /= 2) {
        lower = half(nan, n / 2, false), upper = half(nan, n / 2, true);
        nan = e.b.CreateOr(lower, upper);
    }
    return e.b.CreateOrReduce(nan);
}

// The NaN that an f64 operation returns, as on an H200: the last of `operands` that is one, made quiet. (That is b
// before a of add, sub and mul, a before b of div, b before c before a of fma.) The host chooses differently, depending
// on its registers, so where a result is a NaN the choice is made here, in a branch that is hardly ever taken. (x86 has
// the NaN of the first of them alone, and the one of an invalid operation, right already.)
Value* choose_nan(const Emitter& e, std::initializer_list<Value*> operands, Value* result) {
    const auto decide = llvm::ArrayRef(operands).drop_front(kHostNansAreTheGpus ? 1 : 0);
    if (llvm::all_of(decide, [](Value* v) { return llvm::isa<llvm::Constant>(v); })) return result;
    llvm::LLVMContext& context = e.b.getContext();
    llvm::BasicBlock* from = e.b.GetInsertBlock();
    auto* choose = llvm::BasicBlock::Create(context, "nan", e.function);
    auto* after = llvm::BasicBlock::Create(context, "number", e.function);
    e.b.CreateCondBr(any_nan(e, result), choose, after, llvm::MDBuilder(context).createBranchWeights(1, 1u << 20));
    e.b.SetInsertPoint(choose);
    Value* chosen = result;
    if (!kHostNansAreTheGpus) chosen = e.select(e.is_nan(result), e.as_f64(e.integer(64, kInvalidF64)), result);
    for (Value* operand : decide) {
        Value *is_nan = e.is_nan(operand), *quiet = quiet_f64(e, operand);
        chosen = e.select(is_nan, quiet, chosen);
    }
    e.b.CreateBr(after);
    e.b.SetInsertPoint(after);
    llvm::PHINode* merged = e.b.CreatePHI(result->getType(), 2);
    merged->addIncoming(result, from);
    merged->addIncoming(chosen, choose);
    return merged;
}

// The same for operations whose NaNs x86 has right whatever its registers.
Value* only_elsewhere(const Emitter& e, std::initializer_list<Value*> operands, Value* result) {
    return kHostNansAreTheGpus ? result : choose_nan(e, operands, result);
}

// `result` as a zero of its sign where its truncated form is subnormal.
Value* flush_by_size(const Emitter& e, Value* truncated, Value* result) {
    Value* bits = e.bits(result);
    Value* tiny = e.b.CreateFCmpOLT(e.fabs(truncated), e.real(kLeastNormal));
    return e.as_f32(e.select(tiny, e.b.CreateAnd(bits, e.integer(32, 0x80000000u)), bits));
}

// A quotient rounded to nearest reaches 2^-126 from below in one case: (2 - 2^-23) over a power of two.
Value* flush_nearest_quotient(const Emitter& e, Value* x, Value* y, Value* quotient) {
    auto mantissa = [&](Value* v) { return e.b.CreateAnd(e.bits(v), e.integer(32, 0x7fffff)); };
    Value* all_ones = e.b.CreateICmpEQ(mantissa(x), e.integer(32, 0x7fffff));
    Value* power_of_two = e.b.CreateICmpEQ(mantissa(y), e.integer(32, 0));
    Value* lifted = e.b.CreateAnd(all_ones, power_of_two);
    lifted = e.b.CreateAnd(lifted, e.b.CreateFCmpOEQ(e.fabs(quotient), e.real(kLeastNormal)));
    Value* bits = e.bits(quotient);
    Value* zero = e.b.CreateAnd(bits, e.integer(32, 0x80000000u));
    return flush_f32(e, e.as_f32(e.select(lifted, zero, bits)));
}

}  // namespace

Value* flush_f32(const Emitter& e, Value* value) {
    Value* bits = e.bits(value);
    Value* exponent = e.b.CreateAnd(bits, e.like(bits, 0x7f800000));
    Value* zero = e.b.CreateAnd(bits, e.like(bits, 0x80000000));
    return e.as_f32(e.select(e.b.CreateICmpEQ(exponent, e.like(bits, 0)), zero, bits));
}

Value* flush_f16(const Emitter& e, Value* bits) {
    Value* exponent = e.b.CreateAnd(bits, e.like(bits, 0x7c00));
    Value* zero = e.b.CreateAnd(bits, e.like(bits, 0x8000));
    return e.select(e.b.CreateICmpEQ(exponent, e.like(bits, 0)), zero, bits);
}

Value* saturate(const Emitter& e, Value* value) {
    Value* zero = llvm::ConstantFP::get(value->getType(), 0.0);
    Value* one = llvm::ConstantFP::get(value->getType(), 1.0);
    // LLVM makes the maximum of AArch64 of the next line, which passes on signalling NaNs.
    if (!kHostNansAreTheGpus) value = e.select(e.is_nan(value), zero, value);
    Value* positive = e.select(e.b.CreateFCmpOGT(value, zero), value, zero);
    return e.select(e.b.CreateFCmpOLT(positive, one), positive, one);
}

Value* relu(const Emitter& e, Value* value) {
    Value* zero = llvm::ConstantFP::get(value->getType(), 0.0);
    return e.select(e.b.CreateFCmpUGT(value, zero), value, zero);  // unordered: NaN stays
}

namespace {

/// Whether a maximum (or minimum) with such a constant in all lanes is `x > constant ? x : constant`: that gives the
/// constant for a NaN and where both are zeros, so it must be a number, and of two zeros the one that wins.
bool decides_ties(const Value* value, bool maximum) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
    if (constant && constant->getType()->isVectorTy()) constant = constant->getSplatValue();
    const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
    return number && !number->isNaN() && (!number->isZero() || number->isNegative() != maximum);
}

}  // namespace

Value* float_min_max(const Emitter& e, Value* x, Value* y, bool maximum, bool propagate_nan) {
    if (decides_ties(x, maximum)) std::swap(x, y);
    auto better = [&](Value* p, Value* q) {
        return e.select(maximum ? e.b.CreateFCmpOGT(p, q) : e.b.CreateFCmpOLT(p, q), p, q);
    };
    if (!propagate_nan && decides_ties(y, maximum)) {
        // LLVM makes the maximum of AArch64 of that, which passes on signalling NaNs.
        if (!kHostNansAreTheGpus) x = e.select(e.is_nan(x), y, x);
        return better(x, y);
    }
    // Both orders are computed, because equal operands may be zeros of either sign: | makes -0 win, & makes +0 win.
    Value *one = e.bits(better(x, y)), *two = e.bits(better(y, x));
    Value* best = e.cast(maximum ? e.b.CreateAnd(one, two) : e.b.CreateOr(one, two), x->getType());
    if (propagate_nan) {
        Value* either = e.b.CreateFCmpUNO(x, y);
        return e.select(either, llvm::ConstantFP::getNaN(x->getType()), best);
    }
    Value* y_nan = e.is_nan(y);
    Value* other = x->getType()->getScalarType()->isDoubleTy() ? e.select(y_nan, quiet_f64(e, y), y) : y;
    Value *x_nan = e.is_nan(x), *number = e.select(y_nan, x, best);
    return e.select(x_nan, other, number);
}

Value* quiet_f64(const Emitter& e, Value* nan) {
    return e.as_f64(e.b.CreateOr(e.bits(nan), e.integer(64, std::uint64_t{1} << 51)));
}

Value* sum_to_odd(const Emitter& e, Value* x, Value* y) {
    // Knuth's two-sum: sum + error = x + y exactly. With infinities and NaN the error is NaN and nothing changes.
    Value* sum = e.b.CreateFAdd(x, y);
    Value* y_part = e.b.CreateFSub(sum, x);
    Value* x_part = e.b.CreateFSub(sum, y_part);
    Value *x_error = e.b.CreateFSub(x, x_part), *y_error = e.b.CreateFSub(y, y_part);
    Value* error = e.b.CreateFAdd(x_error, y_error);
    Value* bits = e.bits(sum);
    Value* even = e.b.CreateICmpEQ(e.b.CreateAnd(bits, e.like(bits, 1)), e.like(bits, 0));
    Value* inexact = e.b.CreateFCmpONE(error, e.real64(0.0));
    // The error points away from zero when its sign is the sum's.
    Value* grow = e.b.CreateICmpSGE(e.b.CreateXor(bits, e.bits(error)), e.like(bits, 0));
    Value *steps = e.b.CreateAnd(even, inexact), *stepped = step(e, bits, grow);
    return e.as_f64(e.select(steps, stepped, bits));
}

Value* narrow_to_odd(const Emitter& e, Value* value) {
    Value* nearest = e.b.CreateFPTrunc(value, e.f32());
    Value* bits = e.bits(nearest);
    Value* back = widen(e, nearest);
    Value* even = e.b.CreateICmpEQ(e.b.CreateAnd(bits, e.like(bits, 1)), e.like(bits, 0));
    Value* inexact = e.b.CreateFCmpONE(back, value);
    Value *rounded_size = e.fabs(back), *exact_size = e.fabs(value);
    Value* grow = e.b.CreateFCmpOLT(rounded_size, exact_size);
    Value *steps = e.b.CreateAnd(even, inexact), *stepped = step(e, bits, grow);
    return e.as_f32(e.select(steps, stepped, bits));
}

Value* narrow(const Emitter& e, Value* value, Rounding rounding) {
    Value* nearest = e.b.CreateFPTrunc(value, e.f32());
    if (rounding == Rounding::nearest_even) return nearest;
    Value* back = widen(e, nearest);
    Value *too_large = e.b.CreateFCmpOGT(back, value), *too_small = e.b.CreateFCmpOLT(back, value);
    return direct(e, nearest, too_large, too_small, rounding);
}

Value* flush_below(const Emitter& e, Value* value, double least) {
    Value* bits = e.bits(value);
    Value* sign = e.b.CreateAnd(bits, e.like(bits, std::uint64_t{1} << (Emitter::width(bits) - 1)));
    Value* tiny = e.b.CreateFCmpOLT(e.fabs(value), llvm::ConstantFP::get(value->getType(), least));
    return e.cast(e.select(tiny, sign, bits), value->getType());
}

Value* f32_add(const Emitter& e, Value* x, Value* y, Rounding rounding, bool flush) {
    if (rounding != Rounding::nearest_even) {
        Value *wide_x = widen(e, x), *wide_y = widen(e, y);
        return directed_sum(e, wide_x, wide_y, rounding, flush);
    }
    Value* sum = e.b.CreateFAdd(x, y);  // exact where it is subnormal
    return flush ? flush_f32(e, sum) : sum;
}

Value* f32_mul(const Emitter& e, Value* x, Value* y, Rounding rounding, bool flush) {
    if (rounding == Rounding::nearest_even) {
        Value* product = e.b.CreateFMul(x, y);
        if (!flush) return product;
        return flush_nearest(e, product, e.b.CreateFMul(e.b.CreateFMul(x, e.real(kScale)), y));
    }
    Value *wide_x = widen(e, x), *wide_y = widen(e, y);
    Value* product = e.b.CreateFMul(wide_x, wide_y);  // exact
    return narrow(e, flush ? flush_directed(e, product, rounding) : product, rounding);
}

Value* f32_fma(const Emitter& e, Value* x, Value* y, Value* z, Rounding rounding, bool flush) {
    if (rounding == Rounding::nearest_even) {
        Value* sum = e.ternary(llvm::Intrinsic::fma, x, y, z);
        if (!flush) return sum;
        const auto scaled = [&](Value* v) { return e.b.CreateFMul(v, e.real(kScale)); };
        Value *scaled_x = scaled(x), *scaled_z = scaled(z);
        return flush_nearest(e, sum, e.ternary(llvm::Intrinsic::fma, scaled_x, y, scaled_z));
    }
    Value *wide_x = widen(e, x), *wide_y = widen(e, y), *wide_z = widen(e, z);
    return directed_sum(e, e.b.CreateFMul(wide_x, wide_y), wide_z, rounding, flush);
}

Value* f32_div(const Emitter& e, Value* x, Value* y, Rounding rounding, bool flush) {
    Value* q = e.b.CreateFDiv(x, y);
    if (rounding == Rounding::nearest_even) return flush ? flush_nearest_quotient(e, x, y, q) : q;
    // q * y (exact in f64) says to which side the nearest quotient q errs.
    Value *wide_y = widen(e, y), *wide_x = widen(e, x);
    Value* product = e.b.CreateFMul(widen(e, q), wide_y);
    Value* flip = e.b.CreateFCmpOLT(wide_y, e.real64(0.0));
    Value *above = e.b.CreateFCmpOGT(product, wide_x), *below = e.b.CreateFCmpOLT(product, wide_x);
    Value *too_large = e.select(flip, below, above), *too_small = e.select(flip, above, below);
    Value* result = direct(e, q, too_large, too_small, rounding);
    return flush ? flush_by_size(e, direct(e, q, too_large, too_small, Rounding::zero), result) : result;
}

Value* f32_sqrt(const Emitter& e, Value* x, Rounding rounding) {
    Value* root = e.unary(llvm::Intrinsic::sqrt, x);
    if (rounding == Rounding::nearest_even) return root;
    Value *wide = widen(e, root), *wide_x = widen(e, x);
    Value* square = e.b.CreateFMul(wide, wide);
    Value *too_large = e.b.CreateFCmpOGT(square, wide_x), *too_small = e.b.CreateFCmpOLT(square, wide_x);
    return direct(e, root, too_large, too_small, rounding);
}

Value* f64_operation(const Emitter& e, Op op, Operands v, Rounding rounding) {
    const bool nearest = rounding == Rounding::nearest_even;
    switch (op) {
        case Op::add:
            return nearest ? choose_nan(e, {v[0], v[1]}, e.b.CreateFAdd(v[0], v[1]))
                           : e.call_lanes<ww_rt_add_f64>({v[0], v[1]}, rounding);
        case Op::sub:
            return nearest ? choose_nan(e, {v[0], v[1]}, e.b.CreateFSub(v[0], v[1]))
                           : e.call_lanes<ww_rt_sub_f64>({v[0], v[1]}, rounding);
        case Op::mul:
            return nearest ? choose_nan(e, {v[0], v[1]}, e.b.CreateFMul(v[0], v[1]))
                           : e.call_lanes<ww_rt_mul_f64>({v[0], v[1]}, rounding);
        case Op::div:
            if (!nearest) return e.call_lanes<ww_rt_div_f64>({v[0], v[1]}, rounding);
            return only_elsewhere(e, {v[1], v[0]}, e.b.CreateFDiv(v[0], v[1]));
        case Op::sqrt:
            if (!nearest) return e.call_lanes<ww_rt_sqrt_f64>({v[0]}, rounding);
            return only_elsewhere(e, {v[0]}, e.unary(llvm::Intrinsic::sqrt, v[0]));
        case Op::fma:
        case Op::mad:
            return nearest ? choose_nan(e, {v[0], v[2], v[1]}, e.ternary(llvm::Intrinsic::fma, v[0], v[1], v[2]))
                           : e.call_lanes<ww_rt_fma_f64>({v[0], v[1], v[2]}, rounding);
        default:
            return nullptr;
    }
}

}  // namespace warpwright::engine::arith

// Integer div and rem. As on the hardware, nothing traps: a quotient and a remainder by zero are all ones (ptxas
// compiles every width to a final select of ~0 on a zero divisor); MIN / -1 = MIN, MIN % -1 = 0.
#include <llvm/IR/Constants.h>

#include "engine/codegen/arith/emit.hpp"

namespace warpwright::engine::arith {
namespace {

// A divisor known at compile time: LLVM makes it a multiplication or a shift. Excludes 0 and -1, which are special.
bool is_plain_constant(Value* divisor) {
    auto* constant = llvm::dyn_cast<llvm::Constant>(divisor);
    if (!constant) return false;
    if (divisor->getType()->isVectorTy()) constant = constant->getSplatValue();
    auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
    return number && !number->isZero() && !number->isMinusOne();
}

// floor(x / y) of unsigned values through floating point, y not 0. The quotient rounds to an integer only where it
// is one: it misses the next integer by at least 1/y > 2^-w, far above half an ulp (2^-53 against w = 32, 2^-24
// against w = 16).
Value* quotient(Emitter& e, Value* x, Value* y) {
    const bool narrow = Emitter::width(x) <= 16;
    llvm::Type* real = narrow ? e.f32() : e.f64();
    Value *dividend = e.b.CreateUIToFP(x, real), *divisor = e.b.CreateUIToFP(y, real);
    Value* q = e.b.CreateFDiv(dividend, divisor);
    if (narrow) return e.resize(e.b.CreateFPToSI(q, e.int_type(32)), 16, false);
    // To an integer by exponent: q is below 2^32, so adding 2^52 after dropping its fraction leaves it in the low
    // bits. Dropping: subtract the fraction's rounding by comparing back.
    Value* magic = e.real64(4503599627370496.0);
    Value* rounded = e.b.CreateFSub(e.b.CreateFAdd(q, magic), magic);
    Value* above = e.b.CreateFCmpOGT(rounded, q);
    Value* floor = e.b.CreateFSub(rounded, e.select(above, e.real64(1.0), e.real64(0.0)));
    return e.resize(e.bits(e.b.CreateFAdd(floor, magic)), 32, false);
}

Value* divide_narrow(Emitter& e, Value* x, Value* y, bool is_signed, bool remainder) {
    Value* zero = e.like(x, 0);
    Value* by_zero = e.b.CreateICmpEQ(y, zero);
    Value *ax = x, *ay = y;
    if (is_signed) {
        ax = e.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, e.b.getFalse());
        ay = e.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, y, e.b.getFalse());
    }
    ay = e.select(by_zero, e.like(y, 1), ay);
    Value* result = quotient(e, ax, ay);
    Value* negative = is_signed ? e.b.CreateICmpSLT(remainder ? x : e.b.CreateXor(x, y), zero) : nullptr;
    if (remainder) result = e.b.CreateSub(ax, e.b.CreateMul(result, ay));
    if (is_signed) result = e.select(negative, e.b.CreateNeg(result), result);
    return e.select(by_zero, e.like(x, ~std::uint64_t{0}), result);
}

Value* divide_constant(Emitter& e, Value* x, Value* y, bool is_signed, bool remainder) {
    if (remainder) return is_signed ? e.b.CreateSRem(x, y) : e.b.CreateURem(x, y);
    return is_signed ? e.b.CreateSDiv(x, y) : e.b.CreateUDiv(x, y);
}

Value* divide_uniform(Emitter& e, Value* x, Value* y, bool is_signed, bool remainder) {
    Value* by_zero = e.b.CreateICmpEQ(y, e.like(y, 0));
    if (!is_signed) {
        Value* safe = e.select(by_zero, e.like(y, 1), y);
        return e.select(by_zero, e.like(x, ~std::uint64_t{0}), divide_constant(e, x, safe, false, remainder));
    }
    // x / -1 = -x also where the host would trap.
    Value* by_minus_one = e.b.CreateICmpEQ(y, e.like(y, ~std::uint64_t{0}));
    Value* safe = e.select(e.b.CreateOr(by_zero, by_minus_one), e.like(y, 1), y);
    Value* result = divide_constant(e, x, safe, true, remainder);
    result = e.select(by_minus_one, remainder ? e.like(x, 0) : e.b.CreateNeg(x), result);
    return e.select(by_zero, e.like(x, ~std::uint64_t{0}), result);
}

}  // namespace

Result<Values> emit_integer_div(ArithContext& context, const Details& inst, Operands v) {
    Emitter e(context);
    const bool is_signed = simt::is_signed(inst.type());
    const bool remainder = inst.op == Op::rem;
    const unsigned w = Emitter::width(v[0]);
    Value *x = v[0], *y = v[1];
    if (is_plain_constant(y)) return Values{divide_constant(e, x, y, is_signed, remainder)};
    if (!e.lanes) return Values{divide_uniform(e, x, y, is_signed, remainder)};
    if (w < 64) return Values{divide_narrow(e, x, y, is_signed, remainder)};
    if (is_signed) return Values{remainder ? e.call_lanes<ww_rt_rem_s64>({x, y}) : e.call_lanes<ww_rt_div_s64>({x, y})};
    return Values{remainder ? e.call_lanes<ww_rt_rem_u64>({x, y}) : e.call_lanes<ww_rt_div_u64>({x, y})};
}

}  // namespace warpwright::engine::arith

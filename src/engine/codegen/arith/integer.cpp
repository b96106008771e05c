// Integer add, sub, mul, mad, abs, neg, min, max, sad, mul24, mad24. Wrapping, in two's complement.
#include "engine/codegen/arith/emit.hpp"

namespace warpwright::engine::arith {
namespace {

Value* wide_product(Emitter& e, Value* x, Value* y, unsigned bits, bool is_signed) {
    Value *wide_x = e.resize(x, bits, is_signed), *wide_y = e.resize(y, bits, is_signed);
    return e.b.CreateMul(wide_x, wide_y);
}

// High half of a product. 64-bit: from four 32-bit products, since a 128-bit multiply has no vector form anywhere.
Value* high_product(Emitter& e, Value* x, Value* y, bool is_signed) {
    const unsigned w = Emitter::width(x);
    if (w < 64) {
        Value* product = wide_product(e, x, y, 2 * w, is_signed);
        return e.resize(e.b.CreateLShr(product, e.like(product, w)), w, false);
    }
    Value* low_mask = e.integer(64, 0xffffffffu);
    Value* shift = e.integer(64, 32);
    Value *xl = e.b.CreateAnd(x, low_mask), *xh = e.b.CreateLShr(x, shift);
    Value *yl = e.b.CreateAnd(y, low_mask), *yh = e.b.CreateLShr(y, shift);
    Value *ll = e.b.CreateMul(xl, yl), *hl = e.b.CreateMul(xh, yl);
    Value *lh = e.b.CreateMul(xl, yh), *hh = e.b.CreateMul(xh, yh);
    Value* middle = e.b.CreateAdd(hl, e.b.CreateLShr(ll, shift));
    Value* other = e.b.CreateAdd(lh, e.b.CreateAnd(middle, low_mask));
    Value *middle_high = e.b.CreateLShr(middle, shift), *other_high = e.b.CreateLShr(other, shift);
    Value* high = e.b.CreateAdd(hh, e.b.CreateAdd(middle_high, other_high));
    if (!is_signed) return high;
    Value* sign = e.integer(64, 63);
    high = e.b.CreateSub(high, e.b.CreateAnd(e.b.CreateAShr(x, sign), y));
    return e.b.CreateSub(high, e.b.CreateAnd(e.b.CreateAShr(y, sign), x));
}

Value* product(Emitter& e, const Details& inst, Value* x, Value* y, bool is_signed) {
    if (inst.has(Mod::wide)) {
        const unsigned w = Emitter::width(x);
        return wide_product(e, x, y, 2 * w, is_signed);
    }
    return inst.has(Mod::hi) ? high_product(e, x, y, is_signed) : e.b.CreateMul(x, y);
}

// The 48-bit product of the low 24 bits: .lo is its low word, .hi its bits 47..16.
Value* product24(Emitter& e, const Details& inst, Value* x, Value* y, bool is_signed) {
    auto low24 = [&](Value* v) {
        Value* up = e.b.CreateShl(v, e.like(v, 8));
        return is_signed ? e.b.CreateAShr(up, e.like(v, 8)) : e.b.CreateLShr(up, e.like(v, 8));
    };
    Value *a = low24(x), *b = low24(y);
    if (!inst.has(Mod::hi)) return e.b.CreateMul(a, b);
    Value* wide = wide_product(e, a, b, 64, is_signed);
    return e.resize(e.b.CreateLShr(wide, e.like(wide, 16)), 32, false);
}

Value* scalar_form(Emitter& e, const Details& inst, Operands v, bool is_signed) {
    const bool saturate = inst.arithmetic.saturate;
    auto sum = [&](Value* x, Value* y) {
        return saturate ? e.binary(llvm::Intrinsic::sadd_sat, x, y) : e.b.CreateAdd(x, y);
    };
    auto relu = [&](Value* x) { return inst.has(Mod::relu) ? e.max(x, e.like(x, 0), true) : x; };
    switch (inst.op) {
        case Op::add:
            return sum(v[0], v[1]);
        case Op::sub:
            return saturate ? e.binary(llvm::Intrinsic::ssub_sat, v[0], v[1]) : e.b.CreateSub(v[0], v[1]);
        case Op::mul:
            return product(e, inst, v[0], v[1], is_signed);
        case Op::mad:
            return sum(product(e, inst, v[0], v[1], is_signed), v[2]);
        case Op::mul24:
            return product24(e, inst, v[0], v[1], is_signed);
        case Op::mad24:
            return sum(product24(e, inst, v[0], v[1], is_signed), v[2]);
        case Op::abs:
            return e.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v[0], e.b.getFalse());
        case Op::neg:
            return e.b.CreateNeg(v[0]);
        case Op::min:
            return relu(e.min(v[0], v[1], is_signed));
        case Op::max:
            return relu(e.max(v[0], v[1], is_signed));
        case Op::sad: {
            Value *more = e.max(v[0], v[1], is_signed), *less = e.min(v[0], v[1], is_signed);
            return e.b.CreateAdd(v[2], e.b.CreateSub(more, less));
        }
        default:
            return nullptr;
    }
}

}  // namespace

Result<Values> emit_integer(ArithContext& context, const Details& inst, Operands v) {
    Emitter e(context);
    const simt::Type type = inst.type();
    Value* result = nullptr;
    if (const unsigned count = simt::elements(type); count > 1) {
        Emitter each = e.split(count);
        llvm::SmallVector<Value*, 3> parts;
        for (Value* operand : v) parts.push_back(each.cast(operand, each.int_type(simt::bits(simt::element(type)))));
        if (Value* packed = scalar_form(each, inst, parts, simt::is_signed(type)))
            result = e.cast(packed, e.int_type(simt::bits(type)));
    } else {
        result = scalar_form(e, inst, v, simt::is_signed(type));
    }
    if (!result) return unsupported(inst, "no such integer form");
    return Values{result};
}

}  // namespace warpwright::engine::arith

// Bit fields and bytes: popc clz bfind brev bfe bfi bmsk szext fns prmt dp4a dp2a.
#include <llvm/IR/Constants.h>

#include "engine/codegen/arith/emit.hpp"

namespace warpwright::engine::arith {
namespace {

// Ones in bits 0 .. count-1; all ones for counts of the width and above.
Value* low_ones(Emitter& e, Value* count, unsigned bits) {
    return e.b.CreateNot(e.shift_left(llvm::Constant::getAllOnesValue(e.int_type(bits)), count));
}

// Position and length of a field: 32-bit forms look at eight bits of them, 64-bit ones at all (seen on an H200).
Value* field_operand(Emitter& e, Value* v, unsigned bits) { return bits == 32 ? e.b.CreateAnd(v, e.like(v, 0xff)) : v; }

Value* bfind(Emitter& e, const Details& inst, Value* x) {
    const unsigned w = Emitter::width(x);
    // For signed values: the topmost bit that differs from the sign.
    Value* y = simt::is_signed(inst.type()) ? e.b.CreateXor(x, e.b.CreateAShr(x, e.like(x, w - 1))) : x;
    Value* zeros = e.resize(e.b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, y, e.b.getFalse()), 32, false);
    if (!inst.has(Mod::shiftamt)) return e.b.CreateSub(e.integer(32, w - 1), zeros);  // none: -1 by itself
    return e.select(e.b.CreateICmpEQ(y, e.like(y, 0)), e.integer(32, 0xffffffffu), zeros);
}

Value* bfe(Emitter& e, const Details& inst, Operands v) {
    const unsigned w = Emitter::width(v[0]);
    Value *position = field_operand(e, v[1], w), *length = field_operand(e, v[2], w);
    const bool is_signed = simt::is_signed(inst.type());
    Value* field = e.shift_right(v[0], position, is_signed);
    if (!is_signed) return e.b.CreateAnd(field, low_ones(e, length, w));
    // Sign-extend from `length` bits; a field past the top has the value's own sign already.
    Value* unused = e.resize(e.b.CreateSub(e.like(length, w), e.min(length, e.like(length, w), false)), w, false);
    Value* safe = e.min(unused, e.like(unused, w - 1), false);
    Value* extended = e.b.CreateAShr(e.b.CreateShl(field, safe), safe);
    return e.select(e.b.CreateICmpEQ(length, e.like(length, 0)), e.like(v[0], 0), extended);
}

Value* bfi(Emitter& e, Operands v) {
    const unsigned w = Emitter::width(v[0]);
    Value *position = field_operand(e, v[2], w), *length = field_operand(e, v[3], w);
    Value* mask = e.shift_left(low_ones(e, length, w), position);
    Value* inserted = e.b.CreateAnd(e.shift_left(v[0], position), mask);
    return e.b.CreateOr(inserted, e.b.CreateAnd(v[1], e.b.CreateNot(mask)));
}

Value* bmsk(Emitter& e, const Details& inst, Operands v) {
    Value* five = e.integer(32, 0x1f);
    Value *position = e.b.CreateAnd(v[0], five), *count = e.b.CreateAnd(v[1], five);
    Value* from = e.b.CreateShl(e.integer(32, 0xffffffffu), position);
    Value* beyond = e.shift_left(e.integer(32, 0xffffffffu), e.b.CreateAdd(position, count));
    if (inst.has(Mod::clamp)) {
        Value* limit = e.integer(32, 32);
        from = e.select(e.b.CreateICmpUGE(v[0], limit), e.integer(32, 0), from);
        beyond = e.select(e.b.CreateICmpUGE(v[1], limit), e.integer(32, 0), beyond);
    }
    return e.b.CreateAnd(from, e.b.CreateNot(beyond));
}

Value* szext(Emitter& e, const Details& inst, Operands v) {
    Value* limit = e.integer(32, 32);
    Value* count = inst.has(Mod::clamp) ? v[1] : e.b.CreateAnd(v[1], e.integer(32, 0x1f));
    Value* low = e.b.CreateAnd(v[0], low_ones(e, count, 32));
    if (!simt::is_signed(inst.type())) return low;
    Value* unused = e.b.CreateSub(limit, e.min(count, limit, false));
    Value* safe = e.min(unused, e.integer(32, 31), false);
    Value* extended = e.b.CreateAShr(e.b.CreateShl(low, safe), safe);
    return e.select(e.b.CreateICmpEQ(count, e.integer(32, 0)), e.integer(32, 0), extended);
}

// prmt's fixed modes as selectors of the general one, by the low two bits of c (ISA table "prmt modes").
Value* prmt_selector(Emitter& e, const Details& inst, Value* c) {
    struct Row {
        Mod mode;
        unsigned selectors[4];
    };
    static constexpr Row rows[] = {
        {Mod::f4e, {0x3210, 0x4321, 0x5432, 0x6543}}, {Mod::b4e, {0x5670, 0x6701, 0x7012, 0x0123}},
        {Mod::rc8, {0x0000, 0x1111, 0x2222, 0x3333}}, {Mod::ecl, {0x3210, 0x3211, 0x3222, 0x3333}},
        {Mod::ecr, {0x0000, 0x1110, 0x2210, 0x3210}}, {Mod::rc16, {0x1010, 0x3232, 0x1010, 0x3232}},
    };
    for (const Row& row : rows) {
        if (!inst.has(row.mode)) continue;
        Value* low = e.b.CreateAnd(c, e.like(c, 3));
        Value* out = e.like(c, row.selectors[0]);
        for (unsigned i = 1; i < 4; ++i)
            out = e.select(e.b.CreateICmpEQ(low, e.like(c, i)), e.like(c, row.selectors[i]), out);
        return out;
    }
    return c;
}

// A selector known when compiling: one byte shuffle, and a sign fill where a nibble asks for it.
Value* prmt_constant(Emitter& e, Value* a, Value* b, std::uint64_t selector) {
    Emitter bytes = e.split(4);
    const int total = static_cast<int>(bytes.lanes);
    Value *x = bytes.cast(a, bytes.int_type(8)), *y = bytes.cast(b, bytes.int_type(8));
    llvm::SmallVector<int, 256> order;
    llvm::SmallVector<llvm::Constant*, 256> fill;
    bool any_fill = false;
    for (int i = 0; i < total; ++i) {
        const unsigned nibble = (selector >> (4 * (i % 4))) & 0xf;
        const int source = i / 4 * 4 + static_cast<int>(nibble & 3);
        order.push_back(nibble & 4 ? total + source : source);
        fill.push_back(e.b.getInt1(nibble & 8));
        any_fill |= (nibble & 8) != 0;
    }
    Value* out = e.b.CreateShuffleVector(x, y, order);
    if (any_fill) out = e.select(llvm::ConstantVector::get(fill), e.b.CreateAShr(out, bytes.integer(8, 7)), out);
    return e.cast(out, e.int_type(32));
}

Value* prmt(Emitter& e, const Details& inst, Operands v) {
    Value* selector = prmt_selector(e, inst, v[2]);
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(selector)) {
        if (selector->getType()->isVectorTy()) constant = constant->getSplatValue();
        if (auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant))
            return prmt_constant(e, v[0], v[1], number->getZExtValue());
    }
    Value* upper = e.b.CreateShl(e.resize(v[1], 64, false), e.integer(64, 32));
    Value* pool = e.b.CreateOr(upper, e.resize(v[0], 64, false));
    Value* out = e.integer(32, 0);
    for (unsigned i = 0; i < 4; ++i) {
        Value* nibble = e.b.CreateAnd(e.b.CreateLShr(selector, e.integer(32, 4 * i)), e.integer(32, 0xf));
        Value* amount = e.b.CreateShl(e.b.CreateAnd(nibble, e.integer(32, 7)), e.integer(32, 3));
        Value* picked = e.resize(e.b.CreateLShr(pool, e.resize(amount, 64, false)), 8, false);
        Value* sign = e.b.CreateAShr(picked, e.integer(8, 7));
        Value* wants_sign = e.b.CreateICmpUGE(nibble, e.integer(32, 8));
        Value* byte = e.resize(e.select(wants_sign, sign, picked), 32, false);
        out = e.b.CreateOr(out, e.b.CreateShl(byte, e.integer(32, 8 * i)));
    }
    return out;
}

}  // namespace

Result<Values> emit_bits(ArithContext& context, const Details& inst, Operands v) {
    Emitter e(context);
    switch (inst.op) {
        case Op::popc:
            return Values{e.resize(e.unary(llvm::Intrinsic::ctpop, v[0]), 32, false)};
        case Op::clz:
            return Values{e.resize(e.b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, v[0], e.b.getFalse()), 32, false)};
        case Op::bfind:
            return Values{bfind(e, inst, v[0])};
        case Op::brev:
            return Values{e.unary(llvm::Intrinsic::bitreverse, v[0])};
        case Op::bfe:
            return Values{bfe(e, inst, v)};
        case Op::bfi:
            return Values{bfi(e, v)};
        case Op::bmsk:
            return Values{bmsk(e, inst, v)};
        case Op::szext:
            return Values{szext(e, inst, v)};
        case Op::fns:
            return Values{e.call_lanes<ww_rt_fns>({v[0], v[1], v[2]})};
        case Op::prmt:
            return Values{prmt(e, inst, v)};
        default:
            return unsupported(inst, "not a bit-field instruction");
    }
}

// dp4a: c + sum of four products of bytes; dp2a: c + sum of the two 16-bit parts of a by two bytes of b.
Result<Values> emit_dot(ArithContext& context, const Details& inst, Operands v) {
    Emitter e(context);
    auto part = [&](Value* x, unsigned bits, unsigned index, simt::Type type) {
        Value* up = e.b.CreateShl(x, e.like(x, 32 - bits * (index + 1)));
        Value* amount = e.like(x, 32 - bits);
        return simt::is_signed(type) ? e.b.CreateAShr(up, amount) : e.b.CreateLShr(up, amount);
    };
    const bool four = inst.op == Op::dp4a;
    const unsigned first = !four && inst.has(Mod::hi) ? 2 : 0;
    Value* sum = v[2];
    for (unsigned i = 0; i < (four ? 4u : 2u); ++i) {
        Value* x = part(v[0], four ? 8 : 16, i, inst.type(0));
        Value* y = part(v[1], 8, first + i, inst.type(1));
        sum = e.b.CreateAdd(sum, e.b.CreateMul(x, y));
    }
    return Values{sum};
}

}  // namespace warpwright::engine::arith

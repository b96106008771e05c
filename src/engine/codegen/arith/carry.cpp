// Extended precision: add.cc, addc, sub.cc, subc, mad.cc, madc. The flag CC.CF travels as an i1 value: carry-out of
// additions, borrow-out of subtractions (ISA section "Extended-Precision Integer Arithmetic Instructions").
#include "engine/codegen/arith/emit.hpp"

namespace warpwright::engine::arith {

// Defined beside the plain multiplications' semantics: mad's product is mul's.
Result<Values> emit_carry(ArithContext& context, const Details& inst, Operands v) {
    Emitter e(context);
    Values out;
    Value *x = v[0], *y = v[1];
    if (inst.op == Op::mad || inst.op == Op::madc) {
        Details plain = inst;  // the same multiplication without the addition
        plain.op = Op::mul;
        plain.mods.clear();
        plain.arithmetic = {};
        plain.mods.push_back(inst.has(Mod::hi) ? Mod::hi : Mod::lo);
        auto product = emit_integer(context, plain, {v[0], v[1]});
        if (!product) return product;
        x = (*product)[0];
        y = v[2];
    }
    const bool takes_carry = inst.op == Op::addc || inst.op == Op::subc || inst.op == Op::madc;
    const bool subtract = inst.op == Op::sub || inst.op == Op::subc;
    Value* in = takes_carry ? e.resize(v.back(), Emitter::width(x), false) : nullptr;
    Value *result, *carry;
    if (subtract) {
        result = e.b.CreateSub(x, y);
        carry = e.b.CreateICmpULT(x, y);
        if (in) {
            carry = e.b.CreateOr(carry, e.b.CreateICmpULT(result, in));
            result = e.b.CreateSub(result, in);
        }
    } else {
        result = e.b.CreateAdd(x, y);
        carry = e.b.CreateICmpULT(result, x);
        if (in) {
            result = e.b.CreateAdd(result, in);
            carry = e.b.CreateOr(carry, e.b.CreateICmpULT(result, in));
        }
    }
    out.push_back(result);
    if (inst.has(Mod::cc)) out.push_back(carry);
    return out;
}

}  // namespace warpwright::engine::arith

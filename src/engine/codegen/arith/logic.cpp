// Logic and shifts: and or xor not cnot lop3 shl shr shf.
#include <llvm/IR/Constants.h>

#include "engine/codegen/arith/emit.hpp"

namespace warpwright::engine::arith {
namespace {

// The function of `inputs` that `table` lists (bit i of the table = result for input bits i, the last input lowest),
// by Shannon expansion on the first input. Constants fold away, so common tables become one or two operations.
Value* truth_table(Emitter& e, Operands inputs, unsigned table) {
    const unsigned rows = 1u << inputs.size();
    const unsigned all = rows == 32 ? ~0u : (1u << rows) - 1;
    llvm::Type* type = e.int_type(32);
    if (table == 0) return llvm::Constant::getNullValue(type);
    if (table == all) return llvm::Constant::getAllOnesValue(type);
    const unsigned half = rows / 2;
    const unsigned low = table & ((1u << half) - 1), high = table >> half, half_all = (1u << half) - 1;
    Value* x = inputs.front();
    Operands rest = inputs.drop_front();
    if (low == high) return truth_table(e, rest, low);
    if (low == (high ^ half_all)) return e.b.CreateXor(x, truth_table(e, rest, low));
    if (low == 0) return e.b.CreateAnd(x, truth_table(e, rest, high));
    if (high == half_all) return e.b.CreateOr(x, truth_table(e, rest, low));
    Value* not_x = e.b.CreateNot(x);
    if (high == 0) return e.b.CreateAnd(not_x, truth_table(e, rest, low));
    if (low == half_all) return e.b.CreateOr(not_x, truth_table(e, rest, high));
    Value* where_set = e.b.CreateAnd(x, truth_table(e, rest, high));
    Value* where_clear = e.b.CreateAnd(not_x, truth_table(e, rest, low));
    return e.b.CreateOr(where_set, where_clear);
}

Result<Values> emit_lop3(Emitter& e, const Details& inst, Operands v) {
    if (inst.operands.size() < 5 || inst.operands[4].kind != simt::Written::Kind::integer)
        return unsupported(inst, "the look-up table must be an integer constant");
    Values out{truth_table(e, v.take_front(3), static_cast<unsigned>(inst.operands[4].value & 0xff))};
    if (v.size() < 5) return out;
    Value* nonzero = e.b.CreateICmpNE(out[0], e.like(out[0], 0));
    if (inst.has(Mod::or_))
        out.push_back(e.b.CreateOr(nonzero, v[4]));
    else if (inst.has(Mod::and_))
        out.push_back(e.b.CreateAnd(nonzero, v[4]));
    else if (inst.has(Mod::xor_))
        out.push_back(e.b.CreateXor(nonzero, v[4]));
    else
        return unsupported(inst, "a predicate operand needs .or, .and or .xor");
    return out;
}

// Funnel shift of the pair {v[1]:v[0]} by v[2].
Value* funnel(Emitter& e, const Details& inst, Operands v, bool left) {
    Value* shifted = e.ternary(left ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr, v[1], v[0], v[2]);
    if (!inst.has(Mod::clamp)) return shifted;  // the intrinsic wraps
    Value* whole = e.b.CreateICmpUGE(v[2], e.like(v[2], 32));
    return e.select(whole, left ? v[0] : v[1], shifted);
}

}  // namespace

Result<Values> emit_logic(ArithContext& context, const Details& inst, Operands v) {
    Emitter e(context);
    switch (inst.op) {
        case Op::and_:
            return Values{e.b.CreateAnd(v[0], v[1])};
        case Op::or_:
            return Values{e.b.CreateOr(v[0], v[1])};
        case Op::xor_:
            return Values{e.b.CreateXor(v[0], v[1])};
        case Op::not_:
            return Values{e.b.CreateNot(v[0])};
        case Op::cnot: {
            Value* zero = e.b.CreateICmpEQ(v[0], e.like(v[0], 0));
            return Values{e.resize(zero, Emitter::width(v[0]), false)};
        }
        case Op::lop3:
            return emit_lop3(e, inst, v);
        case Op::shl:
            return Values{e.shift_left(v[0], v[1])};
        case Op::shr:
            return Values{e.shift_right(v[0], v[1], simt::is_signed(inst.type()))};
        case Op::shf:
            if (has_suffix(inst, "l")) return Values{funnel(e, inst, v, true)};
            if (has_suffix(inst, "r")) return Values{funnel(e, inst, v, false)};
            return unsupported(inst, "shf needs .l or .r");
        default:
            return unsupported(inst, "not a logic instruction");
    }
}

}  // namespace warpwright::engine::arith

// Scalar video instructions (ISA section "Scalar Video Instructions"): parts of words, widened to 33 bits with sign,
// one operation, saturation to the destination, then a merge into or a second operation with a third operand. Hopper
// has no such instructions: the driver's compiler expands them, in places differently from the ISA's text
// (docs/arithmetic.md). This file computes what its code computes, as measured over all types and destination parts.
#include "engine/codegen/arith/video.hpp"

namespace warpwright::engine::arith {

Selector selector_of(const Details& inst, unsigned operand) {
    Selector selector;
    if (operand >= inst.operands.size()) return selector;
    const std::string& text = inst.operands[operand].text;
    if (text.empty()) return selector;
    selector.bits = text[0] == 'b' ? 8 : 16;
    for (char c : text.substr(1)) selector.parts.push_back(static_cast<unsigned>(c - '0'));
    return selector;
}

Value* video_part(const Emitter& e, Value* word, unsigned bits, unsigned index, bool is_signed) {
    Value* wide = e.resize(word, 64, false);
    Value* up = e.b.CreateShl(wide, e.integer(64, 64 - bits * (index + 1)));
    Value* amount = e.integer(64, 64 - bits);
    return is_signed ? e.b.CreateAShr(up, amount) : e.b.CreateLShr(up, amount);
}

Value* video_saturate(const Emitter& e, Value* x, unsigned bits, bool is_signed) {
    const std::int64_t top = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    return e.clamp(x, is_signed ? -top - 1 : 0, top);
}

Value* video_compare(const Emitter& e, const Details& inst, Value* x, Value* y) {
    using llvm::CmpInst;
    static constexpr std::pair<Mod, CmpInst::Predicate> rows[] = {
        {Mod::eq, CmpInst::ICMP_EQ},  {Mod::ne, CmpInst::ICMP_NE},  {Mod::lt, CmpInst::ICMP_SLT},
        {Mod::le, CmpInst::ICMP_SLE}, {Mod::gt, CmpInst::ICMP_SGT}, {Mod::ge, CmpInst::ICMP_SGE},
    };
    for (const auto& [mod, predicate] : rows)
        if (inst.has(mod)) return e.resize(e.b.CreateICmp(predicate, x, y), Emitter::width(x), false);
    return nullptr;
}

Value* video_operation(const Emitter& e, const Details& inst, Value* x, Value* y) {
    switch (inst.op) {
        case Op::vadd:
        case Op::vadd2:
        case Op::vadd4:
            return e.b.CreateAdd(x, y);
        case Op::vsub:
        case Op::vsub2:
        case Op::vsub4:
            return e.b.CreateSub(x, y);
        case Op::vabsdiff:
        case Op::vabsdiff2:
        case Op::vabsdiff4: {
            Value *more = e.max(x, y, true), *less = e.min(x, y, true);
            return e.b.CreateSub(more, less);
        }
        case Op::vmin:
        case Op::vmin2:
        case Op::vmin4:
            return e.min(x, y, true);
        case Op::vmax:
        case Op::vmax2:
        case Op::vmax4:
            return e.max(x, y, true);
        case Op::vavrg2:
        case Op::vavrg4: {  // half away from zero
            Value* sum = e.b.CreateAdd(x, y);
            Value* positive = e.resize(e.b.CreateICmpSGE(sum, e.like(sum, 0)), Emitter::width(sum), false);
            return e.b.CreateAShr(e.b.CreateAdd(sum, positive), e.like(sum, 1));
        }
        case Op::vset:
        case Op::vset2:
        case Op::vset4:
            return video_compare(e, inst, x, y);
        default:
            return nullptr;
    }
}

namespace {

Value* whole_or_part(const Emitter& e, const Details& inst, unsigned operand, Value* word, bool is_signed) {
    const Selector s = selector_of(inst, operand);
    return s.parts.empty() ? video_part(e, word, 32, 0, is_signed) : video_part(e, word, s.bits, s.parts[0], is_signed);
}

Value* video_shift(const Emitter& e, const Details& inst, Value* x, Value* amount) {
    Value* limit = e.integer(64, 32);
    amount = inst.has(Mod::clamp) ? e.min(amount, limit, false) : e.b.CreateAnd(amount, e.integer(64, 31));
    return inst.op == Op::vshl ? e.b.CreateShl(x, amount) : e.b.CreateAShr(x, amount);
}

// .sat of the scalar instructions to `bits` bits. A shift keeps 34 bits with sign before it saturates. For the others,
// an unsigned word is clamped at 0 alone, and a part of a word is compared without sign, so that negative values become
// its maximum.
Value* saturated(const Emitter& e, Value* x, unsigned bits, bool is_signed, bool shift) {
    if (shift) {
        Value* amount = e.integer(64, 64 - 34);
        return video_saturate(e, e.b.CreateAShr(e.b.CreateShl(x, amount), amount), bits, is_signed);
    }
    if (bits < 32) return e.min(x, e.integer(64, (std::uint64_t{1} << (is_signed ? bits - 1 : bits)) - 1), false);
    return is_signed ? video_saturate(e, x, bits, true) : e.max(x, e.integer(64, 0), true);
}

// a * b + c in 64 bits, as in the ISA's pseudo-code: -(a*b) is ~(a*b) + 1, and .po adds one. c is sign-extended
// whatever the types, and an unsigned result is shifted without sign (both as on an H200).
Result<Values> emit_vmad(Emitter& e, const Details& inst, Operands v) {
    const bool a_signed = simt::is_signed(inst.type(1)), b_signed = simt::is_signed(inst.type(2));
    auto minus = [&](unsigned operand) { return inst.operands[operand].minus || inst.operands[operand].negated; };
    Value *a = whole_or_part(e, inst, 1, v[0], a_signed), *b = whole_or_part(e, inst, 2, v[1], b_signed);
    Value* product = e.b.CreateMul(a, b);
    const bool negate_product = minus(1) != minus(2), negate_c = minus(3);
    const bool is_signed = a_signed || b_signed || negate_product || negate_c;
    Value* c = e.resize(v[2], 64, true);
    unsigned one = 0;
    if (inst.has(Mod::po))
        one = 1;
    else if (negate_product)
        product = e.b.CreateNot(product), one = 1;
    else if (negate_c)
        c = e.b.CreateNot(c), one = 1;
    Value* sum = e.b.CreateAdd(e.b.CreateAdd(product, c), e.integer(64, one));
    const unsigned shift = has_suffix(inst, "shr7") ? 7 : has_suffix(inst, "shr15") ? 15 : 0;
    Value* amount = e.integer(64, shift);
    sum = is_signed ? e.b.CreateAShr(sum, amount) : e.b.CreateLShr(sum, amount);
    if (inst.arithmetic.saturate) sum = video_saturate(e, sum, 32, is_signed);
    return Values{e.resize(sum, 32, false)};
}

}  // namespace

Result<Values> emit_video(ArithContext& context, const Details& inst, Operands v) {
    Emitter e(context);
    if (inst.op == Op::vmad) return emit_vmad(e, inst, v);
    const bool is_set = inst.op == Op::vset;  // vset has no destination type: unsigned
    const bool d_signed = !is_set && simt::is_signed(inst.type(0));
    const simt::Type a_type = inst.type(is_set ? 0 : 1), b_type = inst.type(is_set ? 1 : 2);
    Value* a = whole_or_part(e, inst, 1, v[0], simt::is_signed(a_type));
    Value* b = whole_or_part(e, inst, 2, v[1], simt::is_signed(b_type));
    const bool shift = inst.op == Op::vshl || inst.op == Op::vshr;
    Value* result = shift ? video_shift(e, inst, a, b) : video_operation(e, inst, a, b);
    if (!result) return unsupported(inst, "no such video operation");
    const Selector into = selector_of(inst, 0);
    const unsigned bits = into.parts.empty() ? 32 : into.bits;
    const bool sat = inst.arithmetic.saturate;
    if (sat) result = saturated(e, result, shift ? 32 : bits, d_signed, shift);
    if (v.size() < 3) return Values{e.resize(result, 32, false)};
    if (!into.parts.empty()) {  // into a part of c; the upper half is filled from the result's own upper half
        if (bits == 16 && into.parts[0] == 1) result = e.b.CreateLShr(result, e.integer(64, 16));
        result = e.resize(result, 32, false);
        const unsigned at = into.parts[0] * bits;
        const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << at;
        Value* placed = e.b.CreateAnd(e.b.CreateShl(result, e.integer(32, at)), e.integer(32, mask));
        return Values{e.b.CreateOr(placed, e.b.CreateAnd(v[2], e.integer(32, ~mask & 0xffffffffu)))};
    }
    if (inst.has(Mod::add)) return Values{e.b.CreateAdd(e.resize(result, 32, false), v[2])};
    // min and max compare with more than 32 bits: c is extended as the destination's type, sums, differences and
    // saturated shifts are sign-extended from 32 bits, anything else is unchanged.
    if (inst.op == Op::vadd || inst.op == Op::vsub || (shift && sat))
        result = e.resize(e.resize(result, 32, false), 64, true);
    Value* c = e.resize(v[2], 64, d_signed);
    if (inst.has(Mod::min)) return Values{e.resize(e.min(result, c, d_signed), 32, false)};
    if (inst.has(Mod::max)) return Values{e.resize(e.max(result, c, d_signed), 32, false)};
    return unsupported(inst, "a third operand needs a second operation or a destination part");
}

}  // namespace warpwright::engine::arith

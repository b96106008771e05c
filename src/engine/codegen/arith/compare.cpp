// Comparisons and selections: set setp selp slct testp.
#include <optional>

#include "engine/codegen/arith/numeric.hpp"

namespace warpwright::engine::arith {
namespace {

using Predicate = llvm::CmpInst::Predicate;
using llvm::CmpInst;

struct Row {
    Mod mod;
    std::optional<Predicate> integer_signed, integer_unsigned, real;
};
// lo, ls, hi, hs are other names of the unsigned integer comparisons; bit types compare with eq and ne only.
const Row rows[] = {
    {Mod::eq, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ, CmpInst::FCMP_OEQ},
    {Mod::ne, CmpInst::ICMP_NE, CmpInst::ICMP_NE, CmpInst::FCMP_ONE},
    {Mod::lt, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT, CmpInst::FCMP_OLT},
    {Mod::le, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE, CmpInst::FCMP_OLE},
    {Mod::gt, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT, CmpInst::FCMP_OGT},
    {Mod::ge, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE, CmpInst::FCMP_OGE},
    {Mod::lo, std::nullopt, CmpInst::ICMP_ULT, std::nullopt},
    {Mod::ls, std::nullopt, CmpInst::ICMP_ULE, std::nullopt},
    {Mod::hi, std::nullopt, CmpInst::ICMP_UGT, std::nullopt},
    {Mod::hs, std::nullopt, CmpInst::ICMP_UGE, std::nullopt},
    {Mod::equ, std::nullopt, std::nullopt, CmpInst::FCMP_UEQ},
    {Mod::neu, std::nullopt, std::nullopt, CmpInst::FCMP_UNE},
    {Mod::ltu, std::nullopt, std::nullopt, CmpInst::FCMP_ULT},
    {Mod::leu, std::nullopt, std::nullopt, CmpInst::FCMP_ULE},
    {Mod::gtu, std::nullopt, std::nullopt, CmpInst::FCMP_UGT},
    {Mod::geu, std::nullopt, std::nullopt, CmpInst::FCMP_UGE},
    {Mod::num, std::nullopt, std::nullopt, CmpInst::FCMP_ORD},
    {Mod::nan, std::nullopt, std::nullopt, CmpInst::FCMP_UNO},
};

// x cmp y as i1, for values of the scalar type `type` (halves: one element a value); null when there is no such
// comparison.
Value* compare(const Emitter& e, const Details& inst, Value* x, Value* y, simt::Type type) {
    const Row* row = nullptr;
    for (const Row& candidate : rows)
        if (inst.has(candidate.mod)) {
            row = &candidate;
            break;
        }
    if (!row) return nullptr;
    if (!simt::is_float(type)) {
        const auto& predicate = simt::is_signed(type) ? row->integer_signed : row->integer_unsigned;
        return predicate ? e.b.CreateICmp(*predicate, x, y) : nullptr;
    }
    if (!row->real) return nullptr;
    if (inst.arithmetic.flush && is_f32(type)) x = flush_f32(e, x), y = flush_f32(e, y);
    if (is_half(type)) {
        if (inst.arithmetic.flush && !is_bf16(type)) x = flush_f16(e, x), y = flush_f16(e, y);
        x = half_to_f32(e, x, type), y = half_to_f32(e, y, type);
    }
    return e.b.CreateFCmp(*row->real, x, y);
}

Value* combine(const Emitter& e, const Details& inst, Value* p, Value* with) {
    if (inst.has(Mod::and_)) return e.b.CreateAnd(p, with);
    if (inst.has(Mod::or_)) return e.b.CreateOr(p, with);
    if (inst.has(Mod::xor_)) return e.b.CreateXor(p, with);
    return nullptr;
}

// Element `part` of each pair of i1 values.
Value* every_second(const Emitter& pairs, Value* v, unsigned part, bool scalar) {
    if (scalar) return pairs.b.CreateExtractElement(v, part);
    llvm::SmallVector<int, 64> order;
    for (unsigned i = part; i < pairs.lanes; i += 2) order.push_back(static_cast<int>(i));
    return pairs.b.CreateShuffleVector(v, order);
}

Result<Values> emit_setp(ArithContext& context, const Details& inst, Operands v) {
    Emitter e(context);
    const simt::Type type = inst.type();
    const bool two = !inst.operands.empty() && inst.operands[0].kind == simt::Written::Kind::pair;
    Values out;
    if (is_packed16(type)) {  // p and q are the two halves' results
        const Emitter halves = e.split(2);
        Value *x = halves.cast(v[0], halves.int_type(16)), *y = halves.cast(v[1], halves.int_type(16));
        Value* p = compare(halves, inst, x, y, type);
        if (!p) return unsupported(inst, "no such comparison for this type");
        for (unsigned i = 0; i < (two ? 2u : 1u); ++i) out.push_back(every_second(halves, p, i, !e.lanes));
    } else {
        Value* p = compare(e, inst, v[0], v[1], type);
        if (!p) return unsupported(inst, "no such comparison for this type");
        out.push_back(p);
        if (two) out.push_back(e.b.CreateNot(p));
    }
    if (v.size() > 2)
        for (Value*& p : out) {
            p = combine(e, inst, p, v[2]);
            if (!p) return unsupported(inst, "a predicate operand needs .and, .or or .xor");
        }
    return out;
}

Result<Values> emit_set(ArithContext& context, const Details& inst, Operands v) {
    Emitter outer(context);
    const simt::Type to = inst.type(0), from = inst.type(1);
    const bool pairs = is_packed16(from);
    const Emitter e = pairs ? outer.split(2) : outer;
    auto part = [&](Value* x) { return pairs ? e.cast(x, e.int_type(16)) : x; };
    Value *x = part(v[0]), *y = part(v[1]);
    Value* p = compare(e, inst, x, y, from);
    if (p && v.size() > 2) {
        Value* with = v[2];
        if (pairs) {  // one predicate for both halves
            llvm::SmallVector<int, 128> order;
            for (unsigned i = 0; i < e.lanes; ++i) order.push_back(static_cast<int>(i / 2));
            if (!outer.lanes) with = e.b.CreateVectorSplat(1, with);
            with = e.b.CreateShuffleVector(with, order);
        }
        p = combine(e, inst, p, with);
    }
    if (!p) return unsupported(inst, "no such comparison for this type");
    Value* result;
    if (is_f32(to))
        result = e.select(p, e.real(1.0), e.real(0.0));
    else if (is_half(to))
        result = e.select(p, e.integer(16, is_bf16(to) ? 0x3f80 : 0x3c00), e.integer(16, 0));
    else
        result = e.b.CreateSExt(p, e.int_type(pairs ? 16 : simt::bits(to)));
    return Values{pairs ? outer.cast(result, outer.int_type(32)) : result};
}

Value* testp(const Emitter& e, const Details& inst, Value* x) {
    Value* bits = e.bits(x);
    const bool wide = Emitter::width(x) == 64;
    Value* infinity = e.like(bits, wide ? 0x7ff0000000000000u : 0x7f800000u);
    Value* smallest = e.like(bits, wide ? 0x0010000000000000u : 0x00800000u);  // normal
    Value* magnitude = e.b.CreateAnd(bits, e.like(bits, wide ? 0x7fffffffffffffffu : 0x7fffffffu));
    Value* zero = e.b.CreateICmpEQ(magnitude, e.like(bits, 0));
    Value* finite = e.b.CreateICmpULT(magnitude, infinity);
    Value* below = e.b.CreateICmpULT(magnitude, smallest);
    if (inst.has(Mod::finite)) return finite;
    if (inst.has(Mod::infinite)) return e.b.CreateICmpEQ(magnitude, infinity);
    if (inst.has(Mod::number)) return e.b.CreateICmpULE(magnitude, infinity);
    if (inst.has(Mod::notanumber)) return e.b.CreateICmpUGT(magnitude, infinity);
    // Zeros count as normal (ISA "testp").
    if (inst.has(Mod::normal)) return e.b.CreateAnd(finite, e.b.CreateOr(e.b.CreateNot(below), zero));
    if (inst.has(Mod::subnormal)) return e.b.CreateAnd(below, e.b.CreateNot(zero));
    return nullptr;
}

}  // namespace

Result<Values> emit_compare(ArithContext& context, const Details& inst, Operands v) {
    Emitter e(context);
    switch (inst.op) {
        case Op::set:
            return emit_set(context, inst, v);
        case Op::setp:
            return emit_setp(context, inst, v);
        case Op::selp:
            return Values{e.select(v[2], v[0], v[1])};
        case Op::slct: {
            Value* c = v[2];
            if (!is_f32(inst.type(1))) return Values{e.select(e.b.CreateICmpSGE(c, e.like(c, 0)), v[0], v[1])};
            if (inst.arithmetic.flush) c = flush_f32(e, c);
            return Values{e.select(e.b.CreateFCmpOGE(c, e.real(0.0)), v[0], v[1])};  // -0 counts, NaN does not
        }
        case Op::testp: {
            Value* p = testp(e, inst, v[0]);
            return p ? Result<Values>(Values{p}) : Result<Values>(unsupported(inst, "no such test"));
        }
        default:
            return unsupported(inst, "not a comparison");
    }
}

}  // namespace warpwright::engine::arith

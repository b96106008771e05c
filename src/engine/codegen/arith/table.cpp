// Which family emits which opcode. The types of its operands stand in its row of ptx/opcodes.inc.
#include "engine/codegen/arith/emit.hpp"

namespace warpwright::engine {

using namespace arith;

namespace {

bool carries_out(const Details& inst) { return inst.has(Mod::cc); }
bool carries_in(const Details& inst) { return simt::facts(inst.op).family == simt::Family::carry; }

Family arithmetic_by_type(const Details& inst, Family integer) {
    const simt::Type type = inst.type();
    if (is_half(type)) return emit_half;
    return simt::is_float(type) ? emit_float : integer;
}

// The family that the table of opcodes names; nullptr: this is no data instruction.
// clang-format off
Family family_of(const Details& inst) {
    switch (simt::facts(inst.op).family) {
        case simt::Family::none: return nullptr;
        case simt::Family::add_or_carry: return carries_out(inst) ? emit_carry : arithmetic_by_type(inst, emit_integer);
        case simt::Family::by_type: return arithmetic_by_type(inst, emit_integer);
        case simt::Family::floating: return arithmetic_by_type(inst, nullptr);
        case simt::Family::divide: return arithmetic_by_type(inst, emit_integer_div);
        case simt::Family::integer: return emit_integer;
        case simt::Family::carry: return emit_carry;
        case simt::Family::special: return emit_special;
        case simt::Family::logic: return emit_logic;
        case simt::Family::bits: return emit_bits;
        case simt::Family::dot: return emit_dot;
        case simt::Family::compare: return emit_compare;
        case simt::Family::convert: return emit_convert;
        case simt::Family::convert_pack: return emit_convert_pack;
        case simt::Family::video: return emit_video;
        case simt::Family::video_simd: return emit_video_simd;
    }
    return nullptr;
}
// clang-format on

bool has_pair_result(const Details& inst) {
    return !inst.operands.empty() && inst.operands[0].kind == simt::Written::Kind::pair;
}

llvm::Type* travel_type(simt::Type type, llvm::LLVMContext& context) {
    if (type == simt::Type::f32) return llvm::Type::getFloatTy(context);
    if (type == simt::Type::f64) return llvm::Type::getDoubleTy(context);
    return llvm::Type::getIntNTy(context, simt::bits(type));
}

}  // namespace

bool is_arith(const Details& inst) { return family_of(inst) != nullptr; }

unsigned source_count(const Details& inst) {
    const auto written = static_cast<unsigned>(inst.operands.size()) - 1;
    return written + (carries_in(inst) ? 1 : 0);
}

unsigned result_count(const Details& inst) { return (has_pair_result(inst) ? 2 : 1) + (carries_out(inst) ? 1 : 0); }

llvm::Type* operand_type(const Details& inst, unsigned source_index, llvm::LLVMContext& context) {
    if (carries_in(inst) && source_index + 1 == source_count(inst)) return llvm::Type::getInt1Ty(context);
    return travel_type(simt::operand_type(inst, 1 + source_index), context);
}

llvm::Type* result_type(const Details& inst, unsigned dest_index, llvm::LLVMContext& context) {
    if (dest_index > 0) return llvm::Type::getInt1Ty(context);  // q, p of lop3, or the carry
    return travel_type(simt::operand_type(inst, 0), context);
}

Result<llvm::SmallVector<llvm::Value*, 2>> emit_arith(ArithContext& context, const Details& inst,
                                                      llvm::ArrayRef<llvm::Value*> operands) {
    const Family family = family_of(inst);
    if (!family) return unsupported(inst, "not a data instruction of this type");
    return family(context, inst, operands);
}

bool result_needs_canonical_nan(const Details& inst) {
    if (simt::operand_type(inst, 0) != simt::Type::f32 || inst.arithmetic.saturate) return false;
    if (inst.op == Op::cvt) {
        // f64 NaNs keep the top of their payload; bf16 and f32 ones stay unchanged unless arithmetic is done.
        if (inst.type(1) == simt::Type::f16) return true;
        if (inst.type(1) == simt::Type::bf16) return inst.arithmetic.flush;
        return is_f32(inst.type(1)) && !inst.mods.empty();
    }
    const auto& facts = simt::facts(inst.op);  // what counts as an operation, and abs, neg, min and max
    return facts.flops > 0 || facts.family == simt::Family::by_type;
}

bool passes_on_nan_bits(const Details& inst) {
    if (inst.op == Op::copysign) return true;
    if (inst.op == Op::min || inst.op == Op::max) return inst.has(Mod::xorsign);
    if (inst.op != Op::cvt || !is_f32(inst.type(1))) return false;
    return inst.type(0) == simt::Type::f64 || inst.type(0) == simt::Type::tf32 ||
           (is_f32(inst.type(0)) && !result_needs_canonical_nan(inst));
}

llvm::Value* canonical_nan(ArithContext& context, llvm::Value* value, simt::Type type) {
    Emitter e(context);
    if (is_f32(type)) return e.select(e.is_nan(value), e.as_f32(e.integer(32, 0x7fffffff)), value);
    if (type == simt::Type::f16 || type == simt::Type::bf16) {
        Value* magnitude = e.b.CreateAnd(value, e.like(value, 0x7fff));
        Value* nan = e.b.CreateICmpUGT(magnitude, e.like(value, is_bf16(type) ? 0x7f80 : 0x7c00));
        return e.select(nan, e.like(value, 0x7fff), value);
    }
    return value;
}

}  // namespace warpwright::engine

// Which family emits which opcode, and the types in which its operands travel.
#include "engine/codegen/arith/emit.hpp"

namespace warpwright::engine {

using namespace arith;

namespace {

// mov between registers of one width, or from an immediate. Packing, special registers and addresses are not data
// instructions: other emitters handle them.
bool is_plain_move(const Instruction& inst) {
    using Kind = ptx::Operand::Kind;
    if (inst.op != Op::mov || inst.operands.size() != 2 || inst.operands[0].kind != Kind::reg) return false;
    const Kind source = inst.operands[1].kind;
    return source == Kind::reg || source == Kind::integer || source == Kind::real;
}
Result<Values> emit_move(ArithContext&, const Instruction&, Operands v) { return Values{v[0]}; }

bool carries_out(const Instruction& inst) { return inst.has(Mod::cc); }
bool carries_in(const Instruction& inst) { return ptx::facts(inst.op).family == ptx::Family::carry; }

Family arithmetic_by_type(const Instruction& inst, Family integer) {
    const ptx::Type type = inst.type();
    if (is_half(type)) return emit_half;
    return ptx::is_float(type) ? emit_float : integer;
}

// The family that the table of opcodes names; nullptr: this is no data instruction.
// clang-format off
Family family_of(const Instruction& inst) {
    switch (ptx::facts(inst.op).family) {
        case ptx::Family::none: return is_plain_move(inst) ? emit_move : nullptr;
        case ptx::Family::add_or_carry: return carries_out(inst) ? emit_carry : arithmetic_by_type(inst, emit_integer);
        case ptx::Family::by_type: return arithmetic_by_type(inst, emit_integer);
        case ptx::Family::floating: return arithmetic_by_type(inst, nullptr);
        case ptx::Family::divide: return arithmetic_by_type(inst, emit_integer_div);
        case ptx::Family::integer: return emit_integer;
        case ptx::Family::carry: return emit_carry;
        case ptx::Family::special: return emit_special;
        case ptx::Family::logic: return emit_logic;
        case ptx::Family::bits: return emit_bits;
        case ptx::Family::dot: return emit_dot;
        case ptx::Family::compare: return emit_compare;
        case ptx::Family::convert: return emit_convert;
        case ptx::Family::convert_pack: return emit_convert_pack;
        case ptx::Family::video: return emit_video;
        case ptx::Family::video_simd: return emit_video_simd;
    }
    return nullptr;
}
// clang-format on

bool has_pair_result(const Instruction& inst) {
    return !inst.operands.empty() && inst.operands[0].kind == ptx::Operand::Kind::pair;
}

// Every video instruction works on 32-bit words.
bool is_video(Op op) {
    const auto family = ptx::facts(op).family;
    return family == ptx::Family::video || family == ptx::Family::video_simd;
}

// clang-format off
ptx::Type source_type(const Instruction& inst, unsigned i) {
    using T = ptx::Type;
    const T type = inst.type();
    if (is_video(inst.op)) return T::u32;
    switch (inst.op) {
        case Op::shl: case Op::shr: case Op::szext: return i == 1 ? T::u32 : type;
        case Op::shf: case Op::prmt: case Op::bmsk: case Op::fns: case Op::dp4a: case Op::dp2a: return T::u32;
        case Op::bfe: return i >= 1 ? T::u32 : type;
        case Op::bfi: return i >= 2 ? T::u32 : type;
        case Op::lop3: return i == 4 ? T::pred : T::b32;
        case Op::set: return i == 2 ? T::pred : inst.type(1);
        case Op::setp: return i == 2 ? T::pred : type;
        case Op::selp: return i == 2 ? T::pred : type;
        case Op::slct: return i == 2 ? inst.type(1) : type;
        case Op::cvt: return i == 2 ? T::u32 : inst.type(1);
        case Op::cvt_pack: return T::u32;
        case Op::mad: case Op::mad24:
            if (i == 2 && inst.has(Mod::wide)) return ptx::bits(type) == 16 ? T::u32 : T::u64;
            return type;
        case Op::add: case Op::sub: return inst.types.size() == 2 && i == 0 ? inst.type(1) : type;
        case Op::fma: return inst.types.size() == 2 && i < 2 ? inst.type(1) : type;
        default: return type;
    }
}

ptx::Type value_result_type(const Instruction& inst) {
    using T = ptx::Type;
    const T type = inst.type();
    if (is_video(inst.op)) return T::u32;
    switch (inst.op) {
        case Op::mul: case Op::mad:
            return inst.has(Mod::wide) ? (ptx::bits(type) == 16 ? T::u32 : T::u64) : type;
        case Op::popc: case Op::clz: case Op::bfind: case Op::dp4a: case Op::dp2a: case Op::cvt_pack: case Op::fns:
        case Op::bmsk: return T::u32;
        case Op::setp: case Op::testp: return T::pred;
        default: return type;
    }
}
// clang-format on

llvm::Type* travel_type(ptx::Type type, llvm::LLVMContext& context) {
    if (type == ptx::Type::f32) return llvm::Type::getFloatTy(context);
    if (type == ptx::Type::f64) return llvm::Type::getDoubleTy(context);
    return llvm::Type::getIntNTy(context, ptx::bits(type));
}

}  // namespace

bool is_arith(const Instruction& inst) { return family_of(inst) != nullptr; }

unsigned source_count(const Instruction& inst) {
    const auto written = static_cast<unsigned>(inst.operands.size()) - 1;
    return written + (carries_in(inst) ? 1 : 0);
}

unsigned result_count(const Instruction& inst) { return (has_pair_result(inst) ? 2 : 1) + (carries_out(inst) ? 1 : 0); }

llvm::Type* operand_type(const Instruction& inst, unsigned source_index, llvm::LLVMContext& context) {
    if (carries_in(inst) && source_index + 1 == source_count(inst)) return llvm::Type::getInt1Ty(context);
    return travel_type(source_type(inst, source_index), context);
}

llvm::Type* result_type(const Instruction& inst, unsigned dest_index, llvm::LLVMContext& context) {
    if (dest_index > 0) return llvm::Type::getInt1Ty(context);  // q, p of lop3, or the carry
    return travel_type(value_result_type(inst), context);
}

Result<llvm::SmallVector<llvm::Value*, 2>> emit_arith(ArithContext& context, const Instruction& inst,
                                                      llvm::ArrayRef<llvm::Value*> operands) {
    const Family family = family_of(inst);
    if (!family) return unsupported(inst, "not a data instruction of this type");
    return family(context, inst, operands);
}

bool result_needs_canonical_nan(const Instruction& inst) {
    if (value_result_type(inst) != ptx::Type::f32 || inst.has(Mod::sat)) return false;
    if (inst.op == Op::cvt) {
        // f64 NaNs keep the top of their payload; bf16 and f32 ones stay unchanged unless arithmetic is done.
        if (inst.type(1) == ptx::Type::f16) return true;
        if (inst.type(1) == ptx::Type::bf16) return inst.has(Mod::ftz);
        return is_f32(inst.type(1)) && !inst.mods.empty();
    }
    const auto& facts = ptx::facts(inst.op);  // what counts as an operation, and abs, neg, min and max
    return facts.flops > 0 || facts.family == ptx::Family::by_type;
}

llvm::Value* canonical_nan(ArithContext& context, llvm::Value* value, ptx::Type type) {
    Emitter e(context);
    if (is_f32(type)) return e.select(e.is_nan(value), e.as_f32(e.integer(32, 0x7fffffff)), value);
    if (type == ptx::Type::f16 || type == ptx::Type::bf16) {
        Value* magnitude = e.b.CreateAnd(value, e.like(value, 0x7fff));
        Value* nan = e.b.CreateICmpUGT(magnitude, e.like(value, is_bf16(type) ? 0x7f80 : 0x7c00));
        return e.select(nan, e.like(value, 0x7fff), value);
    }
    return value;
}

}  // namespace warpwright::engine

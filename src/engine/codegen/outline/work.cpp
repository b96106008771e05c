// A shift or a division by a constant has better code than one by a number that is not known, so that it gets a
// function of its own; there are few of these.
#include "engine/codegen/outline/work.hpp"

#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace warpwright::engine::codegen {

namespace {

using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;

bool has_vectors(const Instruction& i) {
    if (i.getType()->isVectorTy()) return true;
    return std::any_of(i.op_begin(), i.op_end(), [](const llvm::Use& o) { return o->getType()->isVectorTy(); });
}

bool is_known_call(const llvm::IntrinsicInst& call) {
    switch (call.getIntrinsicID()) {
        case llvm::Intrinsic::memset:
        case llvm::Intrinsic::memcpy:
        case llvm::Intrinsic::memmove:
        case llvm::Intrinsic::sadd_with_overflow:
        case llvm::Intrinsic::uadd_with_overflow:
        case llvm::Intrinsic::ssub_with_overflow:
        case llvm::Intrinsic::usub_with_overflow:
        case llvm::Intrinsic::smul_with_overflow:
        case llvm::Intrinsic::umul_with_overflow:
            return true;
        default:
            return false;
    }
}

/// Whether the instruction is on scalars, and fast selection knows them and not it.
bool is_dear_scalar(const Instruction& i) {
    const auto simple = [](const llvm::Use& o) { return is_simple(o->getType()); };
    if (!is_simple(i.getType()) || !std::all_of(i.op_begin(), i.op_end(), simple)) return false;
    if (const auto* call = dyn_cast<llvm::IntrinsicInst>(&i))
        return !is_known_call(*call) && !call->mayHaveSideEffects();
    switch (i.getOpcode()) {
        case Instruction::FRem:
        case Instruction::FPToUI:
        case Instruction::UIToFP:
            return true;
        case Instruction::Select:
            return i.getType()->isIntegerTy(1);
        default:
            return false;
    }
}

}  // namespace

bool is_simple(const llvm::Type* type) {
    if (const auto* integer = dyn_cast<llvm::IntegerType>(type)) {
        const auto bits = integer->getBitWidth();
        return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
    }
    return type->isFloatTy() || type->isDoubleTy() || type->isPointerTy();
}

bool is_outlined(const Instruction& i) {
    if (isa<llvm::PHINode>(i) || i.isTerminator() || isa<llvm::AllocaInst>(i)) return false;
    return has_vectors(i) || is_dear_scalar(i);
}

bool is_free(const Instruction& i) {
    return splat_scalar(&i) || (isa<llvm::BitCastInst>(i) && i.getType()->isVectorTy());
}

bool may_be_outlined(const llvm::Function& function) {
    for (const auto& block : function)
        for (const auto& i : block) {
            if (i.getType()->isStructTy() && !isa<llvm::CallBase>(i)) return false;
            if (!has_vectors(i)) continue;
            if (std::any_of(i.op_begin(), i.op_end(), [](const llvm::Use& o) { return o->getType()->isMetadataTy(); }))
                return false;
            if (i.isTerminator() || i.isAtomic() || isa<llvm::ScalableVectorType>(i.getType())) return false;
            if (isa<llvm::CallBase>(i) && !isa<llvm::IntrinsicInst>(i)) return false;
        }
    return true;
}

llvm::Value* splat_scalar(const llvm::Value* v) {
    const auto* shuffle = dyn_cast<llvm::ShuffleVectorInst>(v);
    if (!shuffle || !shuffle->isZeroEltSplat()) return nullptr;
    const auto* insert = dyn_cast<llvm::InsertElementInst>(shuffle->getOperand(0));
    if (!insert) return nullptr;
    const auto* at = dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
    return at && at->isZero() ? insert->getOperand(1) : nullptr;
}

llvm::Constant* passed_number(const llvm::Constant& c, const Instruction& user) {
    if (!c.getType()->isVectorTy()) return nullptr;
    auto* number = c.getSplatValue();
    if (!number || !is_simple(number->getType()) || number->getType()->isIntegerTy(1)) return nullptr;
    if (isa<llvm::UndefValue>(number) || number->isNullValue() || number->isAllOnesValue() || number->isOneValue())
        return nullptr;
    switch (user.getOpcode()) {
        case Instruction::Add:
        case Instruction::Sub:
        case Instruction::Mul:
        case Instruction::And:
        case Instruction::Or:
        case Instruction::Xor:
        case Instruction::ICmp:
        case Instruction::FAdd:
        case Instruction::FSub:
        case Instruction::FMul:
        case Instruction::Store:
        case Instruction::Select:
            return number;
        case Instruction::Call: {
            const auto* call = dyn_cast<llvm::IntrinsicInst>(&user);
            return call && call->getIntrinsicID() == llvm::Intrinsic::fma ? number : nullptr;
        }
        default:
            return nullptr;
    }
}

}  // namespace warpwright::engine::codegen

// Shifts get PTX's result for amounts of the width and above, for which LLVM has none. Calls of C++ functions pass all
// lanes at once, through memory.
#include "engine/codegen/arith/emit.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include "engine/codegen/runtime_types.hpp"

namespace warpwright::engine::arith {

llvm::Type* Emitter::shaped(llvm::Type* scalar) const {
    return lanes ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(scalar, lanes)) : scalar;
}

Value* Emitter::integer(unsigned bits, std::uint64_t value) const {
    const llvm::APInt wide(64, value);
    return llvm::ConstantInt::get(int_type(bits), bits <= 64 ? wide.trunc(bits) : wide.zext(bits));
}
Value* Emitter::real(double value) const { return llvm::ConstantFP::get(f32(), value); }
Value* Emitter::real64(double value) const { return llvm::ConstantFP::get(f64(), value); }
Value* Emitter::like(Value* value, std::uint64_t constant) const { return integer(width(value), constant); }

Value* Emitter::resize(Value* value, unsigned bits, bool is_signed) const {
    return is_signed ? b.CreateSExtOrTrunc(value, int_type(bits)) : b.CreateZExtOrTrunc(value, int_type(bits));
}
Value* Emitter::min(Value* x, Value* y, bool is_signed) const {
    return binary(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, x, y);
}
Value* Emitter::max(Value* x, Value* y, bool is_signed) const {
    return binary(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, x, y);
}
Value* Emitter::clamp(Value* x, std::int64_t low, std::int64_t high) const {
    return min(max(x, like(x, static_cast<std::uint64_t>(low)), true), like(x, static_cast<std::uint64_t>(high)), true);
}

Value* Emitter::shift_left(Value* value, Value* amount) const {
    const unsigned w = width(value);
    Value* in_range = b.CreateICmpULT(amount, like(amount, w));
    return select(in_range, b.CreateShl(value, resize(amount, w, false)), like(value, 0));
}
Value* Emitter::shift_right(Value* value, Value* amount, bool is_signed) const {
    const unsigned w = width(value);
    if (is_signed) return b.CreateAShr(value, resize(min(amount, like(amount, w - 1), false), w, false));
    Value* in_range = b.CreateICmpULT(amount, like(amount, w));
    return select(in_range, b.CreateLShr(value, resize(amount, w, false)), like(value, 0));
}

Value* Emitter::call_lanes(const RuntimeFunction& callee, Operands operands, HostType result,
                           std::optional<Rounding> mode) const {
    llvm::IRBuilder<> entry(&function->getEntryBlock(), function->getEntryBlock().begin());
    llvm::SmallVector<Value*, 6> arguments;
    for (Value* operand : operands) {
        Value* slot = entry.CreateAlloca(operand->getType());
        b.CreateStore(operand, slot);
        arguments.push_back(slot);
    }
    llvm::Type* type = shaped(host_llvm_type(result, b.getContext()));
    Value* out = entry.CreateAlloca(type);
    arguments.push_back(out);
    arguments.push_back(b.getInt32(lanes ? lanes : 1));
    if (mode) arguments.push_back(b.getInt32(static_cast<unsigned>(*mode)));
    auto declared = declare_runtime_function(*function->getParent(), callee);
    auto* target = llvm::cast<llvm::Function>(declared.getCallee());
    target->setDoesNotThrow();
    target->setOnlyAccessesArgMemory();
    target->addFnAttr(llvm::Attribute::WillReturn);
    b.CreateCall(declared, arguments);
    return b.CreateLoad(type, out);
}

Error unsupported(const Details& inst, const std::string& why) {
    Error error;
    error.kind = ErrorKind::input;
    error.what = "unsupported instruction form " + inst.spelling() + ": " + why;
    error.where.line = inst.line;
    error.where.column = inst.column;
    return error;
}

bool has_suffix(const Details& inst, std::string_view text) {
    for (Mod mod : inst.mods)
        if (simt::spelling(mod) == text) return true;
    return false;
}

}  // namespace warpwright::engine::arith

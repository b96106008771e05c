// The shapes of all values are analysed on construction, because every emitter asks for them. The buffers in which
// lanes go to the runtime are allocated at the entry and grow to the largest size that any call needs.
#include "engine/codegen/function_state.hpp"

#include <llvm/IR/MDBuilder.h>

namespace warpwright::engine::codegen {

FunctionState::FunctionState(llvm::Module& to, const simt::Function& from, const CodegenOptions& how,
                             KernelLayout& told)
    : context(to.getContext()),
      module(to),
      b(context),
      ir(from),
      options(how),
      layout(told),
      shapes(simt::analyse(from, how.block, how.affine_off)),
      lanes(how.block.lanes),
      mask_type(llvm::IntegerType::get(context, how.block.lanes)) {}

llvm::MDNode* FunctionState::weights(bool first_likely) {
    llvm::MDBuilder m(context);
    return first_likely ? m.createBranchWeights(2000, 1) : m.createBranchWeights(1, 2000);
}

V FunctionState::buffer(unsigned which, std::uint64_t bytes) {
    auto& slot = buffers[which];
    if (!slot) {
        llvm::IRBuilder<> start(flow.entry, flow.entry->begin());
        slot = start.CreateAlloca(start.getInt8Ty(), start.getInt64(bytes));
        slot->setAlignment(llvm::Align(64));
    } else if (llvm::cast<llvm::ConstantInt>(slot->getArraySize())->getZExtValue() < bytes) {
        slot->setOperand(0, llvm::ConstantInt::get(b.getInt64Ty(), bytes));
    }
    return slot;
}

Error FunctionState::unsupported(const simt::Inst& i, const std::string& why) const {
    Location where{ir.module->name, i.ptx ? i.ptx->line : 0, i.ptx ? i.ptx->column : 0};
    return Error{ErrorKind::input, (i.ptx ? i.ptx->spelling() : std::string("instruction")) + ": " + why, where, ""};
}

Error FunctionState::located(Error e, const simt::Inst& i) const {
    if (e.where.file.empty()) e.where = {ir.module->name, i.ptx->line, i.ptx->column};
    return e;
}

}  // namespace warpwright::engine::codegen

// Both ways are blocks that meet in a phi, and the weights of the branch tell LLVM which is usual. Several vectors
// travel as one struct, because a phi merges one value.
#include "engine/codegen/two_ways.hpp"

#include "engine/codegen/jit.hpp"

namespace warpwright::engine::codegen {

V in_two_ways(FunctionState& fn, V condition, const std::function<V()>& hot, const std::function<V()>& cold) {
    auto yes = fn.new_block("hot"), no = fn.new_block("cold"), join = fn.new_block("join");
    fn.b.CreateCondBr(condition, yes, no, fn.weights(true));
    fn.b.SetInsertPoint(yes);
    V x = hot();
    auto from_yes = fn.b.GetInsertBlock();
    fn.b.CreateBr(join);
    fn.b.SetInsertPoint(no);
    V y = cold();
    auto from_no = fn.b.GetInsertBlock();
    fn.b.CreateBr(join);
    fn.b.SetInsertPoint(join);
    if (!x) return nullptr;
    auto phi = fn.b.CreatePHI(x->getType(), 2);
    phi->addIncoming(x, from_yes);
    phi->addIncoming(y, from_no);
    return phi;
}

void begin_versions(llvm::IRBuilder<>& b, llvm::BasicBlock* best, llvm::BasicBlock* quick) {
    b.CreateCondBr(b.getTrue(), best, quick)->setMetadata(kVersionsMark, llvm::MDNode::get(b.getContext(), {}));
}

void add_versions_size(llvm::Module& module, std::uint64_t size) {
    const auto* before = llvm::mdconst::extract_or_null<llvm::ConstantInt>(module.getModuleFlag(kVersionsSize));
    if (before) size += before->getZExtValue();
    auto* const all = llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()), size);
    module.setModuleFlag(llvm::Module::Override, kVersionsSize, llvm::ConstantAsMetadata::get(all));
}

void add_size_of_blocks(FunctionState& fn, const llvm::BasicBlock* from, const llvm::BasicBlock* but) {
    std::uint64_t size = 0;
    for (auto at = from->getIterator(); at != fn.function->end(); ++at)
        if (&*at != but) size += at->size();
    add_versions_size(fn.module, size);
}

/// Several vectors as one struct value, for a phi.
V bundle(FunctionState& fn, const std::vector<V>& parts) {
    if (parts.size() == 1) return parts[0];
    std::vector<llvm::Type*> types;
    for (auto p : parts) types.push_back(p->getType());
    V s = llvm::PoisonValue::get(llvm::StructType::get(fn.context, types));
    for (unsigned k = 0; k < parts.size(); ++k) s = fn.b.CreateInsertValue(s, parts[k], k);
    return s;
}

V unbundle(FunctionState& fn, V whole, unsigned k, unsigned count) {
    return count == 1 ? whole : fn.b.CreateExtractValue(whole, k);
}

}  // namespace warpwright::engine::codegen

// The function's frame and resume point become those of a loop over warps, whose header is what was the entry's code
// behind its slots. The scheduler says up to which frame it may go (BlockContext::chain_end), and is told which one it
// has come to.
#include "engine/codegen/warp_chain.hpp"

#include "engine/shared/abi.hpp"

namespace warpwright::engine::codegen {

namespace {

/// Splits the entry behind its slots; what each warp does first begins the new block.
llvm::BasicBlock* split_entry(FunctionState& fn, std::vector<llvm::AllocaInst*>& slots) {
    auto* entry = fn.flow.entry;
    for (auto& i : *entry)
        if (auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&i)) slots.push_back(slot);
    for (auto at = slots.rbegin(); at != slots.rend(); ++at) (*at)->moveBefore(*entry, entry->begin());
    auto first = entry->begin();
    std::advance(first, static_cast<std::ptrdiff_t>(slots.size()));
    return entry->splitBasicBlock(first, "warp");
}

}  // namespace

void return_at_barrier(FunctionState& fn) {
    fn.flow.barrier_returns.push_back(fn.b.CreateRet(fn.i32(static_cast<unsigned>(Status::barrier_all))));
}

void chain_warps(FunctionState& fn) {
    if (fn.flow.barrier_returns.empty()) return;
    std::vector<llvm::AllocaInst*> slots;
    auto* entry = fn.flow.entry;
    auto* warp = split_entry(fn, slots);
    auto *argument = fn.frame, *first_resume = fn.resume;
    fn.b.SetInsertPoint(warp, warp->begin());
    auto* frame = fn.b.CreatePHI(argument->getType(), 2, "frame");
    auto* resume = fn.b.CreatePHI(first_resume->getType(), 2, "resume");
    argument->replaceAllUsesWith(frame);
    first_resume->replaceAllUsesWith(resume);
    // No register keeps what the warp before had in it.
    for (auto* slot : slots)
        if (!slot->isArrayAllocation()) fn.b.CreateStore(llvm::UndefValue::get(slot->getAllocatedType()), slot);

    auto *waits = fn.new_block("waits"), *next = fn.new_block("next_warp"), *back = fn.new_block("all_wait");
    for (auto* ret : fn.flow.barrier_returns) {
        fn.b.SetInsertPoint(ret);
        fn.b.CreateBr(waits);
        ret->eraseFromParent();
    }
    fn.flow.barrier_returns.clear();
    fn.b.SetInsertPoint(waits);
    V end = fn.load_field(fn.b.getPtrTy(), fn.ctx, offsetof(BlockContext, chain_end));
    fn.b.CreateCondBr(fn.b.CreateICmpULT(frame, end), next, back);
    fn.b.SetInsertPoint(next);
    V after = fn.field(frame, fn.layout.frame_bytes);
    fn.b.CreateStore(after, fn.field(fn.ctx, offsetof(BlockContext, chain_at)));
    V stands = fn.load_field(fn.b.getInt32Ty(), after, offsetof(WarpFrame, resume));
    fn.b.CreateBr(warp);
    fn.b.SetInsertPoint(back);
    fn.b.CreateRet(fn.i32(static_cast<unsigned>(Status::barrier_all)));
    frame->addIncoming(argument, entry);
    frame->addIncoming(after, next);
    resume->addIncoming(first_resume, entry);
    resume->addIncoming(stands, next);
}

}  // namespace warpwright::engine::codegen

// The function's frame and resume point become those of a loop over warps, whose header is what was the entry's code
// behind its slots. What each warp executes up to its barrier goes into its frame, so that warps can be told apart
// though the scheduler does not see them one by one. The scheduler says up to which frame it may go
// (BlockContext::chain_end), and whether then all wait and it may begin again with the first; it is told which one the
// code has come to.
#include "engine/codegen/warp_chain.hpp"

#include <algorithm>

#include "engine/codegen/counting.hpp"
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

void count_warps(FunctionState& fn) {
    if (!fn.options.counters || fn.options.function || fn.options.check) return;
    const auto waits = [](const simt::Block& block) {
        return std::any_of(block.insts.begin(), block.insts.end(),
                           [](const auto& i) { return i.kind == simt::InstKind::barrier; });
    };
    if (std::none_of(fn.ir.blocks.begin(), fn.ir.blocks.end(), waits)) return;
    fn.flow.chained = fn.b.CreateAlloca(fn.b.getInt64Ty(), nullptr, "chained");
    fn.b.CreateStore(fn.i64(0), fn.flow.chained);
}

void count_for_warp(FunctionState& fn, simt::BlockId b) {
    if (!fn.flow.chained) return;
    const auto& block = fn.ir.blocks[b];
    std::uint64_t all = block.end.counted && block.end.ptx;
    for (const auto& i : block.insts) all += i.counted && i.ptx;
    if (all) bump(fn, fn.flow.chained, fn.i64(all));
}

void keep_count_of_warp(FunctionState& fn, V frame) {
    if (!fn.flow.chained) return;
    bump(fn, fn.field(frame, offsetof(WarpFrame, chained)), fn.b.CreateLoad(fn.b.getInt64Ty(), fn.flow.chained));
}

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

    const auto go_on = [&](V with) {
        fn.b.CreateStore(with, fn.field(fn.ctx, offsetof(BlockContext, chain_at)));
        resume->addIncoming(fn.load_field(fn.b.getInt32Ty(), with, offsetof(WarpFrame, resume)), fn.b.GetInsertBlock());
        frame->addIncoming(with, fn.b.GetInsertBlock());
        fn.b.CreateBr(warp);
    };
    auto *waits = fn.new_block("waits"), *next = fn.new_block("next_warp"), *all = fn.new_block("all_wait"),
         *again = fn.new_block("first_warp"), *back = fn.new_block("back");
    for (auto* ret : fn.flow.barrier_returns) {
        fn.b.SetInsertPoint(ret);
        fn.b.CreateBr(waits);
        ret->eraseFromParent();
    }
    fn.flow.barrier_returns.clear();
    fn.b.SetInsertPoint(waits);
    keep_count_of_warp(fn, frame);
    V end = fn.load_field(fn.b.getPtrTy(), fn.ctx, offsetof(BlockContext, chain_end));
    fn.b.CreateCondBr(fn.b.CreateICmpULT(frame, end), next, all);
    fn.b.SetInsertPoint(next);
    go_on(fn.field(frame, fn.layout.frame_bytes));
    fn.b.SetInsertPoint(all);
    V first = fn.load_field(fn.b.getPtrTy(), fn.ctx, offsetof(BlockContext, chain_first));
    fn.b.CreateCondBr(fn.b.CreateIsNotNull(first), again, back);
    fn.b.SetInsertPoint(again);
    go_on(first);
    fn.b.SetInsertPoint(back);
    fn.b.CreateRet(fn.i32(static_cast<unsigned>(Status::barrier_all)));
    frame->addIncoming(argument, entry);
    resume->addIncoming(first_resume, entry);
}

}  // namespace warpwright::engine::codegen

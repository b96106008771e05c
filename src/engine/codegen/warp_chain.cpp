// The function's frame and resume point become those of a loop over warps, whose header is what was the entry's code
// behind its slots. What each warp executes up to its barrier goes into its frame, so that warps can be told apart
// though the scheduler does not see them one by one. The scheduler says up to which frame it may go
// (BlockContext::chain_end), and whether then all wait and it may begin again with the first; it is told which one the
// code has come to. Warps that end are followed by the next one as long as each before them has ended too: the
// scheduler then knows which have (BlockContext::chain_ends).
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

void return_at_end(FunctionState& fn) {
    auto* const end = fn.b.CreateRet(fn.i32(static_cast<unsigned>(Status::done)));
    // (Checkers look at each warp, and a warp with a stack of its own ends on it.)
    if (!fn.options.function && !fn.options.check && !fn.ir.has_calls) fn.flow.ends.push_back(end);
}

namespace {

/// The loop over warps: its header, and the ways back to it.
struct WarpLoop {
    FunctionState& fn;
    llvm::BasicBlock* header;
    llvm::PHINode *frame, *resume;

    explicit WarpLoop(FunctionState& of) : fn(of) {
        std::vector<llvm::AllocaInst*> slots;
        auto* entry = fn.flow.entry;
        header = split_entry(fn, slots);
        auto *argument = fn.frame, *first_resume = fn.resume;
        fn.b.SetInsertPoint(header, header->begin());
        frame = fn.b.CreatePHI(argument->getType(), 2, "frame");
        resume = fn.b.CreatePHI(first_resume->getType(), 2, "resume");
        argument->replaceAllUsesWith(frame);
        first_resume->replaceAllUsesWith(resume);
        frame->addIncoming(argument, entry);
        resume->addIncoming(first_resume, entry);
        // No register keeps what the warp before had in it.
        for (auto* slot : slots)
            if (!slot->isArrayAllocation()) fn.b.CreateStore(llvm::UndefValue::get(slot->getAllocatedType()), slot);
    }
    void go_on(V with) {
        fn.b.CreateStore(with, context(offsetof(BlockContext, chain_at)));
        resume->addIncoming(fn.load_field(fn.b.getInt32Ty(), with, offsetof(WarpFrame, resume)), fn.b.GetInsertBlock());
        frame->addIncoming(with, fn.b.GetInsertBlock());
        fn.b.CreateBr(header);
    }
    V context(std::size_t field) { return fn.field(fn.ctx, field); }
    V warp(std::size_t field) { return fn.b.CreateLoad(fn.b.getPtrTy(), context(field)); }
    V next() { return fn.field(frame, fn.layout.frame_bytes); }
    V has_next() { return fn.b.CreateICmpULT(frame, warp(offsetof(BlockContext, chain_end))); }
};

/// One block in place of all of these returns.
llvm::BasicBlock* joined(FunctionState& fn, std::vector<llvm::ReturnInst*>& returns, const char* name) {
    auto* const block = fn.new_block(name);
    for (auto* ret : returns) {
        fn.b.SetInsertPoint(ret);
        fn.b.CreateBr(block);
        ret->eraseFromParent();
    }
    returns.clear();
    return block;
}

void go_on_at_barriers(WarpLoop& loop) {
    auto& fn = loop.fn;
    auto *waits = joined(fn, fn.flow.barrier_returns, "waits"), *next = fn.new_block("next_warp"),
         *all = fn.new_block("all_wait"), *again = fn.new_block("first_warp"), *back = fn.new_block("back");
    fn.b.SetInsertPoint(waits);
    keep_count_of_warp(fn, loop.frame);
    fn.b.CreateCondBr(loop.has_next(), next, all);
    fn.b.SetInsertPoint(next);
    loop.go_on(loop.next());
    fn.b.SetInsertPoint(all);
    V first = loop.warp(offsetof(BlockContext, chain_first));
    fn.b.CreateCondBr(fn.b.CreateIsNotNull(first), again, back);
    fn.b.SetInsertPoint(again);
    loop.go_on(first);
    fn.b.SetInsertPoint(back);
    fn.b.CreateRet(fn.i32(static_cast<unsigned>(Status::barrier_all)));
}

void go_on_at_ends(WarpLoop& loop) {
    auto& fn = loop.fn;
    auto *over = joined(fn, fn.flow.ends, "over"), *all = fn.new_block("all_over"), *next = fn.new_block("next_after"),
         *back = fn.new_block("done");
    fn.b.SetInsertPoint(over);
    V ends = fn.b.CreateICmpEQ(loop.frame, loop.warp(offsetof(BlockContext, chain_ends)));
    fn.b.CreateCondBr(ends, all, back);
    fn.b.SetInsertPoint(all);
    fn.b.CreateCondBr(loop.has_next(), next, back);
    fn.b.SetInsertPoint(next);
    V after = loop.next();
    fn.b.CreateStore(after, loop.context(offsetof(BlockContext, chain_ends)));
    // Where the others wait, there is no first one to begin again with.
    fn.b.CreateStore(llvm::ConstantPointerNull::get(fn.b.getPtrTy()),
                     loop.context(offsetof(BlockContext, chain_first)));
    loop.go_on(after);
    fn.b.SetInsertPoint(back);
    fn.b.CreateRet(fn.i32(static_cast<unsigned>(Status::done)));
}

}  // namespace

void chain_warps(FunctionState& fn) {
    if (fn.flow.barrier_returns.empty() && fn.flow.ends.empty()) return;
    WarpLoop loop(fn);
    if (!fn.flow.barrier_returns.empty()) go_on_at_barriers(loop);
    if (!fn.flow.ends.empty()) go_on_at_ends(loop);
}

}  // namespace warpwright::engine::codegen

// Stubs are written only where the kernel is large enough and they save at least a third of it. A stub and the code
// that continues after it find the values to be kept by the same function.
#include "engine/codegen/masked_stubs.hpp"

#include <algorithm>

#include "engine/codegen/divergence.hpp"
#include "engine/codegen/value_slots.hpp"
#include "engine/codegen/warp_chain.hpp"
#include "engine/shared/abi.hpp"

namespace warpwright::engine::codegen {

using simt::BlockId;

namespace {

/// Finds the stubs that lanes can reach: from a branch that splits, from masked copies, from waits in these, and the
/// first.
void find_reached(FunctionState& fn) {
    fn.flow.stub_reached.assign(fn.ir.blocks.size(), false);
    fn.flow.stub_reached[0] = true;
    for (BlockId b = 0; b < fn.ir.blocks.size(); ++b) {
        if (!fn.shapes.divergent[b] && fn.flow.stub[b]) continue;
        for (auto t : fn.ir.blocks[b].end.targets) fn.flow.stub_reached[t] = true;
        for (auto t : fn.flow.frontier[b]) fn.flow.stub_reached[t] = true;
    }
    for (BlockId b = 0; b < fn.ir.blocks.size(); ++b) {
        const auto& x = fn.ir.blocks[b];
        if (x.sync || std::any_of(x.preds.begin(), x.preds.end(), [&](BlockId p) { return fn.ir.blocks[p].sync; }))
            fn.flow.stub_reached[b] = true;
        fn.flow.stub_reached[b] = fn.flow.stub_reached[b] && fn.flow.stub[b];
    }
}

/// Values that lanes need that run or wait here: later, or for a barrier or a phase anywhere.
simt::BitSet kept_by_stub(const FunctionState& fn, BlockId b) {
    auto kept = live_with_phis(fn, b);
    for (auto c : fn.flow.frontier[b]) kept.merge(live_with_phis(fn, c));
    kept.merge(fn.values.live_where_picked);
    return kept;
}

}  // namespace

void find_stubs(FunctionState& fn) {
    fn.flow.stub.clear();
    fn.layout.gives_up = false;
    if (!fn.flow.full_copy || fn.flow.memory_pending || fn.options.block.threads() % fn.lanes != 0) return;
    const auto partial = simt::partial_regions(fn.ir, fn.shapes.divergent);
    std::size_t all = 0, saved = 0;
    for (BlockId b = 0; b < fn.ir.blocks.size(); ++b) {
        all += fn.ir.blocks[b].insts.size();
        if (!partial[b]) saved += fn.ir.blocks[b].insts.size();
    }
    if (fn.options.converged_from && (all < fn.options.converged_from || saved * 3 < all)) return;
    for (BlockId b = 0; b < fn.ir.blocks.size(); ++b) fn.flow.stub.push_back(!partial[b]);
    fn.layout.gives_up = fn.options.extent == Extent::converged;
    find_reached(fn);
}

void write_stub(FunctionState& fn, BlockId b) {
    auto together = fn.new_block("together"), apart = fn.new_block("apart");
    V waiting = load_pending(fn, b);
    fn.b.CreateCondBr(fn.b.CreateICmpEQ(waiting, fn.full_mask()), together, apart);
    fn.b.SetInsertPoint(together);
    store_pending(fn, b, fn.mask_constant(0));
    fn.b.CreateBr(fn.flow.full[b]);
    fn.b.SetInsertPoint(apart);
    if (!fn.flow.stub_reached[b]) {
        fn.b.CreateBr(fn.flow.error);
        return;
    }
    save(fn, kept_by_stub(fn, b));
    auto put = [&](BlockId c) {
        if (fn.flow.pending_in_frame) return;  // it is there
        V lanes = fn.mask64(load_pending(fn, c));
        fn.b.CreateStore(lanes, fn.field(fn.frame, fn.layout.pending_offset + 8 * c));
    };
    put(b);
    for (auto c : fn.flow.frontier[b])
        if (c != b) put(c);
    fn.b.CreateStore(fn.i32(kResumeSplit + b), fn.field(fn.frame, offsetof(WarpFrame, resume)));
    keep_count_of_warp(fn, fn.frame);
    fn.b.CreateRet(fn.i32(static_cast<unsigned>(Status::split)));
}

/// In complete code: continues where a stub gave up.
void after_stub(FunctionState& fn, BlockId b) {
    auto here = fn.new_block("after_stub");
    fn.flow.resume_switch->addCase(fn.b.getInt32(kResumeSplit + b), here);
    fn.b.SetInsertPoint(here);
    restore(fn, kept_by_stub(fn, b));
    auto take = [&](BlockId c) {
        if (fn.flow.pending_in_frame) return;
        store_pending(
            fn, c,
            fn.b.CreateTrunc(fn.b.CreateLoad(fn.b.getInt64Ty(), fn.field(fn.frame, fn.layout.pending_offset + 8 * c)),
                             fn.mask_type));
    };
    take(b);
    for (auto c : fn.flow.frontier[b])
        if (c != b) take(c);
    fn.b.CreateBr(fn.flow.partial[b]);
}

}  // namespace warpwright::engine::codegen

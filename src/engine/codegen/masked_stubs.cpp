// Converged code: masked copies only of the blocks that a whole warp can be in with a part of its lanes. Anywhere else
// a stub stands for the masked copy. A warp that comes to one with lanes missing saves its values as at a barrier and
// answers Status::split; the kernel is then compiled whole, and the whole code goes on from there.
#include <algorithm>

#include "engine/codegen/codegen.hpp"

namespace warpwright::engine {

using simt::BlockId;

void Codegen::find_stubs() {
    stub_.clear();
    layout_.gives_up = false;
    if (!full_copy_ || memory_pending_ || options_.block.threads() % lanes_ != 0) return;
    const auto partial = simt::partial_regions(f_, shapes_.divergent);
    std::size_t all = 0, saved = 0;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
        all += f_.blocks[b].insts.size();
        if (!partial[b]) saved += f_.blocks[b].insts.size();
    }
    if (options_.converged_from && (all < options_.converged_from || saved * 3 < all)) return;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) stub_.push_back(!partial[b]);
    layout_.gives_up = options_.extent == Extent::converged;
    // Which of them lanes can come to: from a branch that splits, from masked copies, from waits in these, and the
    // first.
    stub_reached_.assign(f_.blocks.size(), false);
    stub_reached_[0] = true;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
        if (!shapes_.divergent[b] && stub_[b]) continue;
        for (auto t : f_.blocks[b].end.targets) stub_reached_[t] = true;
        for (auto t : frontier_[b]) stub_reached_[t] = true;
    }
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
        const auto& x = f_.blocks[b];
        if (x.sync || std::any_of(x.preds.begin(), x.preds.end(), [&](BlockId p) { return f_.blocks[p].sync; }))
            stub_reached_[b] = true;
        stub_reached_[b] = stub_reached_[b] && stub_[b];
    }
}

/// Values that the lanes here and those waiting need: further on, or for a barrier or a phase anywhere.
simt::BitSet Codegen::kept_by_stub(BlockId b) const {
    auto kept = live_with_phis(b);
    for (auto c : frontier_[b]) kept.merge(live_with_phis(c));
    for (BlockId c = 0; c < f_.blocks.size(); ++c)
        if (may_be_picked(c)) kept.merge(live_with_phis(c));
    return kept;
}

/// Whether lanes that have waited may go on at b.
bool Codegen::may_be_picked(BlockId b) const {
    return memory_pending_ || f_.blocks[b].sync || phase_class_[b] != kNoClass ||
           std::any_of(f_.blocks[b].preds.begin(), f_.blocks[b].preds.end(),
                       [&](BlockId p) { return f_.blocks[p].sync; });
}

void Codegen::stub(BlockId b) {
    auto together = new_block("together"), apart = new_block("apart");
    b_.CreateCondBr(b_.CreateICmpEQ(load_pending(b), full_mask()), together, apart);
    b_.SetInsertPoint(together);
    store_pending(b, mask_constant(0));
    b_.CreateBr(full_[b]);
    b_.SetInsertPoint(apart);
    if (!stub_reached_[b]) {
        b_.CreateBr(error_);
        return;
    }
    save(kept_by_stub(b));
    auto put = [&](BlockId c) {
        b_.CreateStore(mask64(load_pending(c)), field(frame_, layout_.pending_offset + 8 * c));
    };
    put(b);
    for (auto c : frontier_[b])
        if (c != b) put(c);
    b_.CreateStore(i32(kResumeSplit + b), field(frame_, offsetof(WarpFrame, resume)));
    b_.CreateRet(i32(static_cast<unsigned>(Status::split)));
}

/// In whole code: going on where a stub gave up.
void Codegen::after_stub(BlockId b) {
    auto here = new_block("after_stub");
    resume_switch_->addCase(b_.getInt32(kResumeSplit + b), here);
    b_.SetInsertPoint(here);
    restore(kept_by_stub(b));
    auto take = [&](BlockId c) {
        store_pending(c, b_.CreateTrunc(b_.CreateLoad(b_.getInt64Ty(), field(frame_, layout_.pending_offset + 8 * c)),
                                        mask_type_));
    };
    take(b);
    for (auto c : frontier_[b])
        if (c != b) take(c);
    b_.CreateBr(partial_[b]);
}

}  // namespace warpwright::engine

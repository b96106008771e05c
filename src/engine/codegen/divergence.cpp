// Candidates are tested in the order of their numbers, so that of all blocks with pending lanes the first one runs next
// and lanes meet again as early as possible.
#include "engine/codegen/divergence.hpp"

#include <algorithm>

#include "engine/shared/abi.hpp"

namespace warpwright::engine::codegen {

using simt::BlockId;

namespace {

V pending(FunctionState& fn, BlockId b) {
    if (!fn.flow.pending_in_frame) return fn.flow.pending[b];
    return fn.field(fn.flow.pending_base, 8 * b);
}

}  // namespace

V load_pending(FunctionState& fn, BlockId b) { return fn.b.CreateLoad(fn.mask_type, pending(fn, b)); }

// In the frame each mask has 64 bits, of which those beyond the warp's lanes are 0 from the start. Where the runtime
// reads them for each choice they are written whole: a host waits where it reads more than the last store wrote.
void store_pending(FunctionState& fn, BlockId b, V mask) {
    fn.b.CreateStore(fn.flow.memory_pending ? fn.mask64(mask) : mask, pending(fn, b));
}

void add_pending(FunctionState& fn, BlockId b, V mask) {
    store_pending(fn, b, fn.b.CreateOr(load_pending(fn, b), mask));
}

void none_pending(FunctionState& fn) {
    if (fn.flow.pending_in_frame) return;
    for (auto* slot : fn.flow.pending) fn.b.CreateStore(fn.mask_constant(0), slot);
}

void dispatch(FunctionState& fn, BlockId from, std::vector<BlockId> candidates, bool sure) {
    if (fn.flow.memory_pending) {
        fn.b.CreateBr(fn.flow.slow);
        return;
    }
    for (auto c : fn.flow.frontier[from]) candidates.push_back(c);
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        const bool last = k + 1 == candidates.size();
        if (last && sure) {
            fn.b.CreateBr(fn.flow.partial[candidates[k]]);
            return;
        }
        auto next = last ? fn.flow.slow : fn.new_block("next");
        fn.b.CreateCondBr(fn.b.CreateICmpNE(load_pending(fn, candidates[k]), fn.mask_constant(0)),
                          fn.flow.partial[candidates[k]], next);
        if (last) return;
        fn.b.SetInsertPoint(next);
    }
    fn.b.CreateBr(fn.flow.slow);
}

bool may_be_picked(const FunctionState& fn, BlockId b) {
    return fn.flow.memory_pending || fn.ir.blocks[b].sync || fn.flow.phase_class[b] != kNoClass ||
           std::any_of(fn.ir.blocks[b].preds.begin(), fn.ir.blocks[b].preds.end(),
                       [&](BlockId p) { return fn.ir.blocks[p].sync; });
}

}  // namespace warpwright::engine::codegen

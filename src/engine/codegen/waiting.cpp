// Each resume point is a case of one switch at the function's entry. Within a call a function cannot return to the
// scheduler, so that the stack on which the warp runs is suspended instead.
#include "engine/codegen/waiting.hpp"

#include "engine/codegen/barriers.hpp"
#include "engine/codegen/divergence.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/value_slots.hpp"
#include "engine/codegen/values.hpp"
#include "engine/codegen/warp_chain.hpp"
#include "engine/shared/abi.hpp"

namespace warpwright::engine::codegen {

using simt::BlockId;
using simt::kNone;

unsigned new_resume_point(FunctionState& fn) {
    const auto point = ++fn.flow.resume_points;
    fn.b.CreateStore(fn.i32(point), fn.field(fn.frame, offsetof(WarpFrame, resume)));
    return point;
}

void resume_at(FunctionState& fn, unsigned point, llvm::BasicBlock* here) {
    fn.flow.resume_switch->addCase(fn.b.getInt32(point), here);
    fn.b.SetInsertPoint(here);
}

namespace {

/// The results of the barriers whose waits end at block b, for the lanes picked.
void take_barrier_results(FunctionState& fn, BlockId b) {
    for (auto p : fn.ir.blocks[b].preds)
        for (const auto& i : fn.ir.blocks[p].insts) {
            if (i.kind != simt::InstKind::barrier) continue;
            for (auto v : i.out) {
                if (v == kNone || !fn.values.slots[v]) continue;
                V x = barrier_result(fn, i);
                if (fn.scalar_kind(v)) {
                    fn.b.CreateStore(adapt(fn, x, value_type(fn, v)), fn.values.slots[v]);
                    continue;
                }
                V lanes = fn.b.CreateTrunc(fn.load_field(fn.b.getInt64Ty(), fn.frame, offsetof(WarpFrame, picked)),
                                           fn.mask_type);
                V before = fn.b.CreateLoad(slot_type(fn, v), fn.values.slots[v]);
                V after = blend(fn, lanes, fn.splat(adapt(fn, x, value_type(fn, v))), before);
                fn.b.CreateStore(after, fn.values.slots[v]);
            }
        }
}

/// Lanes continue at block b.
void go_on_at(FunctionState& fn, BlockId b) {
    if (!fn.flow.memory_pending)
        add_pending(
            fn, b,
            fn.b.CreateTrunc(fn.load_field(fn.b.getInt64Ty(), fn.frame, offsetof(WarpFrame, picked)), fn.mask_type));
    take_barrier_results(fn, b);
    if (fn.flow.phase_class[b] == kNoClass) {
        fn.b.CreateBr(fn.flow.partial[b]);
        return;
    }
    // Lanes of other blocks may continue with these: all are made pending before the first block runs.
    fn.b.CreateCondBr(
        fn.b.CreateICmpNE(fn.load_field(fn.b.getInt32Ty(), fn.frame, offsetof(WarpFrame, more)), fn.i32(0)),
        fn.flow.slow, fn.flow.partial[b], fn.weights(false));
}

/// All lanes wait: returns to the scheduler, which resumes here.
void suspend(FunctionState& fn, V picked) {
    if (fn.options.function || fn.ir.has_calls) {
        // Inside a call the warp's own stack is suspended.
        fail_if_zero(fn, call<ww_rt_suspend>(fn, {picked}));
        fn.b.CreateBr(fn.flow.slow);
        return;
    }
    save(fn, fn.values.live_where_picked);
    const auto point = new_resume_point(fn);
    fn.b.CreateRet(fn.b.CreateSelect(fn.b.CreateICmpEQ(picked, fn.i32(kPickedYield)),
                                     fn.i32(static_cast<unsigned>(Status::yielded)),
                                     fn.i32(static_cast<unsigned>(Status::waiting))));
    resume_at(fn, point, fn.new_block("again"));
    restore(fn, fn.values.live_where_picked);
    fn.b.CreateBr(fn.flow.slow);
}

/// The ways on from the choice of a block.
struct Ways {
    std::vector<llvm::BasicBlock*> picked;  ///< by block; null: it is never picked
    llvm::BasicBlock *finished, *wait;
    llvm::PHINode* how;  ///< in `wait`: kPickedWait or kPickedYield
};

/// More blocks than these are looked through by the runtime.
constexpr std::size_t kMostLookedThrough = 24;

/// A warp's turn ends before block b, as ww_rt_pick has it.
void yield_before(FunctionState& fn, BlockId b, const Ways& ways) {
    const auto put = [&](std::size_t offset, V x) { fn.b.CreateStore(x, fn.field(fn.frame, offset)); };
    put(offsetof(WarpFrame, stepped), fn.i32(1));
    put(offsetof(WarpFrame, spun_at), fn.i32(fn.layout.first_block + b));
    V spin = fn.b.CreateAdd(fn.load_field(fn.b.getInt32Ty(), fn.frame, offsetof(WarpFrame, spin)), fn.i32(1));
    put(offsetof(WarpFrame, spin), spin);
    V turns = fn.b.CreateICmpEQ(fn.b.CreateURem(spin, fn.i32(kTurnsToRotate)), fn.i32(0));
    put(offsetof(WarpFrame, rotate), fn.b.CreateSelect(turns, fn.i32(b + 1), fn.i32(0)));
    ways.how->addIncoming(fn.i32(kPickedYield), fn.b.GetInsertBlock());
    fn.b.CreateBr(ways.wait);
}

/// Where no lanes wait and none let others go first, ww_rt_pick takes the first block that has pending lanes: so does
/// this code, without the call, which would keep nothing in the registers of vectors. Else it goes to `ask`.
void pick_first(FunctionState& fn, const Ways& ways, llvm::BasicBlock* ask) {
    auto word = fn.b.getInt32Ty();
    V waits = fn.load_field(word, fn.frame, offsetof(WarpFrame, waits)),
      rotate = fn.load_field(word, fn.frame, offsetof(WarpFrame, rotate));
    auto look = fn.new_block("look_through");
    fn.b.CreateCondBr(fn.b.CreateICmpEQ(fn.b.CreateOr(waits, rotate), fn.i32(0)), look, ask, fn.weights(true));
    fn.b.SetInsertPoint(look);
    for (BlockId b = 0; b < fn.ir.blocks.size(); ++b) {
        auto found = fn.new_block("found"), next = fn.new_block("further");
        V lanes = fn.b.CreateLoad(fn.b.getInt64Ty(), fn.field(fn.flow.pending_base, 8 * b));
        fn.b.CreateCondBr(fn.b.CreateICmpNE(lanes, fn.i64(0)), found, next);
        fn.b.SetInsertPoint(found);
        // (Whether turns end at all is known only with all functions that are called.)
        const bool calls = fn.options.function || fn.ir.has_calls;
        if (fn.flow.phase_class[b] != kNoClass || (calls && fn.ir.blocks[b].yield)) {
            fn.b.CreateBr(ask);
            fn.b.SetInsertPoint(next);
            continue;
        }
        if (fn.ir.blocks[b].yield) {
            auto steps = fn.new_block("steps"), yields = fn.new_block("yields");
            V stepped = fn.load_field(word, fn.frame, offsetof(WarpFrame, stepped));
            fn.b.CreateCondBr(fn.b.CreateICmpNE(stepped, fn.i32(0)), steps, yields);
            fn.b.SetInsertPoint(yields);
            yield_before(fn, b, ways);
            fn.b.SetInsertPoint(steps);
        }
        fn.b.CreateStore(fn.i32(0), fn.field(fn.frame, offsetof(WarpFrame, stepped)));
        fn.b.CreateStore(lanes, fn.field(fn.frame, offsetof(WarpFrame, picked)));
        fn.b.CreateBr(ways.picked[b]);
        fn.b.SetInsertPoint(next);
    }
    fn.b.CreateBr(ways.finished);
}

/// The runtime's choice.
void ask_runtime(FunctionState& fn, const Ways& ways) {
    auto picked = call<ww_rt_pick>(fn, {fn.i32(fn.flow.memory_pending ? fn.ir.blocks.size() : 0), fn.flow.pending_base,
                                        fn.i32(fn.layout.first_block)});
    auto none = fn.new_block("none");
    auto choose = fn.b.CreateSwitch(picked, none, 4);
    for (BlockId b = 0; b < fn.ir.blocks.size(); ++b)
        if (ways.picked[b]) choose->addCase(fn.b.getInt32(b), ways.picked[b]);
    fn.b.SetInsertPoint(none);
    auto why = fn.b.CreateSwitch(picked, fn.flow.error, 3);
    why->addCase(fn.b.getInt32(kPickedNone), ways.finished);
    for (const auto how : {kPickedWait, kPickedYield}) {
        why->addCase(fn.b.getInt32(how), ways.wait);
        ways.how->addIncoming(picked, none);
    }
}

}  // namespace

void slow_dispatch(FunctionState& fn) {
    Ways ways{{}, fn.new_block("finished"), fn.new_block("suspend"), nullptr};
    for (BlockId b = 0; b < fn.ir.blocks.size(); ++b)
        ways.picked.push_back(may_be_picked(fn, b) ? fn.new_block("picked") : nullptr);
    fn.b.SetInsertPoint(ways.wait);
    ways.how = fn.b.CreatePHI(fn.b.getInt32Ty(), 4);
    fn.b.SetInsertPoint(fn.flow.slow);
    if (fn.flow.memory_pending && fn.ir.blocks.size() <= kMostLookedThrough) {
        auto ask = fn.new_block("ask");
        pick_first(fn, ways, ask);
        fn.b.SetInsertPoint(ask);
    }
    ask_runtime(fn, ways);
    for (BlockId b = 0; b < fn.ir.blocks.size(); ++b) {
        if (!ways.picked[b]) continue;
        fn.b.SetInsertPoint(ways.picked[b]);
        go_on_at(fn, b);
    }
    fn.b.SetInsertPoint(ways.finished);
    return_at_end(fn);
    fn.b.SetInsertPoint(ways.wait);
    suspend(fn, ways.how);
}

}  // namespace warpwright::engine::codegen

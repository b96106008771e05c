// Each resume point is a case of one switch at the function's entry. Within a call a function cannot return to the
// scheduler, so that the stack on which the warp runs is suspended instead.
#include "engine/codegen/waiting.hpp"

#include "engine/codegen/barriers.hpp"
#include "engine/codegen/divergence.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/value_slots.hpp"
#include "engine/codegen/values.hpp"
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

}  // namespace

void slow_dispatch(FunctionState& fn) {
    fn.b.SetInsertPoint(fn.flow.slow);
    auto picked = call<ww_rt_pick>(fn, {fn.i32(fn.flow.memory_pending ? fn.ir.blocks.size() : 0), fn.flow.pending_base,
                                        fn.i32(fn.layout.first_block)});
    auto none = fn.new_block("none");
    auto choose = fn.b.CreateSwitch(picked, none, 4);
    for (BlockId b = 0; b < fn.ir.blocks.size(); ++b) {
        if (!may_be_picked(fn, b)) continue;
        auto go = fn.new_block("picked");
        choose->addCase(fn.b.getInt32(b), go);
        fn.b.SetInsertPoint(go);
        go_on_at(fn, b);
    }
    fn.b.SetInsertPoint(none);
    auto wait = fn.new_block("suspend"), finished = fn.new_block("finished"), bad = fn.new_block("bad");
    auto why = fn.b.CreateSwitch(picked, bad, 3);
    why->addCase(fn.b.getInt32(kPickedNone), finished);
    why->addCase(fn.b.getInt32(kPickedWait), wait);
    why->addCase(fn.b.getInt32(kPickedYield), wait);
    fn.b.SetInsertPoint(bad);
    fn.b.CreateBr(fn.flow.error);
    fn.b.SetInsertPoint(finished);
    fn.b.CreateRet(fn.i32(static_cast<unsigned>(Status::done)));
    fn.b.SetInsertPoint(wait);
    suspend(fn, picked);
}

}  // namespace warpwright::engine::codegen

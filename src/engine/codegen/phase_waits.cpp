// Two waits belong to one class where the same block of a loop can be reached from both. Code asks the runtime whether
// the phase is complete, and returns to the scheduler only where it is not.
#include "engine/codegen/phase_waits.hpp"

#include <map>

#include "engine/codegen/divergence.hpp"
#include "engine/codegen/hopper.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/value_slots.hpp"
#include "engine/codegen/values.hpp"
#include "engine/codegen/waiting.hpp"
#include "engine/shared/abi.hpp"
#include "machine/view.hpp"

namespace warpwright::engine::codegen {

using simt::BlockId;
using simt::InstKind;
using simt::kNone;

namespace {

const simt::Inst* phase_wait(const simt::Block& b) {
    if (!b.sync) return nullptr;
    for (const auto& i : b.insts)
        if (i.kind != InstKind::phi) return i.kind == InstKind::async_wait ? &i : nullptr;
    return nullptr;
}

}  // namespace

void find_phase_waits(FunctionState& fn) {
    fn.flow.phase_class.assign(fn.ir.blocks.size(), kNoClass);
    std::vector<BlockId> waits;
    for (BlockId b = 0; b < fn.ir.blocks.size(); ++b)
        if (phase_wait(fn.ir.blocks[b])) waits.push_back(b);
    if (waits.empty() || fn.flow.memory_pending) return;
    std::map<BlockId, std::vector<bool>> known;
    // Blocks in loops that can be reached from b.
    auto loops_from = [&](BlockId b) -> const std::vector<bool>& {
        auto& in = known[b];
        if (!in.empty()) return in;
        std::vector<bool> seen(fn.ir.blocks.size(), false);
        std::vector<BlockId> todo{b};
        seen[b] = true;
        while (!todo.empty()) {
            const auto x = todo.back();
            todo.pop_back();
            for (auto t : fn.ir.blocks[x].end.targets)
                if (!seen[t]) seen[t] = true, todo.push_back(t);
        }
        for (BlockId x = 0; x < fn.ir.blocks.size(); ++x)
            if (fn.ir.blocks[x].loop == kNone) seen[x] = false;
        return in = seen;
    };
    auto meet = [&](BlockId a, BlockId b) {
        const auto &x = loops_from(a), &y = loops_from(b);
        for (BlockId k = 0; k < fn.ir.blocks.size(); ++k)
            if (x[k] && y[k]) return true;
        return false;
    };
    for (auto b : waits) fn.flow.phase_class[b] = b;
    auto join = [&](BlockId a, BlockId b) {
        const auto from = fn.flow.phase_class[a], to = fn.flow.phase_class[b];
        if (from == to) return;
        for (auto& c : fn.flow.phase_class)
            if (c == from) c = to;
    };
    for (auto a : waits)
        for (auto b : waits)
            if (a < b && meet(a, b)) join(a, b);
    for (auto b : waits)
        for (auto c : fn.flow.frontier[b]) {
            if (!meet(b, c)) continue;
            if (fn.flow.phase_class[c] == kNoClass)
                fn.flow.phase_class[c] = fn.flow.phase_class[b];
            else
                join(c, b);
        }
}

void phase_wait_partial(FunctionState& fn, BlockId b, const simt::Inst& i) {
    auto form = async_form(fn, i);
    if (!form) return;  // emit_phase_wait() reports it
    V answer = call<ww_rt_phase_wait>(
        fn, {fn.i32(*form), fn.i32(b), fn.i32(fn.flow.phase_class[b]), fn.mask64(fn.at.mask), lane_inputs(fn, i)});
    auto known = fn.new_block("known"), over = fn.new_block("over"), parked = fn.new_block("parked");
    fn.b.CreateCondBr(fn.b.CreateICmpEQ(answer, fn.i32(1)), over, known);
    fn.b.SetInsertPoint(known);
    fn.b.CreateCondBr(fn.b.CreateICmpEQ(answer, fn.i32(0)), fn.flow.error, parked);
    fn.b.SetInsertPoint(parked);
    if (fn.flow.phase_class[b] != kNoClass)
        for (auto c : fn.flow.frontier[b]) {
            if (c == b || fn.flow.phase_class[c] != fn.flow.phase_class[b]) continue;
            call<ww_rt_phase_behind>(fn, {fn.i32(c), fn.i32(fn.flow.phase_class[b]), fn.mask64(load_pending(fn, c))});
            store_pending(fn, c, fn.mask_constant(0));
        }
    dispatch(fn, b, {}, false);
    fn.b.SetInsertPoint(over);
}

Result<void> emit_phase_wait(FunctionState& fn, const simt::Inst& i) {
    auto form = async_form(fn, i);
    if (!form) return form.error();
    V in = nullptr;
    if (fn.at.converged) {
        auto check = fn.new_block("check"), known = fn.new_block("known"), over = fn.new_block("over"),
             wait = fn.new_block("wait"), again = fn.new_block("again");
        fn.b.CreateBr(check);
        fn.b.SetInsertPoint(check);
        in = lane_inputs(fn, i);
        V answer = call<ww_rt_phase_wait>(
            fn, {fn.i32(*form), fn.i32(kPickedNone), fn.i32(kNoClass), fn.mask64(fn.full_mask()), in});
        fn.b.CreateCondBr(fn.b.CreateICmpEQ(answer, fn.i32(1)), over, known, fn.weights(true));
        fn.b.SetInsertPoint(known);
        fn.b.CreateCondBr(fn.b.CreateICmpEQ(answer, fn.i32(0)), fn.flow.error, wait);
        fn.b.SetInsertPoint(wait);
        const auto keep = live_with_phis(fn, fn.at.block);
        save(fn, keep);
        const auto point = new_resume_point(fn);
        fn.b.CreateRet(fn.i32(static_cast<unsigned>(Status::phase)));
        resume_at(fn, point, again);
        restore(fn, keep);
        fn.b.CreateBr(check);
        fn.b.SetInsertPoint(over);
    }
    if (fn.options.trace && machine::is_traced(i))
        call<ww_rt_trace_phases>(fn, {fn.i32(*form), fn.mask64(fn.active()), in ? in : lane_inputs(fn, i)});
    if (!i.out.empty() && i.out[0] != kNone) define(fn, i.out[0], fn.b.getTrue());
    return {};
}

}  // namespace warpwright::engine::codegen

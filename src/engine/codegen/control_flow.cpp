// Converged copies jump to each other; where lanes part, they become pending at their targets and masked copies are
// dispatched. Ends of loops and calls test whether the launch is to stop. A warp yields before what others may see or
// change.
#include "engine/codegen/control_flow.hpp"

#include <algorithm>
#include <tuple>

#include "engine/codegen/barriers.hpp"
#include "engine/codegen/counting.hpp"
#include "engine/codegen/divergence.hpp"
#include "engine/codegen/masked_stubs.hpp"
#include "engine/codegen/phase_waits.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/self_timing.hpp"
#include "engine/codegen/tracing.hpp"
#include "engine/codegen/value_slots.hpp"
#include "engine/codegen/values.hpp"
#include "engine/codegen/waiting.hpp"
#include "engine/codegen/warp_chain.hpp"
#include "engine/shared/abi.hpp"
#include "engine/shared/bad_index.hpp"

namespace warpwright::engine::codegen {

using simt::BlockId;
using simt::kNone;
using TK = simt::Terminator::Kind;

void begin_block(FunctionState& fn, BlockId b) {
    fn.b.SetInsertPoint(fn.at.converged ? fn.flow.full[b] : fn.flow.partial[b]);
    const auto& x = fn.ir.blocks[b];
    if (fn.at.converged) {
        fn.at.mask = nullptr;
        none_pending(fn);
        count_block(fn, b);
        keep_clock(fn, b);
        trace_block(fn, b);
        return;
    }
    if (fn.layout.gives_up && fn.flow.stub[b]) {
        write_stub(fn, b);
        // The following code is unreachable and is removed; it is written so that sites and counts are the same in both
        // extents.
        fn.b.SetInsertPoint(fn.new_block("unreached"));
    }
    fn.at.mask = load_pending(fn, b);
    store_pending(fn, b, fn.mask_constant(0));
    if (x.sync)
        for (const auto& i : x.insts) {
            if (i.kind == simt::InstKind::phi) continue;
            if (i.kind == simt::InstKind::async_wait)
                phase_wait_partial(fn, b, i);
            else if (i.kind != simt::InstKind::barrier)
                warp_wait(fn, b, i);
            break;
        }
    // All lanes are together again: continues with the copy that needs no masks.
    if (fn.flow.full_copy) {
        auto stay = fn.new_block("stay");
        fn.b.CreateCondBr(fn.b.CreateICmpEQ(fn.at.mask, fn.full_mask()), fn.flow.full[b], stay);
        fn.b.SetInsertPoint(stay);
    }
    count_block(fn, b);
    keep_clock(fn, b);
    trace_block(fn, b);
}

void phi_copies(FunctionState& fn, BlockId from, BlockId to, V mask) {
    time_phis(fn, from, to);
    std::vector<std::pair<simt::ValueId, V>> writes;
    for (const auto& p : fn.ir.blocks[to].insts) {
        if (p.kind != simt::InstKind::phi) break;
        const auto v = p.out[0];
        if (v == kNone) continue;
        for (std::size_t k = 0; k < p.in.size(); ++k) {
            if (p.from[k] != from) continue;
            auto t = value_type(fn, v);
            writes.push_back({v, fn.scalar_kind(v) ? scalar(fn, p.in[k], t) : vector(fn, p.in[k], t)});
            break;
        }
    }
    for (auto& [v, value] : writes) {
        if (!fn.values.slots[v]) continue;
        if (mask && !fn.scalar_kind(v))
            value = blend(fn, mask, value, fn.b.CreateLoad(fn.vec(value_type(fn, v)), fn.values.slots[v]));
        fn.b.CreateStore(value, fn.values.slots[v]);
    }
}

namespace {

/// The first block of the loop that ends with this one which has an instruction with a line of the program's, else one
/// that is the program's: a place to name.
BlockId first_line(const FunctionState& fn, BlockId latch) {
    const auto& blocks = fn.ir.loops[fn.ir.blocks[latch].loop].blocks;
    for (const bool with_line : {true, false}) {
        const auto names = [&](const simt::Inst& i) { return i.ptx && (!with_line || i.ptx->source.line != 0); };
        for (const auto b : blocks)
            if (std::any_of(fn.ir.blocks[b].insts.begin(), fn.ir.blocks[b].insts.end(), names)) return b;
    }
    return latch;
}

/// Ends the launch where it has executed more instructions than it may.
void check_spent(FunctionState& fn, std::uint32_t named) {
    V left = fn.load_field(fn.b.getInt64Ty(), fn.ctx, offsetof(BlockContext, instructions_left));
    auto within = fn.new_block("within"), spent = fn.new_block("spent");
    fn.b.CreateCondBr(fn.b.CreateICmpSGE(left, fn.i64(0)), within, spent, fn.weights(true));
    fn.b.SetInsertPoint(spent);
    call_rarely<ww_rt_spent>(fn, {fn.i32(named)});
    fn.b.CreateBr(fn.flow.error);
    fn.b.SetInsertPoint(within);
}

}  // namespace

void check_stop(FunctionState& fn, BlockId b, StopAt at) {
    const std::uint32_t named = (fn.layout.first_block + b) | (at == StopAt::call ? kAtCall : 0);
    auto flag = fn.b.CreateLoad(fn.b.getPtrTy(), fn.field(fn.ctx, offsetof(BlockContext, stop)));
    // As a relaxed load of the std::atomic it is; volatile so that a loop asks each time.
    auto value = fn.b.CreateAlignedLoad(fn.b.getInt32Ty(), flag, llvm::Align(4), true);
    value->setAtomic(llvm::AtomicOrdering::Monotonic);
    auto go = fn.new_block("go"), stop = fn.new_block("stop");
    fn.b.CreateCondBr(fn.b.CreateICmpEQ(value, fn.i32(0)), go, stop, fn.weights(true));
    fn.b.SetInsertPoint(stop);
    V goes_on = call_rarely<ww_rt_stopped>(fn, {fn.i32(named)});
    fn.b.CreateCondBr(fn.b.CreateICmpNE(goes_on, fn.i32(0)), go, fn.flow.error);
    fn.b.SetInsertPoint(go);
    if (fn.options.limited) check_spent(fn, named);
}

namespace {

/// The end of a loop.
void check_loop(FunctionState& fn, BlockId b) {
    check_stop(fn, b);
    if (simt::never_left(fn.ir, b))
        fail_if_zero(fn, call<ww_rt_endless>(fn, {fn.i32(fn.layout.first_block + first_line(fn, b))}));
}

void edge(FunctionState& fn, BlockId from, BlockId to, V mask) {
    phi_copies(fn, from, to, mask);
    if (mask) add_pending(fn, to, mask);
}

/// Jumps to the converged copy of `to`. The warp's turn ends before what others may see or change.
void go_converged(FunctionState& fn, BlockId to) {
    if (!fn.ir.blocks[to].yield || fn.options.function) {
        fn.b.CreateBr(fn.flow.full[to]);
        return;
    }
    auto spin = fn.b.CreateAdd(fn.load_field(fn.b.getInt32Ty(), fn.frame, offsetof(WarpFrame, spin)), fn.i32(1));
    fn.b.CreateStore(spin, fn.field(fn.frame, offsetof(WarpFrame, spin)));
    auto back_in = fn.new_block("back_in");
    save(fn, live_with_phis(fn, to));
    const auto point = new_resume_point(fn);
    fn.b.CreateStore(fn.i32(fn.layout.first_block + to), fn.field(fn.frame, offsetof(WarpFrame, spun_at)));
    fn.b.CreateRet(fn.i32(static_cast<unsigned>(Status::yielded)));
    resume_at(fn, point, back_in);
    restore(fn, live_with_phis(fn, to));
    fn.b.CreateBr(fn.flow.full[to]);
}

/// All lanes here go to `to`.
void go_to(FunctionState& fn, BlockId b, BlockId to) {
    edge(fn, b, to, fn.at.converged ? nullptr : fn.at.mask);
    if (fn.at.converged)
        go_converged(fn, to);
    else
        dispatch(fn, b, {to}, true);
}

/// Lanes that exit, or return from a called function.
void leave(FunctionState& fn, V mask, bool exit) {
    if (exit) {
        auto where = fn.field(fn.frame, offsetof(WarpFrame, live));
        if (!mask) {
            fn.b.CreateStore(fn.i64(0), where);
            return_at_end(fn);
            return;
        }
        auto live = fn.b.CreateLoad(fn.b.getInt64Ty(), where);
        fn.b.CreateStore(fn.b.CreateAnd(live, fn.b.CreateNot(fn.mask64(mask))), where);
    }
    dispatch(fn, fn.at.block, {}, false);
}

/// Ends the warp where an active lane's index of a multiway branch is beyond its targets.
void check_index(FunctionState& fn, BlockId b) {
    const auto& end = fn.ir.blocks[b].end;
    // (With one target alone, that is where all lanes go.)
    if (end.kind != TK::multiway || end.targets.size() < 2) return;
    const auto n = end.targets.size();
    V beyond = nullptr, lanes = fn.active();
    if (fn.uniform(end.condition)) {
        beyond = fn.b.CreateICmpUGE(scalar(fn, end.condition, fn.b.getInt32Ty()), fn.i32(n));
    } else {
        V index = vector(fn, end.condition, fn.b.getInt32Ty());
        lanes = fn.b.CreateAnd(lanes, mask_bits(fn, fn.b.CreateICmpUGE(index, fn.splat(fn.i32(n)))));
        beyond = fn.b.CreateICmpNE(lanes, fn.mask_constant(0));
    }
    auto wrong = fn.new_block("no_target"), fine = fn.new_block("target");
    fn.b.CreateCondBr(beyond, wrong, fine, fn.weights(false));
    fn.b.SetInsertPoint(wrong);
    call_rarely<ww_rt_bad_call>(fn, {fn.i32(kBadIndex | (fn.layout.first_block + b)), fn.mask64(lanes)});
    fn.b.CreateBr(fn.flow.error);
    fn.b.SetInsertPoint(fine);
}

/// A branch whose condition is the same for the whole warp.
void uniform_branch(FunctionState& fn, BlockId b) {
    const auto& end = fn.ir.blocks[b].end;
    const auto n = end.targets.size();
    std::vector<llvm::BasicBlock*> way(n);
    for (std::size_t k = 0; k < n; ++k) way[k] = fn.new_block("way");
    if (end.kind == TK::branch) {
        fn.b.CreateCondBr(scalar(fn, end.condition, fn.b.getInt1Ty()), way[0], way[1]);
    } else {
        auto s = fn.b.CreateSwitch(scalar(fn, end.condition, fn.b.getInt32Ty()), way[n - 1], static_cast<unsigned>(n));
        for (std::size_t k = 0; k + 1 < n; ++k) s->addCase(fn.b.getInt32(static_cast<std::uint32_t>(k)), way[k]);
    }
    for (std::size_t k = 0; k < n; ++k) {
        fn.b.SetInsertPoint(way[k]);
        go_to(fn, b, end.targets[k]);
    }
}

/// The lanes that take each way of a branch, as masks.
std::vector<V> ways_of(FunctionState& fn, const simt::Terminator& end) {
    const auto n = end.targets.size();
    std::vector<V> masks(n);
    V active = fn.active();
    if (end.kind == TK::branch) {
        V bits = mask_bits(fn, vector(fn, end.condition, fn.b.getInt1Ty()));
        masks[0] = fn.at.converged ? bits : fn.b.CreateAnd(bits, active);
        masks[1] = fn.at.converged ? fn.b.CreateNot(bits) : fn.b.CreateAnd(fn.b.CreateNot(bits), active);
        return masks;
    }
    V index = vector(fn, end.condition, fn.b.getInt32Ty());
    V rest = active;
    for (std::size_t k = 0; k < n; ++k) {
        masks[k] =
            k + 1 == n ? rest : fn.b.CreateAnd(rest, mask_bits(fn, fn.b.CreateICmpEQ(index, fn.splat(fn.i32(k)))));
        rest = fn.b.CreateAnd(rest, fn.b.CreateNot(masks[k]));
    }
    return masks;
}

/// The phis of all targets are read before any is written, because a loop header's phis may be read on the other
/// edge.
void copy_phis_of_all(FunctionState& fn, BlockId b, const std::map<BlockId, V>& targets) {
    std::vector<std::tuple<simt::ValueId, V, V>> writes;
    for (auto& [t, m] : targets)
        for (const auto& p : fn.ir.blocks[t].insts) {
            if (p.kind != simt::InstKind::phi) break;
            const auto v = p.out[0];
            if (v == kNone || !fn.values.slots[v]) continue;
            for (std::size_t k = 0; k < p.in.size(); ++k) {
                if (p.from[k] != b) continue;
                auto type = value_type(fn, v);
                writes.push_back({v, fn.scalar_kind(v) ? scalar(fn, p.in[k], type) : vector(fn, p.in[k], type), m});
                break;
            }
        }
    for (auto& [v, value, m] : writes) {
        if (!fn.scalar_kind(v))
            value = blend(fn, m, value, fn.b.CreateLoad(fn.vec(value_type(fn, v)), fn.values.slots[v]));
        fn.b.CreateStore(value, fn.values.slots[v]);
    }
}

/// All lanes were together, so that none are pending anywhere: the first block that some go to runs next. Of a branch's
/// two ways each has some here, where not all take one; several ways of an index may lead to one block.
void part(FunctionState& fn, const std::map<BlockId, V>& targets, bool two_ways) {
    for (auto& [t, m] : targets) store_pending(fn, t, m);
    for (auto at = targets.begin();; ++at) {
        const auto there = fn.flow.partial[at->first];
        if (two_ways || std::next(at) == targets.end()) {
            fn.b.CreateBr(there);
            return;
        }
        auto next = fn.new_block("next");
        fn.b.CreateCondBr(fn.b.CreateICmpNE(at->second, fn.mask_constant(0)), there, next);
        fn.b.SetInsertPoint(next);
    }
}

/// A branch at which the lanes may diverge.
void divergent_branch(FunctionState& fn, BlockId b) {
    const auto& end = fn.ir.blocks[b].end;
    const auto masks = ways_of(fn, end);
    if (fn.at.converged)
        for (std::size_t k = 0; k < masks.size(); ++k) {
            auto all = fn.new_block("all"), not_all = fn.new_block("not_all");
            fn.b.CreateCondBr(fn.b.CreateICmpEQ(masks[k], fn.full_mask()), all, not_all);
            fn.b.SetInsertPoint(all);
            edge(fn, b, end.targets[k], nullptr);
            go_converged(fn, end.targets[k]);
            fn.b.SetInsertPoint(not_all);
        }
    count_divergence(fn, b, masks);
    std::map<BlockId, V> joined;
    for (std::size_t k = 0; k < masks.size(); ++k) {
        auto& m = joined[end.targets[k]];
        m = m ? fn.b.CreateOr(m, masks[k]) : masks[k];
    }
    copy_phis_of_all(fn, b, joined);
    if (fn.at.converged && !fn.flow.memory_pending) return part(fn, joined, end.targets.size() == 2);
    std::vector<BlockId> candidates;
    for (auto& [t, m] : joined) {
        candidates.push_back(t);
        add_pending(fn, t, m);
    }
    dispatch(fn, b, candidates, true);
}

}  // namespace

void end_block(FunctionState& fn, BlockId b) {
    const auto& end = fn.ir.blocks[b].end;
    count_end(fn, b);
    fn.layout.note_line(b, end.ptx);
    if (std::any_of(end.targets.begin(), end.targets.end(), [&](BlockId t) { return t <= b; })) check_loop(fn, b);
    check_index(fn, b);
    switch (end.kind) {
        case TK::jump:
            return go_to(fn, b, end.targets[0]);
        case TK::exit:
        case TK::ret:
            return leave(fn, fn.at.converged ? nullptr : fn.at.mask, end.kind == TK::exit);
        case TK::trap:
            call_rarely<ww_rt_trap>(fn, {fn.i32(fn.layout.first_block + b)});
            fn.b.CreateBr(fn.flow.error);
            return;
        default:
            return fn.shapes.divergent[b] ? divergent_branch(fn, b) : uniform_branch(fn, b);
    }
}

}  // namespace warpwright::engine::codegen

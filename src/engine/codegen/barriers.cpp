// At a barrier converged code saves what is live and returns to the scheduler, while lanes of a masked copy are
// registered with the runtime and the warp's other lanes go on. A plain barrier in a block of one warp waits for
// nobody.
#include "engine/codegen/barriers.hpp"

#include <llvm/IR/Intrinsics.h>

#include "engine/codegen/control_flow.hpp"
#include "engine/codegen/divergence.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/sites.hpp"
#include "engine/codegen/value_slots.hpp"
#include "engine/codegen/values.hpp"
#include "engine/codegen/waiting.hpp"
#include "engine/codegen/warp_chain.hpp"
#include "engine/shared/abi.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;
using simt::kNone;
using simt::Mod;
using simt::Operand;

void warp_wait(FunctionState& fn, simt::BlockId b, const simt::Inst& i) {
    V live = fn.b.CreateTrunc(fn.load_field(fn.b.getInt64Ty(), fn.frame, offsetof(WarpFrame, live)), fn.mask_type);
    V need = live;
    const Operand* member = nullptr;
    if (i.kind == InstKind::warp_barrier || i.kind == InstKind::elect) member = &i.in[0];
    if (i.kind == InstKind::shuffle || i.kind == InstKind::vote || i.kind == InstKind::match ||
        i.kind == InstKind::reduce)
        member = &i.in.back();
    if (member) {
        V m;
        if (fn.uniform(*member)) {
            m = scalar(fn, *member, fn.mask_type);
        } else {
            V lane = fn.b.CreateIntrinsic(fn.mask_type, llvm::Intrinsic::cttz, {fn.at.mask, fn.b.getTrue()});
            m = fn.b.CreateExtractElement(vector(fn, *member, fn.mask_type), lane);
        }
        need = fn.b.CreateAnd(m, live);
    }
    V waits = fn.load_field(fn.b.getInt32Ty(), fn.frame, offsetof(WarpFrame, waits));
    V others = fn.b.CreateAnd(need, fn.b.CreateNot(fn.at.mask));
    V complete = fn.b.CreateICmpEQ(others, fn.mask_constant(0)), none_waits = fn.b.CreateICmpEQ(waits, fn.i32(0));
    V alone = fn.b.CreateAnd(complete, none_waits);
    auto ask = fn.new_block("ask"), wait = fn.new_block("wait"), all_here = fn.new_block("all_here");
    auto from = fn.b.GetInsertBlock();
    fn.b.CreateCondBr(alone, all_here, ask, fn.weights(true));
    fn.b.SetInsertPoint(ask);
    V got = fn.b.CreateTrunc(call_rarely<ww_rt_warp_wait>(fn, {fn.i32(b), fn.mask64(fn.at.mask), fn.mask64(need)}),
                             fn.mask_type);
    auto from_ask = fn.b.GetInsertBlock();
    fn.b.CreateCondBr(fn.b.CreateICmpNE(got, fn.mask_constant(0)), all_here, wait);
    fn.b.SetInsertPoint(wait);
    dispatch(fn, b, {}, false);
    fn.b.SetInsertPoint(all_here);
    auto phi = fn.b.CreatePHI(fn.mask_type, 2);
    phi->addIncoming(fn.at.mask, from);
    phi->addIncoming(got, from_ask);
    fn.at.mask = phi;
}

V barrier_result(FunctionState& fn, const simt::Inst& i) {
    V count = fn.load_field(fn.b.getInt32Ty(), fn.frame, offsetof(WarpFrame, barrier_result));
    if (i.ptx->has(Mod::popc_)) return count;
    if (i.ptx->has(Mod::or_)) return fn.b.CreateICmpNE(count, fn.i32(0));
    return fn.b.CreateICmpEQ(count, fn.load_field(fn.b.getInt32Ty(), fn.frame, offsetof(WarpFrame, barrier_total)));
}

namespace {

/// A barrier's number or thread count for the whole warp. If it is in a register that may differ between lanes, the
/// active lanes are compared.
V agreed(FunctionState& fn, const Operand& o, V active, unsigned site) {
    auto type = fn.b.getInt32Ty();
    if (fn.uniform(o)) return scalar(fn, o, type);
    V all = vector(fn, o, type);
    V one = fn.b.CreateExtractElement(
        all, fn.b.CreateIntrinsic(fn.mask_type, llvm::Intrinsic::cttz, {active, fn.b.getTrue()}));
    V others = fn.b.CreateAnd(mask_bits(fn, fn.b.CreateICmpNE(all, fn.splat(one))), active);
    auto differ = fn.new_block("differ"), agree = fn.new_block("agree");
    fn.b.CreateCondBr(fn.b.CreateICmpNE(others, fn.mask_constant(0)), differ, agree, fn.weights(false));
    fn.b.SetInsertPoint(differ);
    call_rarely<ww_rt_bar_differs>(fn, {fn.i32(fn.layout.first_barrier + site), fn.mask64(others)});
    fn.b.CreateBr(fn.flow.error);
    fn.b.SetInsertPoint(agree);
    return one;
}

/// The whole warp waits: it returns to the scheduler, and resumes when the barrier has released it.
void converged_barrier(FunctionState& fn, const simt::Inst& i, unsigned site, V id, V count, V holds) {
    const auto b = fn.at.block;
    const auto next = fn.ir.blocks[b].end.targets[0];
    // Behind it the order of blocks holds anew (simt::apart_in): the search for one begins with the first.
    if (fn.flow.memory_pending) fn.b.CreateStore(fn.i32(0), fn.field(fn.frame, offsetof(WarpFrame, rotate)));
    const bool known = i.in[0].is_integer() && i.in[0].bits < 16;
    if (fn.options.single_warp && known && i.in[1].kind == Operand::Kind::none && !i.ptx->has(Mod::red)) {
        phi_copies(fn, b, next, nullptr);
        fn.b.CreateBr(fn.flow.full[next]);
        return;
    }
    phi_copies(fn, b, next, nullptr);
    auto put32 = [&](std::size_t offset, V x) { fn.b.CreateStore(x, fn.field(fn.frame, offset)); };
    const bool plain =
        i.in[0].is_integer() && i.in[0].bits == 0 && i.in[1].kind == Operand::Kind::none && !i.ptx->has(Mod::red);
    if (!plain) {
        put32(offsetof(WarpFrame, barrier_id), id);
        put32(offsetof(WarpFrame, barrier_count), count);
    }
    put32(offsetof(WarpFrame, barrier_site), fn.i32(fn.layout.first_barrier + site));
    if (i.ptx->has(Mod::red)) {
        V lanes = fn.mask64(holds);
        fn.b.CreateStore(lanes, fn.field(fn.frame, offsetof(WarpFrame, barrier_true)));
    }
    save_at_barrier(fn, next);
    const auto point = new_resume_point(fn);
    if (plain)
        return_at_barrier(fn);
    else
        fn.b.CreateRet(fn.i32(static_cast<unsigned>(Status::barrier)));
    resume_at(fn, point, fn.new_block("released"));
    restore(fn, live_with_phis(fn, next));
    for (auto v : i.out)
        if (v != kNone) define(fn, v, barrier_result(fn, i));
    fn.b.CreateBr(fn.flow.full[next]);
}

}  // namespace

Result<void> emit_barrier(FunctionState& fn, const simt::Inst& i) {
    const auto b = fn.at.block;
    const auto site = barrier_index(fn, i);
    V active = fn.active();
    V id = agreed(fn, i.in[0], active, site);
    V count = i.in[1].kind == Operand::Kind::none ? fn.i32(0) : agreed(fn, i.in[1], active, site);
    V holds = i.ptx->has(Mod::red) ? fn.b.CreateAnd(mask_bits(fn, vector(fn, i.in[2], fn.b.getInt1Ty())), active)
                                   : fn.mask_constant(0);
    if (i.ptx->has(Mod::arrive)) {
        fail_if_zero(
            fn, call<ww_rt_bar_arrive>(fn, {fn.i32(fn.layout.first_barrier + site), id, count, fn.mask64(active)}));
        return {};
    }
    const auto next = fn.ir.blocks[b].end.targets[0];
    fn.at.ended = true;
    if (!fn.at.converged) {
        phi_copies(fn, b, next, fn.at.mask);
        fail_if_zero(
            fn, call<ww_rt_bar_wait>(
                    fn, {fn.i32(fn.layout.first_barrier + site), fn.i32(next), id, count, fn.mask64(active),
                         fn.mask64(holds), fn.i32(i.ptx->has(Mod::aligned) || i.ptx->op == simt::Op::bar ? 1 : 0)}));
        dispatch(fn, b, {}, false);
        return {};
    }
    converged_barrier(fn, i, site, id, count, holds);
    return {};
}

}  // namespace warpwright::engine::codegen

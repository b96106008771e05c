// A callee gets the lanes that call it as a mask. A call through a pointer is a loop over the distinct targets of its
// lanes, and lanes that exit in the callee leave the caller's mask.
#include "engine/codegen/calls.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "engine/codegen/checked_access.hpp"
#include "engine/codegen/control_flow.hpp"
#include "engine/codegen/divergence.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"

namespace warpwright::engine::codegen {

using simt::kNone;

namespace {

/// Calls a function for some lanes; `stack`: where its local memory begins.
void call_one(FunctionState& fn, std::uint32_t callee, V lanes, V stack) {
    auto type = llvm::FunctionType::get(fn.b.getInt32Ty(),
                                        {fn.b.getPtrTy(), fn.b.getPtrTy(), fn.mask_type, fn.b.getInt64Ty()}, false);
    auto function = fn.module.getOrInsertFunction(fn.options.prefix + std::to_string(callee), type);
    // What is called here may reach itself (other functions are inlined), and then no loop need end.
    check_stop(fn, fn.at.block, StopAt::call);
    fail_if_zero(fn, call<ww_rt_enter>(fn, {fn.i32(fn.layout.first_block + fn.at.block), stack}));
    V status = fn.b.CreateCall(function, {fn.ctx, fn.frame, lanes, stack});
    call<ww_rt_left>(fn);
    fail_if_zero(fn, fn.b.CreateZExt(fn.b.CreateICmpNE(status, fn.i32(static_cast<unsigned>(Status::error))),
                                     fn.b.getInt32Ty()));
}

/// A call through a pointer: calls each target in turn, for the lanes that have it.
void call_each_target(FunctionState& fn, const simt::Inst& i, V stack) {
    V targets = vector(fn, i.in[0], fn.b.getInt64Ty());
    auto loop = fn.new_block("each_target"), done = fn.new_block("called"), wrong = fn.new_block("no_function");
    auto from = fn.b.GetInsertBlock();
    fn.b.CreateBr(loop);
    fn.b.SetInsertPoint(loop);
    auto rest = fn.b.CreatePHI(fn.mask_type, 2);
    rest->addIncoming(fn.at.mask, from);
    V leader = fn.b.CreateIntrinsic(fn.mask_type, llvm::Intrinsic::cttz, {rest, fn.b.getTrue()});
    V target = fn.b.CreateExtractElement(targets, leader);
    V same = fn.b.CreateAnd(mask_bits(fn, fn.b.CreateICmpEQ(targets, fn.splat(target))), rest);
    auto next = fn.new_block("next_target");
    auto choose = fn.b.CreateSwitch(target, wrong, static_cast<unsigned>(fn.ir.callees.size()));
    std::vector<std::uint32_t> seen;
    for (auto callee : fn.ir.callees) {
        if (std::find(seen.begin(), seen.end(), callee) != seen.end()) continue;
        seen.push_back(callee);
        auto go = fn.new_block("target");
        choose->addCase(fn.b.getInt64(simt_function_token(callee)), go);
        fn.b.SetInsertPoint(go);
        call_one(fn, callee, same, stack);
        fn.b.CreateBr(next);
    }
    fn.b.SetInsertPoint(wrong);
    call_rarely<ww_rt_bad_call>(fn, {fn.i32(fn.layout.first_block + fn.at.block), target});
    fn.b.CreateBr(fn.flow.error);
    fn.b.SetInsertPoint(next);
    V left = fn.b.CreateAnd(rest, fn.b.CreateNot(same));
    rest->addIncoming(left, next);
    fn.b.CreateCondBr(fn.b.CreateICmpNE(left, fn.mask_constant(0)), loop, done);
    fn.b.SetInsertPoint(done);
}

}  // namespace

Result<void> emit_call(FunctionState& fn, const simt::Inst& i) {
    V stack = fn.b.CreateAdd(fn.stack, fn.i64(fn.ir.local_bytes));
    if (i.symbol != kNone)
        call_one(fn, i.symbol, fn.at.mask, stack);
    else
        call_each_target(fn, i, stack);
    // Lanes may have exited in the callee.
    V live = fn.b.CreateTrunc(fn.load_field(fn.b.getInt64Ty(), fn.frame, offsetof(WarpFrame, live)), fn.mask_type);
    fn.at.mask = fn.b.CreateAnd(fn.at.mask, live);
    auto on = fn.new_block("on"), gone = fn.new_block("gone");
    fn.b.CreateCondBr(fn.b.CreateICmpNE(fn.at.mask, fn.mask_constant(0)), on, gone, fn.weights(true));
    fn.b.SetInsertPoint(gone);
    dispatch(fn, fn.at.block, {}, false);
    fn.b.SetInsertPoint(on);
    return {};
}

Result<void> emit_system_call(FunctionState& fn, const simt::Inst& i) {
    V active = fn.active();
    auto t = fn.b.getInt64Ty();
    V in = fn.buffer(6, std::max<std::uint64_t>(5, i.in.size()) * 8 * fn.lanes), out = fn.buffer(3, 8 * fn.lanes);
    for (unsigned k = 0; k < i.in.size(); ++k) {
        V x = vector_bits(fn, i.in[k], t);
        fn.b.CreateAlignedStore(x, fn.field(in, k * 8 * fn.lanes), llvm::Align(64));
    }
    fail_if_zero(
        fn, call<ww_rt_system_call>(fn, {fn.i32(static_cast<unsigned>(i.system)),
                                         fn.i32(fn.layout.first_block + fn.at.block), fn.mask64(active), in, out}));
    if (!i.out.empty() && i.out[0] != kNone)
        define(fn, i.out[0], fn.b.CreateAlignedLoad(fn.vec(t), out, llvm::Align(64)));
    return {};
}

}  // namespace warpwright::engine::codegen

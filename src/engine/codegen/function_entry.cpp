// Values and masks begin in slots of the stack, which LLVM's SROA makes registers. Where these would be too many they
// stay in memory instead, because their live ranges would keep LLVM busy for long.
#include "engine/codegen/function_entry.hpp"

#include "engine/codegen/code_places.hpp"
#include "engine/codegen/divergence.hpp"
#include "engine/codegen/jit.hpp"
#include "engine/codegen/self_timing.hpp"
#include "engine/codegen/values.hpp"
#include "engine/codegen/warp_chain.hpp"
#include "engine/shared/abi.hpp"
#include "shadow/deferred_reads.hpp"

namespace warpwright::engine::codegen {

using simt::BlockId;

namespace {

void declare(FunctionState& fn) {
    auto ptr = fn.b.getPtrTy();
    // Kernels: status f(context, frame, resume). Functions: status f(context, frame, lanes, stack).
    std::vector<llvm::Type*> types{ptr, ptr, fn.b.getInt32Ty()};
    if (fn.options.function) types = {ptr, ptr, fn.mask_type, fn.b.getInt64Ty()};
    fn.function = llvm::cast<llvm::Function>(
        fn.module.getOrInsertFunction(fn.layout.symbol, llvm::FunctionType::get(fn.b.getInt32Ty(), types, false))
            .getCallee());
    fn.function->setDoesNotThrow();
    if (!fn.options.function) fn.function->addFnAttr(kKernelMark);
    fn.ctx = fn.function->getArg(0);
    fn.frame = fn.function->getArg(1);
    if (fn.options.function) {
        fn.argument_mask = fn.function->getArg(2);
        fn.stack = fn.function->getArg(3);
    } else {
        fn.resume = fn.function->getArg(2);
        fn.stack = fn.i64(0);
    }
}

void make_blocks(FunctionState& fn) {
    auto& flow = fn.flow;
    flow.entry = fn.new_block("entry");
    auto start = fn.new_block("start");
    flow.slow = fn.new_block("slow");
    flow.error = fn.new_block("error");
    for (BlockId b = 0; b < fn.ir.blocks.size(); ++b) {
        flow.full.push_back(flow.full_copy ? fn.new_block(("f" + std::to_string(b)).c_str()) : nullptr);
        flow.partial.push_back(fn.new_block(("p" + std::to_string(b)).c_str()));
    }
    flow.start = start;
}

bool slot_in_memory(const FunctionState& fn, simt::ValueId v) {
    const auto& kinds = fn.values.in_memory;
    if (fn.scalar_kind(v)) return kinds.scalars;
    return fn.ir.values[v].type == simt::Type::pred ? kinds.predicates : kinds.vectors;
}

/// One slot for each value that crosses blocks; LLVM's SROA makes them all registers again, but for those in memory. A
/// kernel has these in the frame, each activation of a called function has its own: an array, which SROA leaves alone.
void make_slots(FunctionState& fn) {
    auto& values = fn.values;
    values.in_frame.assign(fn.ir.values.size(), false);
    V base = fn.frame;
    if (fn.options.function) {
        auto array = fn.b.CreateAlloca(fn.b.getInt8Ty(), fn.i64(fn.layout.frame_bytes), "slots");
        array->setAlignment(llvm::Align(kFrameAlign));
        base = array;
    }
    for (simt::ValueId v = 0; v < fn.ir.values.size(); ++v) {
        if (!values.crosses[v]) continue;
        const bool memory = slot_in_memory(fn, v);
        values.in_frame[v] = memory && !fn.options.function;
        values.slots[v] = memory ? fn.field(base, values.save_offset[v])
                                 : fn.b.CreateAlloca(slot_type(fn, v), nullptr, "v" + std::to_string(v));
    }
}

/// A kernel's pending masks are kept in the frame over waits; each activation of a called function has its own.
void make_pending(FunctionState& fn) {
    auto& flow = fn.flow;
    flow.pending.assign(fn.ir.blocks.size(), nullptr);
    flow.pending_base = fn.field(fn.frame, fn.layout.pending_offset);
    if (flow.pending_in_frame && fn.options.function)
        flow.pending_base = fn.b.CreateAlloca(fn.b.getInt64Ty(), fn.i64(fn.ir.blocks.size()), "turns");
    if (flow.pending_in_frame) return;
    for (BlockId b = 0; b < fn.ir.blocks.size(); ++b) {
        flow.pending[b] = fn.b.CreateAlloca(fn.mask_type, nullptr, "pend");
        fn.b.CreateStore(fn.mask_constant(0), flow.pending[b]);
    }
}

void load_pointers(FunctionState& fn) {
    auto pointer = fn.b.getPtrTy();
    auto word = fn.b.getInt64Ty();
    fn.counters = fn.load_field(pointer, fn.ctx, offsetof(BlockContext, counters));
    if (fn.layout.first_counter) fn.counters = fn.field(fn.counters, fn.layout.first_counter * 8);
    fn.sites = fn.load_field(pointer, fn.ctx, offsetof(BlockContext, sites));
    if (fn.layout.first_site) fn.sites = fn.field(fn.sites, fn.layout.first_site * sizeof(Site));
    fn.shared = fn.load_field(pointer, fn.ctx, offsetof(BlockContext, shared));
    fn.shared_size = fn.load_field(word, fn.ctx, offsetof(BlockContext, shared_size));
    fn.local = fn.load_field(pointer, fn.frame, offsetof(WarpFrame, local));
    if (!fn.options.check) return;
    fn.quiet = fn.load_field(pointer, fn.ctx, offsetof(BlockContext, quick.quiet));
    fn.quiet_start = fn.load_field(word, fn.ctx, offsetof(BlockContext, quick.start));
    fn.quiet_limit = fn.load_field(word, fn.ctx, offsetof(BlockContext, quick.limit));
    fn.quiet_mark = fn.load_field(fn.b.getInt8Ty(), fn.ctx, offsetof(BlockContext, quick.mark));
    fn.calm_log = fn.load_field(pointer, fn.ctx, offsetof(BlockContext, quick.log));
    fn.calm_states = fn.load_field(pointer, fn.calm_log, offsetof(shadow::CalmLog, states));
    fn.calm_limit = fn.load_field(word, fn.ctx, offsetof(BlockContext, quick.shared_limit));
    fn.shape_of_warp = fn.b.CreateShl(fn.load_field(fn.b.getInt32Ty(), fn.frame, offsetof(WarpFrame, warp)),
                                      std::uint64_t{shadow::shape::kWarpShift});
}

/// The start of a warp: jumps to the first block, to its converged copy if all lanes exist.
void write_start(FunctionState& fn) {
    auto& flow = fn.flow;
    fn.b.SetInsertPoint(flow.start);
    if (flow.pending_in_frame)
        fn.b.CreateMemSet(flow.pending_base, fn.b.getInt8(0), 8 * fn.ir.blocks.size(), llvm::MaybeAlign(8));
    V live =
        fn.options.function
            ? fn.argument_mask
            : fn.b.CreateTrunc(fn.load_field(fn.b.getInt64Ty(), fn.frame, offsetof(WarpFrame, live)), fn.mask_type);
    auto some = fn.new_block("some");
    if (flow.full_copy)
        fn.b.CreateCondBr(fn.b.CreateICmpEQ(live, fn.full_mask()), flow.full[0], some, fn.weights(true));
    else
        fn.b.CreateBr(some);
    fn.b.SetInsertPoint(some);
    store_pending(fn, 0, live);
    fn.b.CreateBr(flow.partial[0]);
}

}  // namespace

void write_entry(FunctionState& fn) {
    declare(fn);
    begin_places(fn);
    make_blocks(fn);
    fn.b.SetInsertPoint(fn.flow.entry);
    make_slots(fn);
    make_time_slots(fn);
    make_pending(fn);
    count_warps(fn);
    // Values that are read before they are written read as zero, which is deterministic.
    for (simt::ValueId v = 0; v < fn.ir.values.size(); ++v)
        if (fn.values.slots[v] && fn.values.live[0].test(v))
            fn.b.CreateStore(llvm::Constant::getNullValue(slot_type(fn, v)), fn.values.slots[v]);
    load_pointers(fn);
    if (fn.options.function)
        fn.b.CreateBr(fn.flow.start);
    else
        fn.flow.resume_switch = fn.b.CreateSwitch(fn.resume, fn.flow.start, 4);
    write_start(fn);
    fn.b.SetInsertPoint(fn.flow.error);
    fn.b.CreateRet(fn.i32(static_cast<unsigned>(Status::error)));
}

}  // namespace warpwright::engine::codegen

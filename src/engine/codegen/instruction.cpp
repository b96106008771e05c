// Instructions that cannot fail are listed apart from those whose emitters return an error. The mark of a PTX line is
// metadata, because LLVM's builder gives it to everything that it makes from then on.
#include "engine/codegen/instruction.hpp"

#include "engine/codegen/addresses.hpp"
#include "engine/codegen/atomic_access.hpp"
#include "engine/codegen/barriers.hpp"
#include "engine/codegen/calls.hpp"
#include "engine/codegen/checked_access.hpp"
#include "engine/codegen/compute.hpp"
#include "engine/codegen/counting.hpp"
#include "engine/codegen/hopper.hpp"
#include "engine/codegen/jit.hpp"
#include "engine/codegen/matrix.hpp"
#include "engine/codegen/memory.hpp"
#include "engine/codegen/phase_waits.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/self_timing.hpp"
#include "engine/codegen/special_registers.hpp"
#include "engine/codegen/tracing.hpp"
#include "engine/codegen/warp_operations.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;

namespace {

void emit_fence(FunctionState& fn, const simt::Inst& i) {
    if (fn.options.check) check_fence(fn, i);
    fn.b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
}

void emit_trap(FunctionState& fn) {
    call_rarely<ww_rt_trap>(fn, {fn.i32(fn.layout.first_block + fn.at.block)});
    fn.b.CreateBr(fn.flow.error);
    fn.b.SetInsertPoint(fn.new_block("dead"));
}

/// Instructions that cannot fail; false for all others.
bool emit_simple(FunctionState& fn, const simt::Inst& i) {
    switch (i.kind) {
        case InstKind::nop:
            if (fn.options.check) check_proxy_fence(fn, i);
            if (fn.options.check && i.ptx) check_copies(fn, i);
            return true;
        case InstKind::phi:
        case InstKind::prefetch:
            return true;
        case InstKind::copy_group:
            if (fn.options.check) check_copies(fn, i);
            return true;
        case InstKind::move:
            return emit_move(fn, i), true;
        case InstKind::select:
            return emit_select(fn, i), true;
        case InstKind::pack:
            return emit_pack(fn, i), true;
        case InstKind::unpack:
            return emit_unpack(fn, i), true;
        case InstKind::special:
            return emit_special_register(fn, i), true;
        case InstKind::address:
            return emit_address(fn, i), true;
        case InstKind::function:
            return emit_function_address(fn, i), true;
        case InstKind::param:
            return emit_parameter(fn, i), true;
        case InstKind::to_generic:
        case InstKind::from_generic:
        case InstKind::add_offset:
            return emit_generic_address(fn, i), true;
        case InstKind::in_space:
            return emit_is_in_space(fn, i), true;
        case InstKind::fence:
            return emit_fence(fn, i), true;
        case InstKind::sleep:
            call<ww_rt_sleep>(fn);
            return true;
        case InstKind::trap:
            return emit_trap(fn), true;
        default:
            return false;
    }
}

}  // namespace

void mark_line(FunctionState& fn, const simt::Inst& i) {
    if (!i.ptx) return;
    const auto kind = fn.context.getMDKindID(kLineMark + std::to_string(i.ptx->line));
    // The builder copies marks from an instruction only; this one is never inserted anywhere.
    auto* bearer = new llvm::UnreachableInst(fn.context);
    bearer->setMetadata(kind, llvm::MDNode::get(fn.context, {}));
    fn.b.CollectMetadataToCopy(bearer, {kind});
    bearer->deleteValue();
}

Result<void> emit_instruction(FunctionState& fn, const simt::Inst& i) {
    fn.layout.note_line(fn.at.block, i.ptx);
    count_instruction(fn, i);
    time_instruction(fn, i);
    if (emit_simple(fn, i)) return {};
    trace_access(fn, i);
    switch (i.kind) {
        case InstKind::data:
            return emit_arithmetic(fn, i);
        case InstKind::load:
        case InstKind::store:
            return emit_load_or_store(fn, i);
        case InstKind::atomic:
            return emit_atomic(fn, i);
        case InstKind::copy_async:
            return emit_copy_async(fn, i);
        case InstKind::async_op:
            return emit_async_operation(fn, i);
        case InstKind::async_wait:
            return emit_phase_wait(fn, i);
        case InstKind::matrix_async:
            return emit_wgmma(fn, i);
        case InstKind::shuffle:
        case InstKind::vote:
        case InstKind::match:
        case InstKind::reduce:
        case InstKind::active_mask:
        case InstKind::elect:
        case InstKind::warp_barrier:
            return emit_warp_operation(fn, i);
        case InstKind::barrier:
            return emit_barrier(fn, i);
        case InstKind::matrix:
        case InstKind::matrix_move:
            return emit_matrix(fn, i);
        case InstKind::matrix_load:
        case InstKind::matrix_store:
            return emit_matrix_memory(fn, i);
        case InstKind::call:
            return emit_call(fn, i);
        case InstKind::system_call:
            return emit_system_call(fn, i);
        default:
            return fn.unsupported(i, "is not executed by this version of the emulated GPU");
    }
}

}  // namespace warpwright::engine::codegen

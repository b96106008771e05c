// %tid is computed from the warp's number where the block's shape makes it regular, and is read from a table elsewhere.
// Registers that mean nothing on an emulated GPU read as zero.
#include "engine/codegen/special_registers.hpp"

#include <algorithm>

#include "engine/codegen/counting.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"

namespace warpwright::engine::codegen {

using simt::Shape;
using R = simt::SpecialReg;

namespace {

/// Registers that are a field of 32 bits of the block's context.
struct ContextField {
    R reg;
    std::size_t offset;
};
constexpr ContextField kContextFields[] = {
    {R::ctaid_x, offsetof(BlockContext, ctaid)},
    {R::ctaid_y, offsetof(BlockContext, ctaid) + 4},
    {R::ctaid_z, offsetof(BlockContext, ctaid) + 8},
    {R::nctaid_x, offsetof(BlockContext, nctaid)},
    {R::nctaid_y, offsetof(BlockContext, nctaid) + 4},
    {R::nctaid_z, offsetof(BlockContext, nctaid) + 8},
    {R::clusterid_x, offsetof(BlockContext, clusterid)},
    {R::clusterid_y, offsetof(BlockContext, clusterid) + 4},
    {R::clusterid_z, offsetof(BlockContext, clusterid) + 8},
    {R::nclusterid_x, offsetof(BlockContext, nclusterid)},
    {R::nclusterid_y, offsetof(BlockContext, nclusterid) + 4},
    {R::nclusterid_z, offsetof(BlockContext, nclusterid) + 8},
    {R::cluster_ctaid_x, offsetof(BlockContext, cluster_ctaid)},
    {R::cluster_ctaid_y, offsetof(BlockContext, cluster_ctaid) + 4},
    {R::cluster_ctaid_z, offsetof(BlockContext, cluster_ctaid) + 8},
    {R::cluster_ctarank, offsetof(BlockContext, cluster_rank)},
    {R::cluster_nctaid_x, offsetof(BlockContext, cluster_nctaid)},
    {R::cluster_nctaid_y, offsetof(BlockContext, cluster_nctaid) + 4},
    {R::cluster_nctaid_z, offsetof(BlockContext, cluster_nctaid) + 8},
    {R::cluster_nctarank, offsetof(BlockContext, cluster_size)},
    {R::envreg3, offsetof(BlockContext, offset)},
    {R::envreg4, offsetof(BlockContext, offset) + 4},
    {R::envreg5, offsetof(BlockContext, offset) + 8},
    {R::envreg6, offsetof(BlockContext, dimensions)},
    {R::smid, offsetof(BlockContext, smid)},
    {R::nsmid, offsetof(BlockContext, nsmid)},
};

V tid_scalar(FunctionState& fn, unsigned component) {
    V warp = fn.load_field(fn.b.getInt32Ty(), fn.frame, offsetof(WarpFrame, warp));
    V linear = fn.b.CreateMul(warp, fn.i32(fn.lanes));
    const auto& s = fn.options.block;
    if (component == 0) return s.y * s.z == 1 ? linear : fn.b.CreateURem(linear, fn.i32(s.x));
    V row = fn.b.CreateUDiv(linear, fn.i32(s.x));
    if (component == 1) return s.z == 1 ? row : fn.b.CreateURem(row, fn.i32(s.y));
    return fn.b.CreateUDiv(row, fn.i32(s.y));
}

V thread_index(FunctionState& fn, unsigned component, bool scalar) {
    auto pattern = simt::tid_pattern(fn.options.block, component);
    if (pattern.shape == Shape::varying) {
        V table = fn.load_field(fn.b.getPtrTy(), fn.frame, offsetof(WarpFrame, tid) + 8 * component);
        return fn.b.CreateZExt(fn.b.CreateAlignedLoad(fn.vec(fn.b.getInt16Ty()), table, llvm::Align(2)),
                               fn.vec(fn.b.getInt32Ty()));
    }
    V base = tid_scalar(fn, component);
    if (scalar) return base;
    return fn.b.CreateAdd(fn.splat(base), lane_constant(fn, pattern.constant, 32));
}

/// A constant of 32 bits for each lane.
template <class Of>
V by_lane(FunctionState& fn, Of of) {
    simt::LaneVector m{};
    for (unsigned l = 0; l < fn.lanes; ++l) m[l] = static_cast<std::int64_t>(static_cast<std::uint32_t>(of(l)));
    return lane_constant(fn, m, 32);
}

V high_half(FunctionState& fn, V x) { return fn.b.CreateLShr(x, fn.i64(32)); }

/// A clock at the instruction: the warp's own has what the whole block takes.
template <auto* F>
V read_clock(FunctionState& fn, const simt::Inst& i) {
    const auto rest = pace_of(fn.ir.blocks[fn.at.block], &i);
    return call<F>(fn, {fn.i64(rest.instructions), fn.i64(rest.trips)});
}

/// A register that depends on a lane's place in the warp; null for other registers.
V lane_register(FunctionState& fn, R reg, bool scalar) {
    switch (reg) {
        case R::laneid:
            // As a scalar this is the base; lanes differ by their offsets.
            return scalar ? fn.i32(0) : by_lane(fn, [](unsigned l) { return l; });
        case R::lanemask_eq:
            return by_lane(fn, [](unsigned l) { return 1ull << l; });
        case R::lanemask_le:
            return by_lane(fn, [](unsigned l) { return (2ull << l) - 1; });
        case R::lanemask_lt:
            return by_lane(fn, [](unsigned l) { return (1ull << l) - 1; });
        case R::lanemask_ge:
            return by_lane(fn, [](unsigned l) { return ~((1ull << l) - 1); });
        case R::lanemask_gt:
            return by_lane(fn, [](unsigned l) { return ~((2ull << l) - 1); });
        default:
            return nullptr;
    }
}

/// Registers with one value for the whole warp. Those without a meaning on an emulated GPU are zero.
V warp_register(FunctionState& fn, R reg, const simt::Inst& i) {
    for (const auto& f : kContextFields)
        if (f.reg == reg) return fn.load_field(fn.b.getInt32Ty(), fn.ctx, f.offset);
    switch (reg) {
        case R::ntid_x:
            return fn.i32(fn.options.block.x);
        case R::ntid_y:
            return fn.i32(fn.options.block.y);
        case R::ntid_z:
            return fn.i32(fn.options.block.z);
        case R::is_explicit_cluster:
            return fn.b.CreateICmpNE(fn.load_field(fn.b.getInt32Ty(), fn.ctx, offsetof(BlockContext, cluster_explicit)),
                                     fn.i32(0));
        case R::warpid:
            return fn.load_field(fn.b.getInt32Ty(), fn.frame, offsetof(WarpFrame, warp));
        case R::nwarpid:
            return fn.i32(64);
        case R::gridid:
            return fn.load_field(fn.b.getInt64Ty(), fn.ctx, offsetof(BlockContext, gridid));
        case R::current_graph_exec:
            return fn.load_field(fn.b.getInt64Ty(), fn.ctx, offsetof(BlockContext, graph));
        case R::clock:
        case R::clock64:
            return read_clock<ww_rt_clock>(fn, i);
        case R::clock_hi:
            return high_half(fn, read_clock<ww_rt_clock>(fn, i));
        case R::globaltimer:
        case R::globaltimer_lo:
            return read_clock<ww_rt_globaltimer>(fn, i);
        case R::globaltimer_hi:
            return high_half(fn, read_clock<ww_rt_globaltimer>(fn, i));
        case R::total_smem_size:
        case R::aggr_smem_size:
            return fn.shared_size;
        case R::dynamic_smem_size:
            return fn.load_field(fn.b.getInt64Ty(), fn.ctx, offsetof(BlockContext, dynamic_shared));
        case R::envreg1:
        case R::envreg2:
            return call<ww_rt_envreg>(fn, {fn.i32(reg == R::envreg1 ? 1 : 2)});
        default:
            return fn.i32(0);
    }
}

}  // namespace

void emit_special_register(FunctionState& fn, const simt::Inst& i) {
    const auto v = i.out[0];
    if (v == simt::kNone) return;
    const bool scalar = fn.scalar_kind(v);
    switch (i.special) {
        case R::tid_x:
            return define(fn, v, thread_index(fn, 0, scalar));
        case R::tid_y:
            return define(fn, v, thread_index(fn, 1, scalar));
        case R::tid_z:
            return define(fn, v, thread_index(fn, 2, scalar));
        default:
            break;
    }
    V of_lane = lane_register(fn, i.special, scalar);
    define(fn, v, of_lane ? of_lane : warp_register(fn, i.special, i));
}

}  // namespace warpwright::engine::codegen

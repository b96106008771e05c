// Votes and elections are logic on masks, while matches and reductions gather the lanes into buffers for the runtime.
// The checkers look at member masks before any of them.
#include "engine/codegen/warp_operations.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "engine/codegen/checked_access.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/shuffle.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;
using simt::kNone;
using simt::Mod;

namespace {

/// Stores output k of an instruction, if it is used.
void put(FunctionState& fn, const simt::Inst& i, std::size_t k, V x) {
    if (k < i.out.size() && i.out[k] != kNone) define(fn, i.out[k], x);
}

/// Calls the checkers for masks, and for shuffles from inactive lanes.
void check_operation(FunctionState& fn, const simt::Inst& i) {
    if (i.in.empty()) return;
    if (i.kind == InstKind::warp_barrier || i.kind == InstKind::elect)
        check_members(fn, i, i.in[0], fn.active());
    else if (i.ptx->has(Mod::sync) && i.kind != InstKind::active_mask)
        check_members(fn, i, i.in.back(), fn.active());
    if (i.kind == InstKind::shuffle && !fn.at.converged) check_shuffle(fn, i, fn.active());
}

Result<void> vote(FunctionState& fn, const simt::Inst& i) {
    V active = fn.active();
    const bool sync = i.ptx->has(Mod::sync);
    V bits = fn.b.CreateAnd(mask_bits(fn, vector(fn, i.in[0], fn.b.getInt1Ty())), active);
    const bool same = !sync || fn.uniform(i.in[1]);
    auto lift = [&](V x) { return same ? x : fn.splat(x); };
    V member = !sync ? active : same ? scalar(fn, i.in[1], fn.mask_type) : vector(fn, i.in[1], fn.mask_type);
    V yes = fn.b.CreateAnd(lift(bits), member);
    V no = fn.b.CreateAnd(lift(fn.b.CreateAnd(fn.b.CreateNot(bits), active)), member);
    V zero = llvm::Constant::getNullValue(yes->getType());
    V all = fn.b.CreateICmpEQ(no, zero), any = fn.b.CreateICmpNE(yes, zero);
    if (i.ptx->has(Mod::ballot))
        put(fn, i, 0, yes);
    else if (i.ptx->has(Mod::all))
        put(fn, i, 0, all);
    else if (i.ptx->has(Mod::any))
        put(fn, i, 0, any);
    else if (i.ptx->has(Mod::uni))
        put(fn, i, 0, fn.b.CreateOr(all, fn.b.CreateNot(any)));
    else
        return fn.unsupported(i, "this vote mode is not supported");
    return {};
}

/// Buffers of match and redux: the lanes' values, their member masks, and the results.
struct Gathered {
    V values, masks, out, flags;
};
Gathered gather(FunctionState& fn, const simt::Inst& i) {
    const bool wide = simt::bits(i.ptx->type(0)) == 64;
    V values = fn.buffer(0, 8 * fn.lanes), masks = fn.buffer(1, 8 * fn.lanes), out = fn.buffer(3, 8 * fn.lanes),
      flags = fn.buffer(2, 8 * fn.lanes);
    auto t = fn.b.getInt64Ty();
    V x = wide ? vector_bits(fn, i.in[0], t)
               : static_cast<V>(fn.b.CreateZExt(vector_bits(fn, i.in[0], fn.b.getInt32Ty()), fn.vec(t)));
    fn.b.CreateAlignedStore(x, values, llvm::Align(64));
    fn.b.CreateAlignedStore(vector(fn, i.in[1], t), masks, llvm::Align(64));
    return {values, masks, out, flags};
}

Result<void> match(FunctionState& fn, const simt::Inst& i) {
    const auto g = gather(fn, i);
    auto t = fn.b.getInt64Ty();
    call<ww_rt_match>(
        fn, {fn.i32(i.ptx->has(Mod::all) ? 1 : 0), g.values, g.masks, fn.mask64(fn.active()), g.out, g.flags});
    put(fn, i, 0,
        fn.b.CreateTrunc(fn.b.CreateAlignedLoad(fn.vec(t), g.out, llvm::Align(64)), fn.vec(fn.b.getInt32Ty())));
    if (i.out.size() > 1)
        put(fn, i, 1,
            fn.b.CreateICmpNE(fn.b.CreateAlignedLoad(fn.vec(t), g.flags, llvm::Align(64)), fn.splat(fn.i64(0))));
    return {};
}

/// The number of the operation for ww_rt_redux; kNone: it has none.
unsigned reduction(const simt::Details& p) {
    const bool sign = simt::is_signed(p.type(0)), real = simt::is_float(p.type(0));
    if (p.has(Mod::add)) return 0;
    if (p.has(Mod::min)) return real ? 6 : sign ? 2 : 1;
    if (p.has(Mod::max)) return real ? 7 : sign ? 4 : 3;
    if (p.has(Mod::and_)) return 8;
    if (p.has(Mod::or_)) return 9;
    if (p.has(Mod::xor_)) return 10;
    return kNone;
}

Result<void> reduce(FunctionState& fn, const simt::Inst& i) {
    V active = fn.active();
    const auto g = gather(fn, i);
    const auto op = reduction(*i.ptx);
    if (op == kNone) return fn.unsupported(i, "this reduction is not supported");
    const unsigned how = (i.ptx->has(Mod::abs) ? 1u : 0u) | (i.ptx->has(Mod::nan_) ? 2u : 0u);
    call<ww_rt_redux>(fn, {fn.i32(op), fn.i32(how), g.values, g.masks, fn.mask64(active), g.out});
    V r = fn.b.CreateTrunc(fn.b.CreateAlignedLoad(fn.vec(fn.b.getInt64Ty()), g.out, llvm::Align(64)),
                           fn.vec(fn.b.getInt32Ty()));
    if (i.out[0] != kNone && fn.scalar_kind(i.out[0])) {
        // Every participating lane has the same value, so the first active one's is right.
        V lane = fn.b.CreateIntrinsic(fn.b.getInt64Ty(), llvm::Intrinsic::cttz, {fn.mask64(active), fn.b.getTrue()});
        put(fn, i, 0, fn.b.CreateExtractElement(r, lane));
    } else {
        put(fn, i, 0, r);
    }
    return {};
}

Result<void> elect(FunctionState& fn, const simt::Inst& i) {
    V asked = scalar(fn, i.in[0], fn.mask_type);
    V member = fn.b.CreateAnd(asked, fn.active());
    V leader = fn.b.CreateIntrinsic(fn.mask_type, llvm::Intrinsic::cttz, {member, fn.b.getFalse()});
    put(fn, i, 0, fn.b.CreateZExtOrTrunc(leader, fn.b.getInt32Ty()));
    if (i.out.size() > 1) {
        simt::LaneVector l{};
        for (unsigned k = 0; k < fn.lanes; ++k) l[k] = k;
        put(fn, i, 1, fn.b.CreateICmpEQ(lane_constant(fn, l, fn.lanes), fn.splat(leader)));
    }
    return {};
}

}  // namespace

Result<void> emit_warp_operation(FunctionState& fn, const simt::Inst& i) {
    if (fn.options.check) check_operation(fn, i);
    switch (i.kind) {
        case InstKind::warp_barrier:
            return {};
        case InstKind::active_mask:
            put(fn, i, 0, fn.active());
            return {};
        case InstKind::shuffle:
            return emit_shuffle(fn, i);
        case InstKind::vote:
            return vote(fn, i);
        case InstKind::match:
            return match(fn, i);
        case InstKind::reduce:
            return reduce(fn, i);
        case InstKind::elect:
            return elect(fn, i);
        default:
            return fn.unsupported(i, "is not executed by this version of the emulated GPU");
    }
}

}  // namespace warpwright::engine::codegen

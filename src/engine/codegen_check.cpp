// What code for a checked launch does besides: it asks before every regular access, and tells of fences, warp-level
// waits and masks. Irregular accesses and atomics go through the runtime anyway, which knows of the checkers.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>

#include "engine/check_run.hpp"
#include "engine/codegen.hpp"

namespace warpwright::engine {

using ptx::Mod;
using ptx::Op;
using ptx::Space;
using simt::InstKind;
using simt::kNone;

/// 1 where the access may be done in its regular way: the form's assumptions hold, it is within bounds, written before it is
/// read, and no race. All of that is then noted.
Codegen::V Codegen::in_order(const Access& a) {
    const auto site = layout_.first_site + a.site;
    const std::uint32_t kind = static_cast<std::uint32_t>(std::countr_zero(a.total())) << check::shape::kBytesShift | (a.store ? kShapeStore : 0) |
                               (a.space == Space::shared ? kShapeShared : 0) | (order_of(*a.inst->ptx, false).strength == check::kWeak ? kShapePlain : 0);
    const auto ask = [&](V address, unsigned first, unsigned lanes, bool same) {
        const std::uint32_t shape = first | lanes << 8 | (same ? check::shape::kSame : 0) | kind;
        return static_cast<V>(b_.CreateICmpNE(runtime("ww_chk_run", b_.getInt32Ty(), {ctx_, frame_, i32(site), address, i32(shape)}), i32(0)));
    };
    if (copy_ == kPartial) {
        // Which lanes are active is known only then: one stretch of them has a quick answer too.
        if (uniform(a.inst->in[0])) {
            V first = b_.CreateTrunc(b_.CreateIntrinsic(b_.getInt64Ty(), llvm::Intrinsic::cttz, {mask64(mask_), b_.getTrue()}), b_.getInt32Ty());
            V last = b_.CreateSub(i32(63), b_.CreateTrunc(b_.CreateIntrinsic(b_.getInt64Ty(), llvm::Intrinsic::ctlz, {mask64(mask_), b_.getTrue()}), b_.getInt32Ty()));
            V lanes = b_.CreateAdd(b_.CreateSub(last, first), i32(1));
            V shape = b_.CreateOr(b_.CreateOr(first, b_.CreateShl(lanes, i32(8))), i32(check::shape::kSame | kind));
            return b_.CreateICmpNE(runtime("ww_chk_run", b_.getInt32Ty(), {ctx_, frame_, i32(site), address_scalar(a), shape}), i32(0));
        }
        auto stretch = [&]() -> V {
            V base = address_scalar(a);
            V start = run_address(a, a.runs[0], base);
            return b_.CreateICmpNE(runtime("ww_chk_stretch", b_.getInt32Ty(), {ctx_, frame_, i32(site), start, mask64(mask_), i32(kind)}), i32(0));
        };
        if (a.affine->assumes.empty()) return stretch();
        return in_two_ways(assumptions_hold(*a.affine), stretch, [&]() -> V { return b_.getFalse(); });
    }
    if (uniform(a.inst->in[0])) return ask(address_scalar(a), 0, lanes_, true);
    auto runs = [&]() -> V {
        V base = address_scalar(a), all = b_.getTrue();
        for (unsigned k = 0; k < a.runs.size(); ++k) {
            const auto& r = a.runs[k];
            // Of runs at one place each is an access of its own lanes. Two readers are kept: the first and the last speak for all.
            const auto same = [&](unsigned j) { return a.runs[j].same_as == r.same_as; };
            bool before = false, after = false;
            for (unsigned j = 0; j < a.runs.size(); ++j) (j < k ? before : after) |= j != k && same(j);
            if (!a.store && before && after) continue;
            all = b_.CreateAnd(all, ask(run_address(a, r, base), r.first, r.count, !r.contiguous));
        }
        return all;
    };
    if (a.affine->assumes.empty()) return runs();
    return in_two_ways(assumptions_hold(*a.affine), runs, [&]() -> V { return b_.getFalse(); });
}

/// Values that are only moved, packed and stored: what is read into them is copied, not looked at.
void Codegen::find_copies() {
    looked_at_.assign(f_.values.size(), false);
    for (bool more = true; more;) {
        more = false;
        const auto look = [&](const simt::Operand& o) {
            if (o.is_value() && !looked_at_[o.value]) looked_at_[o.value] = more = true;
        };
        for (const auto& block : f_.blocks) {
            look(block.end.condition);
            for (const auto& i : block.insts) {
                const bool passes = i.kind == InstKind::phi || i.kind == InstKind::move || i.kind == InstKind::pack || i.kind == InstKind::unpack || i.kind == InstKind::select;
                const bool out = std::any_of(i.out.begin(), i.out.end(), [&](simt::ValueId v) { return v != kNone && looked_at_[v]; });
                for (std::size_t k = 0; k < i.in.size(); ++k) {
                    if (i.kind == InstKind::store && k > 0) continue;
                    if (passes && !out && !(i.kind == InstKind::select && k == 0)) continue;
                    look(i.in[k]);
                }
            }
        }
    }
}

std::uint32_t Codegen::copied_elements(const simt::Inst& i) const {
    std::uint32_t copied = 0;
    for (std::size_t e = 0; e < i.out.size() && e < 32; ++e)
        if (i.out[e] == kNone || !looked_at_[i.out[e]]) copied |= 1u << e;
    return copied;
}

void Codegen::check_copies(const simt::Inst& i) {
    const auto what = i.ptx->op == Op::cp_async_commit_group ? 0u : i.ptx->op == Op::cp_async_wait_group ? 1u : 2u;
    const auto keep = i.ptx->operands.empty() ? 0 : i.ptx->operands[0].value;
    runtime("ww_chk_copies", b_.getVoidTy(), {ctx_, frame_, i32(what), i32(keep), mask64(copy_ == kFull ? full_mask() : mask_)});
}

void Codegen::check_fence(const simt::Inst& i) {
    for (auto m : i.ptx->mods)  // of proxies and mbarriers: they order nothing between threads
        if (std::string_view(ptx::spelling(m)).starts_with("proxy") || std::string_view(ptx::spelling(m)).starts_with("mbarrier")) return;
    runtime("ww_chk_fence", b_.getVoidTy(), {ctx_, frame_, i32(i.ptx->has(Mod::cta) ? 0 : 1), mask64(copy_ == kFull ? full_mask() : mask_)});
}

void Codegen::check_members(const simt::Inst& i, const simt::Operand& member, V active) {
    const bool barrier = i.kind == InstKind::warp_barrier;
    const bool all = copy_ == kFull && member.is_integer() && (member.bits & 0xffffffffu) == 0xffffffffu;
    if (lanes_ > 32 || (all && !barrier)) return;
    V named = buffer(2, 8 * lanes_);
    b_.CreateAlignedStore(vector(member, b_.getInt32Ty()), named, llvm::Align(64));
    if (!all) runtime("ww_chk_mask", b_.getVoidTy(), {ctx_, frame_, i32(layout_.first_barrier + barrier_index(i)), named, mask64(active)});
    if (barrier) runtime("ww_chk_warp_sync", b_.getVoidTy(), {ctx_, frame_, named, mask64(active)});
}

void Codegen::check_shuffle(const simt::Inst& i, V active) {
    if (lanes_ > 32) return;
    const bool up = i.ptx->has(Mod::up), down = i.ptx->has(Mod::down), bfly = i.ptx->has(Mod::bfly);
    V by = buffer(1, 8 * lanes_), clamps = buffer(2, 8 * lanes_);
    b_.CreateAlignedStore(vector(i.in[1], b_.getInt32Ty()), by, llvm::Align(64));
    b_.CreateAlignedStore(vector(i.in[2], b_.getInt32Ty()), clamps, llvm::Align(64));
    runtime("ww_chk_shuffle", b_.getVoidTy(),
            {ctx_, frame_, i32(layout_.first_barrier + barrier_index(i)), i32(up ? 0 : down ? 1 : bfly ? 2 : 3), by, clamps, mask64(active)});
}

}  // namespace warpwright::engine

// What code for a checked launch does besides: it asks before every regular access, and tells of fences, warp-level
// waits and masks. Irregular accesses and atomics go through the runtime anyway, which knows of the checkers.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>

#include "engine/checked/regular_access.hpp"
#include "engine/codegen/codegen.hpp"

namespace warpwright::engine {

using ptx::Mod;
using ptx::Op;
using ptx::Space;
using simt::InstKind;
using simt::kNone;

/// 1 where `words` of device memory from an address on are quiet (check/shadow.hpp), and it is aligned to `each`: what
/// ww_chk_run would ask first.
Codegen::V Codegen::quiet_at(V address, unsigned each, unsigned words) {
    V in = b_.CreateSub(address, quiet_start_), inside = b_.CreateICmpULT(in, quiet_limit_);
    V at = b_.CreateGEP(b_.getInt8Ty(), quiet_, b_.CreateLShr(b_.CreateSelect(inside, in, i64(0)), 2));
    V quiet;
    if (words == 1) {
        quiet = b_.CreateICmpEQ(b_.CreateLoad(b_.getInt8Ty(), at), quiet_mark_);
    } else {
        auto* t = llvm::FixedVectorType::get(b_.getInt8Ty(), words);
        V same = b_.CreateICmpEQ(b_.CreateAlignedLoad(t, at, llvm::Align(1)), b_.CreateVectorSplat(words, quiet_mark_));
        quiet = b_.CreateAndReduce(same);
    }
    V aligned = b_.CreateICmpEQ(b_.CreateAnd(address, i64(each - 1)), i64(0));
    return b_.CreateAnd(b_.CreateAnd(inside, aligned), quiet);
}

/// What of an access's shape is the same for all its lanes.
std::uint32_t Codegen::checked_kind(const Access& a) {
    return static_cast<std::uint32_t>(std::countr_zero(a.total())) << shadow::shape::kBytesShift |
           (a.store ? kShapeStore : 0) | (a.space == Space::shared ? kShapeShared : 0) |
           (order_of(*a.inst->ptx, false).strength == shadow::kWeak ? kShapePlain : 0);
}

/// 1 where the access may be done in its regular way: the form's assumptions hold, it is within bounds, written before
/// it is read, and no race. All of that is then noted.
Codegen::V Codegen::in_order(const Access& a) {
    const auto site = layout_.first_site + a.site;
    const auto kind = checked_kind(a);
    const auto ask = [&](V address, unsigned first, unsigned lanes, bool same) {
        const std::uint32_t shape = first | lanes << 8 | (same ? shadow::shape::kSame : 0) | kind;
        const auto call = [&]() -> V {
            return b_.CreateICmpNE(runtime<ww_chk_run>({i32(site), address, i32(shape)}), i32(0));
        };
        if (a.store || a.space != Space::global || !(kind & kShapePlain) || a.total() < 4) return call();
        return in_two_ways(
            quiet_at(address, a.total(), (same ? 1 : lanes) * a.total() / 4), [&]() -> V { return b_.getTrue(); },
            call);
    };
    if (copy_ == kPartial) {
        // Which lanes are active is known only then: one stretch of them has a quick answer too.
        if (uniform(a.inst->in[0])) {
            V first = b_.CreateTrunc(
                b_.CreateIntrinsic(b_.getInt64Ty(), llvm::Intrinsic::cttz, {mask64(mask_), b_.getTrue()}),
                b_.getInt32Ty());
            V last = b_.CreateSub(i32(63), b_.CreateTrunc(b_.CreateIntrinsic(b_.getInt64Ty(), llvm::Intrinsic::ctlz,
                                                                             {mask64(mask_), b_.getTrue()}),
                                                          b_.getInt32Ty()));
            V lanes = b_.CreateAdd(b_.CreateSub(last, first), i32(1));
            V shape = b_.CreateOr(b_.CreateOr(first, b_.CreateShl(lanes, i32(8))), i32(shadow::shape::kSame | kind));
            return b_.CreateICmpNE(runtime<ww_chk_run>({i32(site), address_scalar(a), shape}), i32(0));
        }
        auto stretch = [&]() -> V {
            V base = address_scalar(a);
            V start = run_address(a, a.runs[0], base);
            return b_.CreateICmpNE(runtime<ww_chk_stretch>({i32(site), start, mask64(mask_), i32(kind)}), i32(0));
        };
        if (a.affine->assumes.empty()) return stretch();
        return in_two_ways(assumptions_hold(*a.affine), stretch, [&]() -> V { return b_.getFalse(); });
    }
    if (uniform(a.inst->in[0])) return ask(address_scalar(a), 0, lanes_, true);
    auto runs = [&]() -> V {
        V base = address_scalar(a), all = b_.getTrue();
        for (unsigned k = 0; k < a.runs.size(); ++k) {
            const auto& r = a.runs[k];
            // Of runs at one place each is an access of its own lanes. Two readers are kept: the first and the last
            // speak for all.
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

std::vector<Codegen::Strided> Codegen::strided(const Access& a) const {
    const auto& at = a.affine->constant;
    std::vector<Strided> out;
    for (unsigned l = 0; l < lanes_;) {
        Strided s{l, 1, at[l], static_cast<std::int64_t>(a.total())};
        if (l + 1 < lanes_) s.stride = at[l + 1] - at[l];
        while (l + s.count < lanes_ && at[l + s.count] - at[l + s.count - 1] == s.stride) ++s.count;
        l += s.count;
        out.push_back(s);
    }
    return out;
}

/// As in_order(), for what scattered_load() and scattered_store() do.
Codegen::V Codegen::strided_in_order(const Access& a, V base) {
    const auto kind = checked_kind(a);
    const bool narrow = a.space == Space::shared && value_type(a.inst->in[0].value)->getIntegerBitWidth() == 32;
    const auto parts = strided(a);
    auto ask = [&]() -> V {
        V all = b_.getTrue();
        for (std::size_t k = 0; k < parts.size(); ++k) {
            const auto& p = parts[k];
            const auto same = [&](const Strided& x) {
                return x.offset == p.offset && x.count == p.count && x.stride == p.stride;
            };
            const bool before = std::any_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(k), same);
            const bool after = std::any_of(parts.begin() + static_cast<std::ptrdiff_t>(k) + 1, parts.end(), same);
            if (!a.store && before && after) continue;
            V start = b_.CreateAdd(base, i64(static_cast<std::uint64_t>(p.offset)));
            if (narrow) start = b_.CreateAnd(start, i64(0xffffffff));
            all = b_.CreateAnd(
                all,
                b_.CreateICmpNE(runtime<ww_chk_strided>({i32(layout_.first_site + a.site), start,
                                                         i64(static_cast<std::uint64_t>(p.stride)),
                                                         i32(p.first | p.count << 8 | shadow::shape::kStrided | kind)}),
                                i32(0)));
        }
        return all;
    };
    if (a.affine->assumes.empty()) return ask();
    return in_two_ways(assumptions_hold(*a.affine), ask, [&]() -> V { return b_.getFalse(); });
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
                const bool passes = i.kind == InstKind::phi || i.kind == InstKind::move || i.kind == InstKind::pack ||
                                    i.kind == InstKind::unpack || i.kind == InstKind::select;
                const bool out = std::any_of(i.out.begin(), i.out.end(),
                                             [&](simt::ValueId v) { return v != kNone && looked_at_[v]; });
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
    runtime<ww_chk_copies>({i32(what), i32(keep), mask64(copy_ == kFull ? full_mask() : mask_)});
}

void Codegen::check_fence(const simt::Inst& i) {
    for (auto m : i.ptx->mods)  // of proxies and mbarriers: they order nothing between threads
        if (std::string_view(ptx::spelling(m)).starts_with("proxy") ||
            std::string_view(ptx::spelling(m)).starts_with("mbarrier"))
            return;
    runtime<ww_chk_fence>({i32(i.ptx->has(Mod::cta) ? 0 : 1), mask64(copy_ == kFull ? full_mask() : mask_)});
}

void Codegen::check_members(const simt::Inst& i, const simt::Operand& member, V active) {
    const bool barrier = i.kind == InstKind::warp_barrier;
    const bool all = copy_ == kFull && member.is_integer() && (member.bits & 0xffffffffu) == 0xffffffffu;
    if (lanes_ > 32 || (all && !barrier)) return;
    V named = buffer(2, 8 * lanes_);
    b_.CreateAlignedStore(vector(member, b_.getInt32Ty()), named, llvm::Align(64));
    if (!all) runtime<ww_chk_mask>({i32(layout_.first_barrier + barrier_index(i)), named, mask64(active)});
    if (barrier) runtime<ww_chk_warp_sync>({named, mask64(active)});
}

void Codegen::check_shuffle(const simt::Inst& i, V active) {
    if (lanes_ > 32) return;
    const bool up = i.ptx->has(Mod::up), down = i.ptx->has(Mod::down), bfly = i.ptx->has(Mod::bfly);
    V by = buffer(1, 8 * lanes_), clamps = buffer(2, 8 * lanes_);
    b_.CreateAlignedStore(vector(i.in[1], b_.getInt32Ty()), by, llvm::Align(64));
    b_.CreateAlignedStore(vector(i.in[2], b_.getInt32Ty()), clamps, llvm::Align(64));
    runtime<ww_chk_shuffle>({i32(layout_.first_barrier + barrier_index(i)),
                             i32(up     ? 0
                                 : down ? 1
                                 : bfly ? 2
                                        : 3),
                             by, clamps, mask64(active)});
}

}  // namespace warpwright::engine

// The test that mostly succeeds is written inline (quick_reads.hpp), and only other accesses ask the runtime. Loads
// whose bytes are only stored elsewhere are found in advance, because copying unwritten bytes is no defect.
#include "engine/codegen/checked_access.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "engine/codegen/affine_values.hpp"
#include "engine/codegen/quick_reads.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/shuffle.hpp"
#include "engine/codegen/sites.hpp"
#include "engine/codegen/two_ways.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/check_order.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;
using simt::kNone;
using simt::Mod;
using simt::Op;
using simt::Space;

namespace {

/// More reads than this in a function ask the runtime, which takes less code.
constexpr unsigned kMostLogged = 256;

/// The part of an access's shape that is the same for all its lanes.
std::uint32_t checked_kind(const FunctionState& fn, const Access& a) {
    const bool plain = is_plain(fn, a);
    return static_cast<std::uint32_t>(std::countr_zero(a.total())) << shadow::shape::kBytesShift |
           (a.store ? kShapeStore : 0) | (a.space == Space::shared ? kShapeShared : 0) | (plain ? kShapePlain : 0);
}

/// The active lanes of a masked copy are known only at run time; consecutive ones have a quick test too.
V masked_in_order(FunctionState& fn, const Access& a) {
    const auto site = fn.layout.first_site + a.site;
    const auto kind = checked_kind(fn, a);
    if (fn.uniform(a.inst->in[0])) {
        V first = fn.b.CreateTrunc(
            fn.b.CreateIntrinsic(fn.b.getInt64Ty(), llvm::Intrinsic::cttz, {fn.mask64(fn.at.mask), fn.b.getTrue()}),
            fn.b.getInt32Ty());
        V last =
            fn.b.CreateSub(fn.i32(63), fn.b.CreateTrunc(fn.b.CreateIntrinsic(fn.b.getInt64Ty(), llvm::Intrinsic::ctlz,
                                                                             {fn.mask64(fn.at.mask), fn.b.getTrue()}),
                                                        fn.b.getInt32Ty()));
        V lanes = fn.b.CreateAdd(fn.b.CreateSub(last, first), fn.i32(1));
        V shape =
            fn.b.CreateOr(fn.b.CreateOr(first, fn.b.CreateShl(lanes, fn.i32(8))), fn.i32(shadow::shape::kSame | kind));
        return fn.b.CreateICmpNE(call<ww_chk_run>(fn, {fn.i32(site), address_scalar(fn, a), shape}), fn.i32(0));
    }
    auto stretch = [&]() -> V {
        V base = address_scalar(fn, a);
        V start = run_address(fn, a, a.runs[0], base);
        return fn.b.CreateICmpNE(call<ww_chk_stretch>(fn, {fn.i32(site), start, fn.mask64(fn.at.mask), fn.i32(kind)}),
                                 fn.i32(0));
    };
    if (a.affine->assumes.empty()) return stretch();
    return in_two_ways(fn, assumptions_hold(fn, *a.affine), stretch, [&]() -> V { return fn.b.getFalse(); });
}

}  // namespace

/// A load some of whose elements nothing reads is not plain: only the others are recorded, one by one.
bool is_plain(const FunctionState& fn, const Access& a) {
    return order_of(a.inst->ptx->access).strength == shadow::kWeak && (a.store || unused_elements(fn, *a.inst) == 0);
}

V followed_in_order(FunctionState& fn, const Access& a, V base) {
    const auto& r = a.runs[0];
    const Place p{base, static_cast<unsigned>(a.run_bytes(r)) / 4, {r.count << 8 | kShapeFollowed}};
    V quiet = quiet_at(fn, p, a.total());
    return in_two_ways(
        fn, quiet, [&]() -> V { return fn.b.getTrue(); },
        [&]() -> V {
            V fine = call<ww_chk_run>(fn, {fn.i32(fn.layout.first_site + a.site), base,
                                           fn.i32(p.shapes[0] | checked_kind(fn, a) | kShapeTested)});
            return fn.b.CreateICmpNE(fine, fn.i32(0));
        });
}

V followed_store_in_order(FunctionState& fn, const Access& a, V base, V value) {
    const auto shape = a.runs[0].count << 8 | checked_kind(fn, a);
    V data = fn.buffer(3, 32 * fn.lanes);
    fn.b.CreateAlignedStore(value, data, llvm::Align(a.bytes));
    V fine = call<ww_chk_store>(fn, {fn.i32(fn.layout.first_site + a.site), base, fn.i32(shape), data});
    return fn.b.CreateICmpNE(fine, fn.i32(0));
}

V regular_in_order(FunctionState& fn, const Access& a) {
    if (!fn.at.converged) return masked_in_order(fn, a);
    const auto site = fn.layout.first_site + a.site;
    const auto kind = checked_kind(fn, a);
    const auto ask = [&](const std::vector<Place>& places) -> V {
        std::uint32_t tested = 0;
        const auto ask_runtime = [&]() -> V {
            V all = fn.b.getTrue();
            for (const auto& p : places)
                for (const auto shape : p.shapes) {
                    V fine = call<ww_chk_run>(fn, {fn.i32(site), p.address, fn.i32(shape | kind | tested)});
                    all = fn.b.CreateAnd(all, fn.b.CreateICmpNE(fine, fn.i32(0)));
                }
            return all;
        };
        if (a.store || !(kind & kShapePlain) || a.total() < 4) return ask_runtime();
        if (a.space == Space::shared && fn.logged < kMostLogged) {
            fn.logged += static_cast<unsigned>(places.size());
            const auto read = calm_at(fn, places, a.total());
            const auto log = [&]() -> V {
                log_reads(fn, read, places, site, kind);
                return fn.b.getTrue();
            };
            return in_two_ways(fn, read.calm, log, ask_runtime);
        }
        if (a.space != Space::global) return ask_runtime();
        V quiet = fn.b.getTrue();
        for (const auto& p : places) quiet = fn.b.CreateAnd(quiet, quiet_at(fn, p, a.total()));
        if (places.size() == 1 && places[0].shapes.size() == 1) tested = kShapeTested;
        return in_two_ways(fn, quiet, [&]() -> V { return fn.b.getTrue(); }, ask_runtime);
    };
    const auto shape_of = [](unsigned first, unsigned lanes, bool same) {
        return first | lanes << 8 | (same ? shadow::shape::kSame : 0);
    };
    if (fn.uniform(a.inst->in[0])) return ask({{address_scalar(fn, a), a.total() / 4, {shape_of(0, fn.lanes, true)}}});
    auto runs = [&]() -> V {
        V base = address_scalar(fn, a);
        std::vector<Place> places;
        for (unsigned k = 0; k < a.runs.size(); ++k) {
            const auto& r = a.runs[k];
            if (!a.store && r.same_as != k) continue;
            // Each of several runs at one place is an access of its own lanes. The shadow keeps two readers, so the
            // first and the last run stand for all.
            Place p{run_address(fn, a, r, base),
                    static_cast<unsigned>(a.run_bytes(r)) / 4,
                    {shape_of(r.first, r.count, !r.contiguous)}};
            unsigned last = k;
            for (unsigned j = k + 1; j < a.runs.size() && !a.store; ++j)
                if (a.runs[j].same_as == k) last = j;
            if (last != k) p.shapes.push_back(shape_of(a.runs[last].first, r.count, !r.contiguous));
            places.push_back(std::move(p));
        }
        return ask(places);
    };
    if (a.affine->assumes.empty()) return runs();
    return in_two_ways(fn, assumptions_hold(fn, *a.affine), runs, [&]() -> V { return fn.b.getFalse(); });
}

std::vector<Strided> strided(const Access& a, unsigned lanes) {
    const auto& at = a.affine->constant;
    std::vector<Strided> out;
    for (unsigned l = 0; l < lanes;) {
        Strided s{l, 1, at[l], static_cast<std::int64_t>(a.total())};
        if (l + 1 < lanes) s.stride = at[l + 1] - at[l];
        while (l + s.count < lanes && at[l + s.count] - at[l + s.count - 1] == s.stride) ++s.count;
        l += s.count;
        out.push_back(s);
    }
    return out;
}

V strided_in_order(FunctionState& fn, const Access& a, V base) {
    const auto kind = checked_kind(fn, a);
    const bool narrow = a.space == Space::shared && value_type(fn, a.inst->in[0].value)->getIntegerBitWidth() == 32;
    const auto parts = strided(a, fn.lanes);
    auto ask = [&]() -> V {
        V all = fn.b.getTrue();
        for (std::size_t k = 0; k < parts.size(); ++k) {
            const auto& p = parts[k];
            const auto same = [&](const Strided& x) {
                return x.offset == p.offset && x.count == p.count && x.stride == p.stride;
            };
            const bool before = std::any_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(k), same);
            const bool after = std::any_of(parts.begin() + static_cast<std::ptrdiff_t>(k) + 1, parts.end(), same);
            if (!a.store && before && after) continue;
            V start = fn.b.CreateAdd(base, fn.i64(static_cast<std::uint64_t>(p.offset)));
            if (narrow) start = fn.b.CreateAnd(start, fn.i64(0xffffffff));
            all = fn.b.CreateAnd(
                all,
                fn.b.CreateICmpNE(call<ww_chk_strided>(
                                      fn, {site_number(fn, a.site), start, fn.i64(static_cast<std::uint64_t>(p.stride)),
                                           fn.i32(p.first | p.count << 8 | shadow::shape::kStrided | kind)}),
                                  fn.i32(0)));
        }
        return all;
    };
    if (a.affine->assumes.empty()) return ask();
    return in_two_ways(fn, assumptions_hold(fn, *a.affine), ask, [&]() -> V { return fn.b.getFalse(); });
}

void find_copies(FunctionState& fn) {
    fn.values.looked_at.assign(fn.ir.values.size(), false);
    fn.values.read.assign(fn.ir.values.size(), false);
    const auto read = [&](const simt::Operand& o) {
        if (o.is_value()) fn.values.read[o.value] = true;
    };
    for (const auto& block : fn.ir.blocks) {
        read(block.end.condition);
        for (const auto& i : block.insts) std::for_each(i.in.begin(), i.in.end(), read);
    }
    for (bool more = true; more;) {
        more = false;
        const auto look = [&](const simt::Operand& o) {
            if (o.is_value() && !fn.values.looked_at[o.value]) fn.values.looked_at[o.value] = more = true;
        };
        for (const auto& block : fn.ir.blocks) {
            look(block.end.condition);
            for (const auto& i : block.insts) {
                const bool passes = i.kind == InstKind::phi || i.kind == InstKind::move || i.kind == InstKind::pack ||
                                    i.kind == InstKind::unpack || i.kind == InstKind::select;
                const bool out = std::any_of(i.out.begin(), i.out.end(),
                                             [&](simt::ValueId v) { return v != kNone && fn.values.looked_at[v]; });
                for (std::size_t k = 0; k < i.in.size(); ++k) {
                    if (i.kind == InstKind::store && k > 0) continue;
                    if (passes && !out && !(i.kind == InstKind::select && k == 0)) continue;
                    look(i.in[k]);
                }
            }
        }
    }
}

std::uint32_t copied_elements(const FunctionState& fn, const simt::Inst& i) {
    std::uint32_t copied = 0;
    for (std::size_t e = 0; e < i.out.size() && e < 32; ++e)
        if (i.out[e] == kNone || !fn.values.looked_at[i.out[e]]) copied |= 1u << e;
    return copied;
}

std::uint32_t unused_elements(const FunctionState& fn, const simt::Inst& i) {
    std::uint32_t unused = 0;
    for (std::size_t e = 0; e < i.out.size() && e < 32; ++e)
        if (i.out[e] == kNone || !fn.values.read[i.out[e]]) unused |= 1u << e;
    return unused;
}

namespace {

enum class Number { unknown, whole, real };

/// What an instruction that is no move of any kind computes.
Number computed_by(const simt::Inst& i) {
    const auto type = i.ptx ? simt::operand_type(*i.ptx, 0) : simt::Type::none;
    if (type == simt::Type::none || simt::is_untyped(type)) return Number::unknown;
    return simt::is_float(type) ? Number::real : Number::whole;
}

/// Whether a value is a result of arithmetic on floats and of no other, as far as moves, choices and shuffles lead
/// back.
bool is_real(const FunctionState& fn, const simt::Operand& stored) {
    bool any = false;
    std::vector<bool> seen(fn.ir.values.size(), false);
    std::vector<simt::Operand> open{stored};
    while (!open.empty()) {
        const auto o = open.back();
        open.pop_back();
        if (!o.is_value()) {
            any |= o.kind == simt::Operand::Kind::real;
            continue;
        }
        const auto& value = fn.ir.values[o.value];
        if (seen[o.value] || value.block == kNone || value.inst == kNone) continue;
        seen[o.value] = true;
        if (simt::is_float(value.type)) {
            any = true;
            continue;
        }
        const auto& i = fn.ir.blocks[value.block].insts[value.inst];
        switch (i.kind) {
            case InstKind::phi:
            case InstKind::move:
                open.insert(open.end(), i.in.begin(), i.in.end());
                break;
            case InstKind::select:
                open.insert(open.end(), i.in.begin() + 1, i.in.end());
                break;
            case InstKind::shuffle:
                open.push_back(i.in[0]);
                break;
            default:
                if (computed_by(i) == Number::whole) return false;
                any |= computed_by(i) == Number::real;
        }
    }
    return any;
}

}  // namespace

bool stores_floats(const FunctionState& fn, const simt::Inst& i) {
    const auto type = i.ptx->type();
    if (!simt::is_untyped(type)) return simt::is_float(type);
    return std::all_of(i.in.begin() + 1, i.in.end(), [&](const simt::Operand& o) { return is_real(fn, o); });
}

void check_copies(FunctionState& fn, const simt::Inst& i) {
    const auto what = [&]() -> std::optional<GroupOp> {
        switch (i.ptx->op) {
            case Op::cp_async_commit_group:
                return GroupOp::commit;
            case Op::cp_async_wait_group:
                return GroupOp::wait;
            case Op::cp_async_wait_all:
                return GroupOp::wait_all;
            case Op::wgmma:
                if (i.ptx->has(Mod::commit_group)) return GroupOp::commit_products;
                if (i.ptx->has(Mod::wait_group)) return GroupOp::wait_products;
                return std::nullopt;
            case Op::cp_async_bulk:
                if (i.ptx->has(Mod::commit_group)) return GroupOp::commit_stores;
                if (i.ptx->has(Mod::wait_group)) return GroupOp::wait_stores;
                return std::nullopt;
            default:
                return std::nullopt;
        }
    }();
    if (!what) return;
    const auto keep = i.ptx->operands.empty() ? 0 : i.ptx->operands[0].value;
    call<ww_chk_copies>(fn, {fn.i32(static_cast<std::uint32_t>(*what)), fn.i32(keep), fn.mask64(fn.active())});
}

void check_proxy_fence(FunctionState& fn, const simt::Inst& i) {
    // Those of tensor maps (proxy.tensormap) and of aliases (proxy.alias) are for other memory.
    if (i.ptx && i.ptx->op == Op::fence && i.ptx->has(Mod::proxy) && i.ptx->has(Mod::async))
        call<ww_chk_proxy_fence>(fn, {fn.mask64(fn.active())});
}

void check_fence(FunctionState& fn, const simt::Inst& i) {
    for (auto m : i.ptx->mods)  // fences of proxies and mbarriers order nothing between threads
        if (std::string_view(simt::spelling(m)).starts_with("proxy") ||
            std::string_view(simt::spelling(m)).starts_with("mbarrier"))
            return;
    call<ww_chk_fence>(fn, {fn.i32(i.ptx->has(Mod::cta) ? 0 : 1), fn.mask64(fn.active())});
}

void check_members(FunctionState& fn, const simt::Inst& i, const simt::Operand& member, V active) {
    const bool barrier = i.kind == InstKind::warp_barrier;
    const bool all = fn.at.converged && member.is_integer() && (member.bits & 0xffffffffu) == 0xffffffffu;
    if (fn.lanes > 32 || (all && !barrier)) return;
    V named = fn.buffer(2, 8 * fn.lanes);
    fn.b.CreateAlignedStore(vector(fn, member, fn.b.getInt32Ty()), named, llvm::Align(64));
    if (!all) call<ww_chk_mask>(fn, {fn.i32(fn.layout.first_barrier + barrier_index(fn, i)), named, fn.mask64(active)});
    if (barrier) call<ww_chk_warp_sync>(fn, {named, fn.mask64(active)});
}

void check_shuffle(FunctionState& fn, const simt::Inst& i, V active) {
    if (fn.lanes > 32) return;
    V by = fn.buffer(1, 8 * fn.lanes), clamps = fn.buffer(2, 8 * fn.lanes);
    fn.b.CreateAlignedStore(vector(fn, i.in[1], fn.b.getInt32Ty()), by, llvm::Align(64));
    fn.b.CreateAlignedStore(vector(fn, i.in[2], fn.b.getInt32Ty()), clamps, llvm::Align(64));
    call<ww_chk_shuffle>(fn, {fn.i32(fn.layout.first_barrier + barrier_index(fn, i)), fn.i32(shuffle_mode(*i.ptx)), by,
                              clamps, fn.mask64(active)});
}

}  // namespace warpwright::engine::codegen

// The rules are the room counters' own, called when the code is generated: a cost that is the same everywhere becomes a
// constant, one that depends on the place in a sector is counted by that place (place_counts.hpp). Only what depends on
// scales at run time is computed or cached by the code.
#include "engine/codegen/access_costs.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>

#include "counters/access.hpp"
#include "engine/codegen/affine_values.hpp"
#include "engine/codegen/code_places.hpp"
#include "engine/codegen/counting.hpp"
#include "engine/codegen/place_counts.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/sites.hpp"
#include "engine/codegen/two_ways.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"

namespace warpwright::engine::codegen {

using simt::Space;

namespace {

/// Adds to a counter of the access's site.
void bump_site(FunctionState& fn, const Access& a, unsigned field, V amount) {
    bump(fn, site_field(fn, a.site, field), amount);
}

/// Wavefronts, and those of them that are bank conflicts.
std::pair<unsigned, unsigned> shared_cost(const FunctionState& fn, const Access& a,
                                          const std::vector<std::uint32_t>& addresses) {
    const std::uint64_t mask = fn.lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << fn.lanes) - 1;
    const auto op = a.store ? counters::SharedOp::store : counters::SharedOp::load;
    const auto cost = counters::shared_cost(op, addresses.data(), mask, a.total(), fn.lanes);
    return {cost.wavefronts, cost.bank_conflicts};
}

std::pair<unsigned, unsigned> broadcast_cost(const FunctionState& fn, const Access& a) {
    return shared_cost(fn, a, std::vector<std::uint32_t>(fn.lanes, 0));
}

/// Shared memory at offsets that are known at compile time; false where the cost depends on the address of the lowest
/// lane.
bool know_wavefronts(FunctionState& fn, const Access& a) {
    auto& info = fn.layout.sites[a.site];
    const auto& form = *a.affine;
    const auto lowest = lowest_offset(fn, form);
    // If all lanes move by a multiple of the access width, the banks rotate and the cost stays the same.
    std::vector<std::uint32_t> addresses(fn.lanes);
    for (unsigned l = 0; l < fn.lanes; ++l) addresses[l] = static_cast<std::uint32_t>(form.constant[l] - lowest);
    const auto cost = shared_cost(fn, a, addresses);
    for (unsigned shift = a.total(); shift < 4; shift += a.total()) {
        auto moved = addresses;
        for (auto& x : moved) x += shift;
        if (shared_cost(fn, a, moved) != cost) return false;
    }
    info.full_passes = static_cast<int>(cost.first);
    info.full_excess = static_cast<int>(cost.second);
    return true;
}

/// Transactions (sectors, or on some devices whole lines) at offsets that are known at compile time. The count depends
/// on the lowest lane's place in its transaction, so that place is counted; with many places the count is looked up in
/// a table with an entry for each byte. Where all places are the same it is a constant.
void count_fixed_sectors(FunctionState& fn, const Access& a, V base) {
    constexpr unsigned kMostPlaces = 16;
    const auto cost = cost_by_place(fn, a);
    if (is_same(cost)) {
        fn.layout.sites[a.site].full_passes = cost[0];
        return;
    }
    V start = fn.b.CreateAdd(base, fn.i64(static_cast<std::uint64_t>(lowest_offset(fn, *a.affine))));
    if (places_of(fn, a.total()) <= kMostPlaces) {
        auto known = fn.places_of_site.find(a.site);
        if (known == fn.places_of_site.end()) {
            const auto places = add_places(fn, a.total());
            cost_at(fn, places, a.site, cost, 0);
            known = fn.places_of_site.emplace(a.site, places.first).first;
        }
        return count_place(fn, {known->second, a.total()}, start);
    }
    auto* const table = llvm::ConstantDataArray::get(fn.context, cost);
    auto* const global = new llvm::GlobalVariable(fn.module, table->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                                  table, "sectors");
    V at = fn.b.CreateAnd(start, fn.i64(fn.options.transaction_bytes - 1));
    V n = fn.b.CreateLoad(fn.b.getInt8Ty(), fn.b.CreateInBoundsGEP(table->getType(), global, {fn.i64(0), at}));
    bump_site(fn, a, offsetof(Site, passes), fn.b.CreateZExt(n, fn.b.getInt64Ty()));
}

/// Two, less one where both places are in one transaction. An aligned element never crosses its end.
void count_two_places(FunctionState& fn, const Access& a, V base) {
    const auto distinct = a.distinct_runs();
    fn.layout.sites[a.site].full_passes = 2;
    V differ = fn.b.CreateXor(run_address(fn, a, *distinct[0], base), run_address(fn, a, *distinct[1], base));
    V same = fn.b.CreateICmpULT(differ, fn.i64(fn.options.transaction_bytes));
    bump_site(fn, a, offsetof(Site, passes), fn.b.CreateSExt(same, fn.b.getInt64Ty()));
}

/// One or two runs: the sectors of each, minus the sectors they share.
void count_sectors_of_runs(FunctionState& fn, const Access& a, V base) {
    const unsigned bits = transaction_bits(fn);
    V total = fn.i64(0), previous_first = nullptr, previous_last = nullptr;
    for (const auto* run : a.distinct_runs()) {
        V start = run_address(fn, a, *run, base);
        const auto span = a.run_bytes(*run);
        V first = fn.b.CreateLShr(start, fn.i64(bits));
        V last = fn.b.CreateLShr(fn.b.CreateAdd(start, fn.i64(span - 1)), fn.i64(bits));
        total = fn.b.CreateAdd(total, fn.b.CreateAdd(fn.b.CreateSub(last, first), fn.i64(1)));
        if (previous_first) {
            V low = fn.b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, first, previous_first);
            V high = fn.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, last, previous_last);
            V overlap = fn.b.CreateAdd(fn.b.CreateSub(high, low), fn.i64(1));
            overlap = fn.b.CreateSelect(fn.b.CreateICmpULE(low, high), overlap, fn.i64(0));
            total = fn.b.CreateSub(total, overlap);
        }
        previous_first = first;
        previous_last = last;
    }
    bump_site(fn, a, offsetof(Site, passes), total);
}

/// Sectors at offsets scaled at run time, of any pattern.
void count_scaled_sectors(FunctionState& fn, const Access& a) {
    V addresses = fn.buffer(0, 8 * fn.lanes);
    fn.b.CreateAlignedStore(address_vector(fn, a.inst->in[0], a.inst->offset), addresses, llvm::Align(64));
    call<ww_rt_global_sectors>(fn, {site_number(fn, a.site), addresses, fn.mask64(fn.full_mask())});
}

/// Shared memory whose cost is known only at run time: the last cost is cached, with what it depends on. That is how
/// the offsets are scaled and, for elements narrower than a bank, where in a word the first one lies. Addresses have 32
/// bits, so a key never equals the one that a site begins with.
void count_scaled_wavefronts(FunctionState& fn, const Access& a, V base) {
    std::vector<V> keys;
    for (const auto& t : a.affine->terms) keys.push_back(fn.b.CreateAnd(factor(fn, t.scalar, 64), fn.i64(0xffffffffu)));
    if (a.total() < 4) {
        if (keys.empty()) keys.push_back(fn.i64(0));
        V scale = fn.b.CreateShl(keys[0], fn.i64(2));
        V in_word = fn.b.CreateAnd(base, fn.i64(3));
        keys[0] = fn.b.CreateOr(scale, in_word);
    }
    V known = fn.b.getTrue();
    for (std::size_t k = 0; k < keys.size() && k < 2; ++k) {
        auto field = site_field(fn, a.site, offsetof(Site, key) + 8 * static_cast<unsigned>(k));
        V remembered = fn.b.CreateLoad(fn.b.getInt64Ty(), field);
        V same = fn.b.CreateICmpEQ(remembered, keys[k]);
        known = fn.b.CreateAnd(known, same);
    }
    if (keys.size() > 2) known = fn.b.getFalse();
    V cost = in_two_ways(
        fn, known,
        [&]() -> V { return fn.b.CreateLoad(fn.b.getInt64Ty(), site_field(fn, a.site, offsetof(Site, cached))); },
        [&]() -> V {
            V addresses = fn.buffer(4, 4 * fn.lanes);
            fn.b.CreateAlignedStore(
                fn.b.CreateTrunc(address_vector(fn, a.inst->in[0], a.inst->offset), fn.vec(fn.b.getInt32Ty())),
                addresses, llvm::Align(64));
            V c = call_rarely<ww_rt_shared_passes>(
                fn, {site_number(fn, a.site), addresses, fn.mask64(fn.full_mask()), fn.i32(0)});
            for (std::size_t k = 0; k < keys.size() && k < 2; ++k)
                fn.b.CreateStore(keys[k], site_field(fn, a.site, offsetof(Site, key) + 8 * static_cast<unsigned>(k)));
            fn.b.CreateStore(c, site_field(fn, a.site, offsetof(Site, cached)));
            return c;
        });
    bump_site(fn, a, offsetof(Site, passes), fn.b.CreateAnd(cost, fn.i64(0xffffffff)));
    bump_site(fn, a, offsetof(Site, excess), fn.b.CreateLShr(cost, fn.i64(32)));
}

}  // namespace

void count_converged(FunctionState& fn, const Access& a, V base) {
    const PlacedAs as(fn, host_time::Work::counting);
    if (!a.inst->counted || !fn.options.counters || fn.at.counted.contains(a.inst)) return;
    // Constants are served by a cache of their own.
    if (a.space == Space::constant) return;
    const bool fixed = a.affine->terms.empty();
    if (a.space == Space::shared) {
        if (!fixed || !know_wavefronts(fn, a)) count_scaled_wavefronts(fn, a, base);
        return;
    }
    if (fixed) return count_fixed_sectors(fn, a, base);
    if (a.has_two_places())
        count_two_places(fn, a, base);
    else if (a.distinct_runs().size() <= 2)
        count_sectors_of_runs(fn, a, base);
    else
        count_scaled_sectors(fn, a);
}

/// Transactions of lanes that follow each other from `start` on, where whole accesses fill a transaction: the lanes of
/// one are joined into a bit.
static V masked_transactions(FunctionState& fn, const Access& a, V start) {
    const unsigned bits = static_cast<unsigned>(std::countr_zero(a.total())),
                   per = fn.options.transaction_bytes >> bits;
    V first = fn.b.CreateAnd(fn.b.CreateLShr(start, fn.i64(bits)), fn.i64(per - 1));
    V lanes = fn.b.CreateShl(fn.mask64(fn.at.mask), first);
    std::uint64_t firsts = 1;
    for (unsigned s = 1; s < per; s *= 2) lanes = fn.b.CreateOr(lanes, fn.b.CreateLShr(lanes, fn.i64(s)));
    for (unsigned s = per; s < 64; s += per) firsts |= std::uint64_t{1} << s;
    return fn.b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, fn.b.CreateAnd(lanes, fn.i64(firsts)));
}

void count_masked(FunctionState& fn, const Access& a, V base) {
    const PlacedAs as(fn, host_time::Work::counting);
    if (!a.inst->counted || !fn.options.counters) return;
    auto& info = fn.layout.sites[a.site];
    if (a.space == Space::shared && a.total() == 4) {
        info.partial_passes = 1;
        return;
    }
    V start = run_address(fn, a, a.runs[0], base);
    const V arguments[] = {site_number(fn, a.site), start, fn.mask64(fn.at.mask)};
    const unsigned per = fn.options.transaction_bytes / a.total();
    if (a.space == Space::shared)
        call<ww_rt_shared_contiguous>(fn, arguments);
    else if (per >= 1 && fn.lanes + per <= 65)
        bump_site(fn, a, offsetof(Site, passes), masked_transactions(fn, a, start));
    else
        call<ww_rt_sectors_contiguous>(fn, arguments);
}

void count_uniform_load(FunctionState& fn, const Access& a) {
    const PlacedAs as(fn, host_time::Work::counting);
    auto& info = fn.layout.sites[a.site];
    info.full_excess = 0;
    if (a.space != Space::shared) {
        info.full_passes = info.partial_passes = 1;
        return;
    }
    // Measured: one wavefront serves all lanes, two of them for 16 bytes.
    info.full_passes = static_cast<int>(std::max(1u, broadcast_cost(fn, a).first));
    info.partial_passes = a.total() > 4 ? -1 : 1;
    if (fn.at.converged || a.total() <= 4 || !a.inst->counted || !fn.options.counters) return;
    V addresses = fn.buffer(4, 4 * fn.lanes);
    fn.b.CreateAlignedStore(fn.splat(fn.i32(0)), addresses, llvm::Align(64));
    call<ww_rt_shared_passes>(fn, {site_number(fn, a.site), addresses, fn.mask64(fn.at.mask), fn.i32(1)});
}

void count_uniform_store(FunctionState& fn, const Access& a) {
    fn.layout.sites[a.site].full_passes =
        a.space == Space::shared ? static_cast<int>(std::max(1u, broadcast_cost(fn, a).first)) : 1;
}

void count_local(FunctionState& fn, const Access& a) {
    const PlacedAs as(fn, host_time::Work::counting);
    auto& info = fn.layout.sites[a.site];
    const unsigned words = std::max(1u, a.total() / 4);
    info.full_passes = static_cast<int>(words * fn.lanes * 4 / 32);
    if (!fn.at.converged && a.inst->counted && fn.options.counters) {
        // For every word, the number of sectors (8 lanes each) with an active lane.
        V groups = fn.at.mask;
        for (unsigned s : {1u, 2u, 4u})
            groups = fn.b.CreateOr(groups, fn.b.CreateLShr(groups, llvm::ConstantInt::get(fn.mask_type, s)));
        groups =
            fn.b.CreateAnd(groups, fn.mask_constant(0x0101010101010101ull & (fn.lanes == 64 ? ~0ull : 0xffffffffull)));
        V n = fn.mask64(fn.b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, groups));
        bump_site(fn, a, offsetof(Site, passes), fn.b.CreateMul(n, fn.i64(words)));
    }
}

void count_irregular(FunctionState& fn, const Access& a) {
    const PlacedAs as(fn, host_time::Work::counting);
    const auto& info = fn.layout.sites[a.site];
    const auto known = fn.at.converged ? info.full_passes : info.partial_passes;
    if (!info.counted || known <= 0) return;
    bump_site(fn, a, fn.at.converged ? offsetof(Site, irregular_full) : offsetof(Site, irregular_partial), fn.i64(1));
}

}  // namespace warpwright::engine::codegen

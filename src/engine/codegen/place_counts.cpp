// The counters stand behind those of the function's blocks, so that they are cleared, kept and added with them.
#include "engine/codegen/place_counts.hpp"

#include <algorithm>
#include <bit>

#include "counters/access.hpp"
#include "engine/codegen/counting.hpp"

namespace warpwright::engine::codegen {

std::int64_t lowest_offset(const FunctionState& fn, const simt::Affine& form) {
    return *std::min_element(form.constant.begin(), form.constant.begin() + fn.lanes);
}

CostByPlace cost_by_place(FunctionState& fn, const Access& a) {
    const auto& form = *a.affine;
    const auto lowest = lowest_offset(fn, form);
    const unsigned bytes = fn.options.transaction_bytes;
    const counters::CoalescingRule rule{counters::CoalescingRule::Kind::sectors, fn.lanes, bytes};
    CostByPlace out(bytes, 0);
    std::vector<std::uint64_t> addresses(fn.lanes);
    for (unsigned at = 0; at < bytes; at += a.total()) {
        for (unsigned l = 0; l < fn.lanes; ++l)
            addresses[l] = 4096 + at + static_cast<std::uint64_t>(form.constant[l] - lowest);
        const auto n = counters::global_transactions(addresses.data(), fn.mask_of_all(), a.total(), fn.lanes, rule);
        out[at] = static_cast<std::uint8_t>(n.count);
    }
    return out;
}

CostByPlace cost_by_place(FunctionState& fn, const Access& a, const Run& run) {
    const unsigned bytes = fn.options.transaction_bytes;
    CostByPlace out(bytes, 0);
    for (unsigned at = 0; at < bytes; at += a.total())
        out[at] = static_cast<std::uint8_t>((at + a.run_bytes(run) - 1) / bytes + 1);
    return out;
}

bool is_same(const CostByPlace& cost) {
    return std::all_of(cost.begin(), cost.end(), [&](auto n) { return n == 0 || n == cost[0]; });
}

unsigned transaction_bits(const FunctionState& fn) {
    return static_cast<unsigned>(std::countr_zero(fn.options.transaction_bytes));
}

unsigned places_of(const FunctionState& fn, unsigned unit) { return std::max(1u, fn.options.transaction_bytes / unit); }

Places add_places(FunctionState& fn, unsigned unit) {
    const Places out{fn.layout.blocks * kBlockCounters + fn.layout.places, unit};
    fn.layout.places += places_of(fn, unit);
    return out;
}

void count_place(FunctionState& fn, const Places& places, V address) {
    const auto bits = static_cast<unsigned>(std::countr_zero(places.unit));
    V place = fn.b.CreateAnd(fn.b.CreateLShr(address, fn.i64(bits)), fn.i64(places_of(fn, places.unit) - 1));
    V first = fn.field(fn.counters, std::size_t{8} * places.first);
    bump(fn, fn.b.CreateInBoundsGEP(fn.b.getInt64Ty(), first, {place}), fn.i64(1));
}

void cost_at(FunctionState& fn, const Places& places, unsigned site, const CostByPlace& cost, std::int64_t behind) {
    SiteInfo::ByPlace by{places.first, {}};
    const std::uint64_t mask = fn.options.transaction_bytes - 1;
    for (unsigned k = 0; k < places_of(fn, places.unit); ++k)
        by.cost.push_back(cost[(std::uint64_t{k} * places.unit + static_cast<std::uint64_t>(behind)) & mask]);
    fn.layout.sites[site].by_place.push_back(std::move(by));
}

}  // namespace warpwright::engine::codegen

// The rules are the room counters'; here are the choice between them by space and kind, and where a site keeps the sum.
#include "engine/runtime/access_counts.hpp"

#include <bit>

#include "engine/runtime/linked_access.hpp"
#include "engine/shared/atomic_op.hpp"

namespace warpwright::engine {

namespace {

counters::AtomicKind kind_of(AtomicOp op) {
    switch (op) {
        case AtomicOp::exch:
            return counters::AtomicKind::exchange;
        case AtomicOp::inc:
        case AtomicOp::dec:
            return counters::AtomicKind::wrapping;
        case AtomicOp::add_int:
        case AtomicOp::min_s:
        case AtomicOp::max_s:
        case AtomicOp::min_u:
        case AtomicOp::max_u:
        case AtomicOp::and_:
        case AtomicOp::or_:
        case AtomicOp::xor_:
            return counters::AtomicKind::integer;
        default:
            return counters::AtomicKind::other;
    }
}

/// Transactions of global memory that the lanes touch: sectors, or the whole lines that a device moves.
unsigned transactions(const CodegenOptions& options, const std::uint64_t* addresses, std::uint64_t mask,
                      unsigned bytes) {
    const unsigned lanes = options.block.lanes, unit = options.transaction_bytes;
    if (unit == counters::kCoalesceSectors.segment_bytes)
        return counters::global_sectors(addresses, mask, bytes, lanes);
    return counters::global_transactions(addresses, mask, bytes, lanes,
                                         {counters::CoalescingRule::Kind::sectors, lanes, unit})
        .count;
}

}  // namespace

counters::SharedOp shared_op(const SiteInfo& s) {
    if (s.kind == SiteInfo::Kind::load) return counters::SharedOp::load;
    if (s.kind == SiteInfo::Kind::store || s.kind == SiteInfo::Kind::copy) return counters::SharedOp::store;
    return counters::shared_atomic(kind_of(static_cast<AtomicOp>(s.operation)), s.bytes,
                                   s.counts_ones && s.space == simt::Space::shared);
}

counters::LastRequest& last_request(BlockContext* c, std::uint32_t index) {
    auto& all = c->executor->requests;
    if (all.empty()) all.resize(c->executor->sites.size());
    auto& last = all[index];
    if (!last) last = std::make_unique<counters::LastRequest>();
    return *last;
}

void count_request(BlockContext* c, std::uint32_t index, const SiteInfo& info, const std::uint64_t* addresses,
                   std::uint64_t mask, std::uint64_t in_shared, std::uint64_t in_local) {
    if (!info.counted || !c->executor->launch.counters) return;
    const unsigned lanes = c->executor->launch.code->options.block.lanes, total = info.bytes * info.count;
    auto& site = c->sites[index];
    const bool generic = info.space == simt::Space::generic;
    const auto in_global = mask & ~in_shared & ~in_local;
    if (in_global)
        site.passes += info.kind == SiteInfo::Kind::atomic
                           ? counters::global_atomic_sectors(addresses, in_global, total, lanes)
                           : transactions(c->executor->launch.code->options, addresses, in_global, total);
    if (in_global && c->executor->launch.code->options.linked) count_linked(c, site, addresses, in_global, total);
    if (in_shared) {
        const auto cost = counters::shared_cost(shared_op(info), addresses, generic ? c->shared_window : 0, in_shared,
                                                total, lanes, last_request(c, index));
        if (generic) {
            auto& s = c->spaces[index];
            ++s.shared_requests;
            s.shared_passes += cost.wavefronts;
            s.shared_excess += cost.bank_conflicts;
            s.lanes_shared += static_cast<std::uint64_t>(__builtin_popcountll(in_shared));
        } else {
            site.passes += cost.wavefronts;
            site.excess += cost.bank_conflicts;
        }
    }
    if (in_local) {
        std::uint32_t offsets[64];
        const auto base = generic ? c->local_window : 0;
        for (unsigned l = 0; l < lanes; ++l) offsets[l] = static_cast<std::uint32_t>(addresses[l] - base);
        const auto cost = counters::local_cost(offsets, in_local, total, lanes);
        if (generic) {
            auto& s = c->spaces[index];
            s.local_requests += cost.requests;
            s.local_sectors += cost.sectors;
            s.lanes_local += static_cast<std::uint64_t>(__builtin_popcountll(in_local));
        } else {
            site.passes += cost.sectors;
        }
    }
    // A generic request with no global lane is not one of the global requests.
    if (generic && !in_global) ++c->spaces[index].not_global;
}

bool count_again(BlockContext* c, std::uint32_t index, const SiteInfo& info, const std::uint64_t* addresses,
                 std::uint64_t mask, LanePattern& pattern) {
    const auto& options = c->executor->launch.code->options;
    const auto lanes = static_cast<std::uint32_t>(mask);
    const unsigned total = info.bytes * info.count;
    if (!info.counted) return true;
    if (!c->executor->launch.counters) return false;
    auto& site = c->sites[index];
    if (info.space == simt::Space::shared) {
        const auto cost = pattern.shared_cost(shared_op(info), addresses, lanes, total);
        site.passes += cost.wavefronts;
        site.excess += cost.bank_conflicts;
        return true;
    }
    if (options.linked || options.transaction_bytes != counters::kCoalesceSectors.segment_bytes) {
        count_request(c, index, info, addresses, mask, 0, 0);
        return false;
    }
    site.passes += pattern.sectors(addresses, lanes, total);
    return true;
}

extern "C" {

void ww_rt_global_sectors(BlockContext* c, std::uint32_t index, const std::uint64_t* addresses, std::uint64_t mask) {
    const auto& code = *c->executor->launch.code;
    const auto& info = code.sites[index];
    c->sites[index].passes += transactions(code.options, addresses, mask, info.bytes * info.count);
}

/// Returns the wavefronts and (in the upper half) the bank conflicts among them; adds them to the site if `add`.
std::uint64_t ww_rt_shared_passes(BlockContext* c, std::uint32_t index, const std::uint32_t* addresses,
                                  std::uint64_t mask, std::uint32_t add) {
    const auto& code = *c->executor->launch.code;
    const auto& info = code.sites[index];
    const unsigned lanes = code.options.block.lanes, total = info.bytes * info.count;
    const auto cost = counters::shared_cost(shared_op(info), addresses, mask, total, lanes);
    const std::uint64_t passes = cost.wavefronts, excess = cost.bank_conflicts;
    if (add) {
        c->sites[index].passes += passes;
        c->sites[index].excess += excess;
    }
    return passes | excess << 32;
}

void ww_rt_shared_contiguous(BlockContext* c, std::uint32_t index, std::uint64_t start, std::uint64_t mask) {
    const auto& info = c->executor->launch.code->sites[index];
    std::uint32_t addresses[64];
    const auto total = info.bytes * info.count;
    for (unsigned l = 0; l < 64; ++l) addresses[l] = static_cast<std::uint32_t>(start) + l * total;
    ww_rt_shared_passes(c, index, addresses, mask, 1);
}

void ww_rt_sectors_contiguous(BlockContext* c, std::uint32_t index, std::uint64_t start, std::uint64_t mask) {
    const auto& code = *c->executor->launch.code;
    const auto& info = code.sites[index];
    const std::uint64_t total = info.bytes * info.count, unit = code.options.transaction_bytes;
    std::uint64_t sectors = 0, last = ~std::uint64_t{0};
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto at = start + static_cast<std::uint64_t>(__builtin_ctzll(rest)) * total;
        const auto from = at / unit, to = (at + total - 1) / unit;
        sectors += to - from + (from != last);
        last = to;
    }
    c->sites[index].passes += sectors;
}
}

}  // namespace warpwright::engine

// Accesses of many lanes at once under the checkers: what quiet marks show to be in order is not checked lane by lane.
#pragma once

#include "engine/runtime/checked/checked_launch.hpp"

namespace warpwright::engine {

/// Whether a place in device memory is within one allocation: the one of the site's last access, or another, which the
/// site then remembers.
bool within_another_allocation(BlockContext* c, std::uint32_t index, std::uint64_t address, std::uint64_t bytes,
                               bool store);
inline bool within_allocation(BlockContext* c, std::uint32_t index, std::uint64_t address, std::uint64_t bytes,
                              bool store) {
    const auto& site = c->sites[index];
    return covers(site.found, site.found_bytes, address, bytes) ||
           within_another_allocation(c, index, address, bytes, store);
}

/// Whether it matters that the bytes read were written: some of them are used for more than a copy.
inline bool is_looked_at(const CheckLaunch& launch, const SiteInfo& info) {
    const auto all = info.count >= 32 ? ~0u : (1u << info.count) - 1;
    return !launch.init || (info.copied & all) != all;
}

/// The accessing warp, as whole accesses of its lanes are recorded. `looked`: it matters that what is read was written.
inline shadow::Accessor accessor(BlockContext* c, const WarpFrame* f, std::uint32_t index, bool in_shared,
                                 bool looked) {
    auto& block = checked(c);
    shadow::Accessor a;
    a.key = block.key;
    a.tick = block.clock.tick();
    a.base = block.clock.base();
    a.warp = f->warp;
    a.warp_base = block.clock.warp_base(f->warp);
    a.side = shadow::side_of(index, shadow::kWeak);
    a.others_known = in_shared && c->cluster_size <= 1;
    a.may_settle = looked && (!in_shared || a.others_known);
    if (in_shared) a.clock = &block.clock;
    a.epoch = in_shared ? block.epoch : launch_of(c).generation;
    return a;
}

/// Does and records the accesses of those lanes that quiet marks and whole lines show to be in order, and returns those
/// lanes. `data` is as for move_lanes().
std::uint64_t move_in_order(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info,
                            const std::uint64_t* addresses, std::uint64_t mask, std::uint8_t* data, bool store);

}  // namespace warpwright::engine

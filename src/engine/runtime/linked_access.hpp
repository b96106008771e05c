// Accesses that leave the launch's device, where one engine stands for several: they are told apart and counted.
#pragma once

#include <cstdint>

#include "counters/access.hpp"
#include "engine/shared/executor.hpp"

namespace warpwright::engine {

/// Whether the address is in memory of another device than the launch's. The owner of the allocation that was asked for
/// last is remembered, since neighbouring lanes mostly meet in one.
inline bool in_other_device(BlockContext* c, std::uint64_t address) {
    auto& executor = *c->executor;
    auto& owned = executor.owned;
    if (owned.mixed || !owned.covers(address, 1)) {
        const auto found = executor.launch.memory->find(address);
        if (!found) return false;
        owned = *found;
    }
    return owned.owner.device != Owner::kEveryDevice && owned.owner.device != executor.launch.device;
}

/// Counts the sectors of a request that lie there. `bytes`: of a lane.
inline void count_linked(BlockContext* c, Site& site, const std::uint64_t* addresses, std::uint64_t mask,
                         unsigned bytes) {
    std::uint64_t elsewhere = 0;
    for (auto rest = mask; rest; rest &= rest - 1)
        if (in_other_device(c, addresses[__builtin_ctzll(rest)])) elsewhere |= rest & -rest;
    if (elsewhere)
        site.linked +=
            counters::global_sectors(addresses, elsewhere, bytes, c->executor->launch.code->options.block.lanes);
}

/// The same for the lanes of `mask` from `first` on, at consecutive addresses in [address, address + span), or all at
/// one.
inline void count_linked_run(BlockContext* c, Site& site, const SiteInfo& info, std::uint64_t address,
                             std::uint64_t span, std::uint64_t mask, unsigned first) {
    if (!info.counted || !c->executor->launch.code->options.linked || info.space != simt::Space::global) return;
    const unsigned total = info.bytes * info.count;
    std::uint64_t addresses[64] = {}, within = 0;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        if (l < first) continue;
        const std::uint64_t offset = span == total ? 0 : std::uint64_t{l - first} * total;
        if (offset >= span) break;
        addresses[l] = address + offset;
        within |= rest & -rest;
    }
    count_linked(c, site, addresses, within, total);
}

}  // namespace warpwright::engine

// Whether a turn was such a one is told from what it ran (counters of the blocks of code) and from the block's state.
#include "engine/run/host_wait.hpp"

#include <algorithm>

#include "engine/runtime/block_state.hpp"
#include "machine/trace.hpp"

namespace warpwright::engine {

namespace {

/// Global memory, also behind generic addresses.
bool may_be_global(simt::Space space) { return space == simt::Space::global || space == simt::Space::generic; }

machine::BlockTrace* trace_of(ResidentBlock& block) { return static_cast<machine::BlockTrace*>(block.context.trace); }

}  // namespace

HostWait::HostWait(Executor& executor)
    : executor_(executor), loads_(executor.launch.code->blocks), changes_(executor.launch.code->blocks) {
    const auto& code = *executor.launch.code;
    possible_ = code.takes_turns && executor.launch.counters && !code.on_fibers && !code.reads_clock;
    for (std::uint32_t s = 0; s < code.sites.size(); ++s) {
        const SiteInfo& site = code.sites[s];
        if (!may_be_global(site.space) || site.block >= loads_.size()) continue;
        if (site.kind == SiteInfo::Kind::load)
            loads_[site.block].push_back(s);
        else
            changes_[site.block] = true;
    }
    // (A warp has come last to a block before which turns end.)
    bool looks = false;
    for (std::size_t b = 0; b < loads_.size(); ++b)
        looks |= b < code.yields.size() && code.yields[b] && !loads_[b].empty();
    possible_ &= looks;
}

/// Its last access went to memory that the host shares.
bool HostWait::reads_host(std::uint32_t site) const {
    const DeviceMemory& memory = *executor_.launch.memory;
    const Site& s = executor_.sites[site];
    const auto is_shared = [&](std::uint64_t address) {
        const auto allocation = memory.find(address);
        return allocation && allocation->use == MemoryUse::shared;
    };
    return (s.base != memory.nowhere() && is_shared(s.base)) || (s.found_bytes != 0 && is_shared(s.found));
}

bool HostWait::may_begin(ResidentBlock& block) {
    if (!possible_ || block.fresh || !executor_.launch.memory->has_shared()) return false;
    const auto bytes = executor_.launch.code->frame_bytes;
    for (std::size_t w = 0; w < block.states.size(); ++w) {
        const WarpFrame* f = block.frame(w, bytes);
        if (block.states[w] == WarpState::done || f->spin == 0 || f->spun_at >= loads_.size()) continue;
        for (const std::uint32_t s : loads_[f->spun_at]) {
            const Site& site = executor_.sites[s];
            const bool fresh = site.base == executor_.launch.memory->nowhere() && site.found_bytes == 0;
            if (!fresh && !reads_host(s)) continue;
            keep(block);
            return true;
        }
    }
    return false;
}

/// Of the blocks of code that have run since keep(), none writes beyond the block, and one reads memory of the host.
bool HostWait::only_looked() const {
    bool read = false;
    for (std::size_t b = 0; b < loads_.size(); ++b) {
        const auto at = b * kBlockCounters;
        if (executor_.counters[at] == before_.counters[at] && executor_.counters[at + 1] == before_.counters[at + 1])
            continue;
        if (changes_[b]) return false;
        read |= std::any_of(loads_[b].begin(), loads_[b].end(), [&](std::uint32_t s) { return reads_host(s); });
    }
    return read;
}

bool HostWait::took_back(ResidentBlock& block) {
    if (!only_looked() || state_of(block) != before_.state) return false;
    restore(block);
    return true;
}

void HostWait::keep(ResidentBlock& block) {
    before_.state = state_of(block);
    before_.clock = block.clock;
    before_.counters = executor_.counters;
    before_.sites = executor_.sites;
    before_.spaces = executor_.spaces;
    before_.did = block.did;
    before_.spins.clear();
    for (std::size_t w = 0; w < block.states.size(); ++w) {
        const WarpFrame* f = block.frame(w, executor_.launch.code->frame_bytes);
        before_.spins.emplace_back(f->spin, f->rotate);
    }
    const auto* trace = trace_of(block);
    if (!trace) return;
    before_.events.clear(), before_.cut.clear();
    for (const machine::WarpTrace& warp : trace->warps)
        before_.events.push_back(warp.events.size()), before_.cut.push_back(warp.cut);
    before_.sectors = trace->sectors.size(), before_.traced = trace->events;
}

/// Lanes that spin let others of their warp go first in every eighth round (ww_rt_pick), which is another course of the
/// warp. While the host takes no longer than this, it is as if it had answered at once.
bool HostWait::patient() {
    constexpr std::chrono::seconds kPatience{1};
    const auto now = std::chrono::steady_clock::now();
    if (!since_) since_ = now;
    return now - *since_ < kPatience;
}

void HostWait::restore(ResidentBlock& block) {
    block.clock = before_.clock;
    // In place: generated code has the addresses.
    std::ranges::copy(before_.counters, executor_.counters.begin());
    std::ranges::copy(before_.sites, executor_.sites.begin());
    for (auto& site : executor_.sites) site.order = nullptr;  // what it leads to may have changed since
    std::ranges::copy(before_.spaces, executor_.spaces.begin());
    block.did = before_.did;
    for (std::size_t w = 0; patient() && w < block.states.size(); ++w) {
        WarpFrame* f = block.frame(w, executor_.launch.code->frame_bytes);
        f->spin = before_.spins[w].first, f->rotate = before_.spins[w].second;
    }
    auto* trace = trace_of(block);
    if (!trace) return;
    for (std::size_t w = 0; w < trace->warps.size(); ++w)
        trace->warps[w].events.resize(before_.events[w]), trace->warps[w].cut = before_.cut[w];
    trace->sectors.resize(before_.sectors), trace->events = before_.traced;
}

}  // namespace warpwright::engine

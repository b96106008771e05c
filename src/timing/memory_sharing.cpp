// What multiprocessors have in common: sectors at which their atomics meet, and what they read in step.
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "machine/footprint.hpp"
#include "timing/memory.hpp"

namespace warpwright::timing {

/// How many multiprocessors' atomics meet in a sector: from how often the blocks of the sample, or the warps of its
/// only block, go to the same ones.
void MemorySystem::find_sharing() {
    struct Draws {
        std::unordered_set<std::uint64_t> all, of_one;
        double sum = 0, count = 0;
    };
    std::unordered_map<std::size_t, Draws> draws;
    const auto close = [&] {
        for (auto& [area, d] : draws)
            if (!d.of_one.empty()) d.sum += static_cast<double>(d.of_one.size()), ++d.count, d.of_one.clear();
    };
    const bool by_warp = trace_.sample.size() == 1;
    for (const auto& block : trace_.sample) {
        for (const auto& warp : block.warps) {
            for (const auto& e : warp.events) {
                if (!(e.what & machine::Event::kAtomic)) continue;
                for (unsigned k = 0; k < e.count; ++k) {
                    const auto s = block.sectors[e.first + k];
                    auto& d = draws[trace_.area_of(s)];
                    d.all.insert(s), d.of_one.insert(s);
                }
            }
            if (by_warp) close();
        }
        if (!by_warp) close();
    }
    for (auto& [area, d] : draws) {
        const double distinct = static_cast<double>(d.all.size()), each = d.sum / d.count;
        const double set = machine::drawn_from(each, d.count, distinct), draws_of_all = d.count / share_;
        double whole = std::isfinite(set) ? machine::drawn(set, each, draws_of_all) : distinct / share_;
        if (area < trace_.areas.size()) whole = std::min(whole, static_cast<double>(trace_.areas[area].sectors));
        areas_[area].sharing = std::clamp(alike_ * distinct / std::max(1.0, whole), 1.0, std::max(1.0, alike_));
    }
}

/// Multiprocessors that begin together and read the same in the same order all wait for memory, whoever asks first. In
/// what order is taken from the warps of the sample: whether those that read the same do so after as many events.
void MemorySystem::find_steps() {
    constexpr std::size_t kLeastStep = 8, kStep = 20;
    struct Reads {
        std::size_t at = 0;
        std::uint32_t warp = 0;
    };
    struct Pairs {
        std::uint64_t near = 0, all = 0;
    };
    std::vector<Pairs> pairs(areas_.size());
    std::unordered_map<std::uint32_t, Reads> first;
    std::uint32_t number = 0;
    for (const auto& block : trace_.sample) {
        if (block.index >= first_blocks_) break;
        for (const auto& warp : block.warps) {
            ++number;
            for (std::size_t at = 0; at < warp.events.size(); ++at) {
                const auto& e = warp.events[at];
                using machine::Event;
                if (e.what & Event::kAtomic) continue;
                machine::each_global_sector(block, e, [&](std::uint32_t sector) {
                    const auto [found, fresh] = first.try_emplace(sector / p_.fetch_sectors, Reads{at, number});
                    if (fresh || found->second.warp == number) return;
                    auto& of = pairs[trace_.area_of(sector)];
                    const auto before = found->second.at, apart = at > before ? at - before : before - at;
                    ++of.all, of.near += apart <= std::max(kLeastStep, warp.events.size() / kStep);
                    found->second.warp = number;
                });
            }
        }
    }
    for (std::size_t a = 0; a < areas_.size(); ++a) areas_[a].in_step = 2 * pairs[a].near >= pairs[a].all;
}

/// Of what multiprocessors read in step, half is taken to be shared by neighbours, who are of one group, and half by
/// others, who are spread over all groups.
double MemorySystem::merged(std::uint64_t sector) const {
    const AreaState& area = areas_[trace_.area_of(sector)];
    if (!area.in_step) return 1;
    const double sharing = 1 / area.chance;
    const auto of = [&](double in_group) { return std::clamp(in_group, 1.0, p_.bulk_merged); };
    return 2 / (1 / of(sharing) + 1 / of(sharing / p_.bulk_groups));
}

}  // namespace warpwright::timing

// What multiprocessors have in common: sectors at which their atomics meet, and what they read in step.
#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "machine/footprint.hpp"
#include "timing/memory.hpp"
#include "timing/mixed.hpp"

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
                    auto& d = draws[area_index(s)];
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

namespace {

/// Who read a unit of memory first: a hash table with open addressing, whose size is a power of two.
class FirstReads {
public:
    struct Read {
        std::uint32_t unit = 0;
        std::uint32_t warp = 0;  ///< 0: nobody
        std::size_t at = 0;
    };
    /// Of a unit that nobody has read `warp` is 0: the caller says who does.
    Read& of(std::uint32_t unit) {
        if (2 * count_ > reads_.size()) grow();
        Read& found = find(reads_, unit);
        count_ += found.warp == 0;
        found.unit = unit;
        return found;
    }

private:
    static Read& find(std::vector<Read>& reads, std::uint32_t unit) {
        std::size_t at = mixed(unit) & (reads.size() - 1);
        while (reads[at].warp != 0 && reads[at].unit != unit) at = (at + 1) & (reads.size() - 1);
        return reads[at];
    }
    void grow() {
        std::vector<Read> larger(2 * reads_.size());
        for (const Read& r : reads_)
            if (r.warp != 0) find(larger, r.unit) = r;
        reads_ = std::move(larger);
    }

    std::vector<Read> reads_ = std::vector<Read>(1 << 10);
    std::size_t count_ = 0;
};

}  // namespace

/// Multiprocessors that begin together and read the same in the same order all wait for memory, whoever asks first. In
/// what order is taken from the warps of the sample: whether those that read the same do so after as many events.
void MemorySystem::find_steps() {
    constexpr std::size_t kLeastStep = 8, kStep = 20;
    struct Pairs {
        std::uint64_t near = 0, all = 0;
    };
    std::vector<Pairs> pairs(areas_.size());
    FirstReads first;
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
                    FirstReads::Read& found = first.of(sector / p_.fetch_sectors);
                    if (found.warp == 0) found.at = at, found.warp = number;
                    if (found.warp == number) return;
                    auto& of = pairs[area_index(sector)];
                    const std::size_t before = found.at, apart = at > before ? at - before : before - at;
                    ++of.all, of.near += apart <= std::max(kLeastStep, warp.events.size() / kStep);
                    found.warp = number;
                });
            }
        }
    }
    for (std::size_t a = 0; a < areas_.size(); ++a) areas_[a].in_step = 2 * pairs[a].near >= pairs[a].all;
}

/// Of what multiprocessors read in step, half is taken to be shared by neighbours, who are of one group, and half by
/// others, who are spread over all groups.
double MemorySystem::merged(std::uint64_t sector) const {
    const AreaState& area = areas_[area_index(sector)];
    if (!area.in_step) return 1;
    const double sharing = 1 / area.chance;
    const auto of = [&](double in_group) { return std::clamp(in_group, 1.0, p_.bulk_merged); };
    return 2 / (1 / of(sharing) + 1 / of(sharing / p_.bulk_groups));
}

}  // namespace warpwright::timing

// An allocation begins with a page, as far as the numbers go: only its distance from a line's begin is kept, because
// requests depend on it.
#include "machine/numbers.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace warpwright::machine {

namespace {

/// Bytes of a sector.
constexpr std::int64_t kSector = 32;

/// Sectors: of a line, of a page of the smaller size, and from one allocation to the next at least.
constexpr std::uint64_t kLine = 4, kPage = 4096 / 32, kApart = (2u << 20) / 32;

class Numbers {
public:
    explicit Numbers(const LaunchTrace& trace) : trace_(trace) {}

    /// The new number of a sector. What belongs to no area is numbered by pages.
    std::uint64_t of(std::uint64_t sector) {
        if (sector - last_.from >= last_.sectors) last_ = piece(sector);
        return sector - last_.from + last_.to;
    }
    /// The areas that have numbers, sorted by them.
    std::vector<Area> areas() const {
        std::vector<Area> out;
        for (const auto& a : trace_.areas)
            if (const auto found = pieces_.find(a.first - a.behind); found != pieces_.end()) {
                out.push_back(a);
                out.back().first = a.first - found->second.from + found->second.to;
            }
        std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        return out;
    }
    bool fit() const { return next_ <= std::numeric_limits<std::uint32_t>::max(); }

private:
    struct Piece {
        std::uint64_t from = 0, sectors = 0, to = 0;
    };
    Piece piece(std::uint64_t sector) {
        const Area* area = trace_.areas.empty() ? nullptr : &trace_.areas[trace_.area_of(sector)];
        if (area && sector - area->first >= area->sectors) area = nullptr;
        Piece made{area ? area->first - area->behind : sector / kPage * kPage, area ? area->whole : kPage, 0};
        made.to = next_ + made.from % kLine;
        const auto [at, fresh] = pieces_.emplace(made.from, made);
        if (fresh) next_ = (made.to + made.sectors + kApart - 1) / kApart * kApart;
        return at->second;
    }

    const LaunchTrace& trace_;
    std::map<std::uint64_t, Piece> pieces_;  ///< by their begin
    Piece last_;
    std::uint64_t next_ = 0;
};

template <class F>
void each_event_of_sectors(LaunchTrace& trace, const F& f) {
    for (auto& block : trace.sample)
        for (auto& warp : block.warps)
            for (const auto& e : warp.events) f(block, e);
}

/// Of an access to global memory. (Sectors that no event has do not come up here: the numbers are all given.)
void place_lanes(LaneAccess& access, Numbers& numbers) {
    if (access.event.count == 0) return;  // shared memory
    for (auto& at : access.at)
        if (at != LaneAccess::kNone)
            at = static_cast<std::int64_t>(numbers.of(static_cast<std::uint64_t>(at / kSector))) * kSector +
                 at % kSector;
}

}  // namespace

void number_by_use(LaunchTrace& trace) {
    if (trace.areas.empty()) return;
    Numbers numbers(trace);
    const auto renumber = [&](BlockTrace& block, const Event& e, bool write) {
        each_global_sector_at(block, e, [&](std::size_t at) {
            const auto number = numbers.of(block.sectors[at]);
            if (write) block.sectors[at] = static_cast<std::uint32_t>(number);
        });
        if (!write || (e.what & Event::kAsync) || !is_global(e)) return;
        const auto first = block.sectors.begin() + e.first;
        if (!std::is_sorted(first, first + e.count)) std::sort(first, first + e.count);
    };
    each_event_of_sectors(trace, [&](BlockTrace& block, const Event& e) { renumber(block, e, false); });
    if (!numbers.fit()) return;
    each_event_of_sectors(trace, [&](BlockTrace& block, const Event& e) { renumber(block, e, true); });
    for (auto& block : trace.sample)
        for (auto& examples : block.examples)
            for (auto& one : examples)
                if (is_global(one.event)) place_lanes(one, numbers);
    trace.areas = numbers.areas();
}

}  // namespace warpwright::machine

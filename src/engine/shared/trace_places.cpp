// What is met of the host's memory has places of its own behind those of device memory, at the same distance from a
// page's begin as in memory, so that sectors and lines stay what they are.
#include "engine/shared/trace_places.hpp"

#include "support/covers.hpp"

#include <algorithm>
#include <cstring>

namespace warpwright::engine {

namespace {

constexpr std::uint64_t kPage = 4096, kSector = 32;
constexpr std::uint64_t kNumbered = machine::LaunchTrace::kNumbered;
/// Numbers of sectors have 32 bits.
constexpr std::uint64_t kMost = kSector << 32;

/// (A sector that two pieces share belongs to the one that begins in it.)
machine::Area area(std::uint64_t offset, std::uint64_t bytes, bool loose) {
    const auto first = offset / kSector, last = (offset + bytes - 1) / kSector;
    return {first, last - first + 1, loose};
}

}  // namespace

TracePlaces::TracePlaces(const DeviceMemory& memory, std::span<const std::byte> parameters) : memory_(memory) {
    // Pointers are aligned, in structures too.
    for (std::size_t at = 0; covers(0, parameters.size(), at, sizeof(std::uint64_t)); at += sizeof(std::uint64_t)) {
        std::uint64_t value = 0;
        std::memcpy(&value, parameters.data() + at, sizeof value);
        if (value != 0) pointers_.push_back(value);
    }
    std::sort(pointers_.begin(), pointers_.end());
}

PlacedRun TracePlaces::run(std::uint64_t address) {
    if (address - memory_.base() < std::min(kNumbered, memory_.range())) return {memory_.base(), kNumbered, 0};
    std::lock_guard lock(mutex_);
    auto after = met_.upper_bound(address);
    if (after != met_.begin())
        if (const auto& before = std::prev(after)->second; before.holds(address)) return before;
    return place(address);
}

PlacedRun TracePlaces::place(std::uint64_t address) {
    const auto there = memory_.find(address);
    // (What lies behind an allocation, and is tolerated, is a page of its own.)
    std::uint64_t first = there ? there->address : address / kPage * kPage,
                  last = there ? there->address + there->bytes : first + kPage;
    PlacedRun run{first, last - first, (next_ + kPage - 1) / kPage * kPage + first % kPage};
    if (!covers(0, kMost, run.offset, run.bytes)) beyond_ = true, run.offset = kNumbered + first % kPage;
    next_ = std::max(next_, run.offset + run.bytes);
    met_[first] = run;
    return run;
}

void TracePlaces::add_areas(std::vector<machine::Area>& to, const PlacedRun& run) const {
    const auto end = run.address + run.bytes;
    auto next = std::upper_bound(pointers_.begin(), pointers_.end(), run.address);
    const bool whole = next == pointers_.end() || *next >= end;
    for (auto at = run.address; at < end;) {
        while (next != pointers_.end() && *next <= at) ++next;
        const auto last = next == pointers_.end() ? end : std::min(end, *next);
        to.push_back(area(run.offset + (at - run.address), last - at, !whole));
        to.back().behind = to.back().first - run.offset / kSector;
        to.back().whole = (run.offset + run.bytes - 1) / kSector - run.offset / kSector + 1;
        at = last;
    }
}

std::vector<machine::Area> TracePlaces::areas() const {
    std::vector<machine::Area> out;
    for (const auto& a : memory_.live())
        if (a.bytes != 0 && a.address - memory_.base() < std::min(kNumbered, memory_.range()))
            add_areas(out, {a.address, a.bytes, a.address - memory_.base()});
    for (const auto& [address, run] : met_) add_areas(out, run);
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return out;
}

}  // namespace warpwright::engine

// The slices of the second level, each of which answers one after the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace warpwright::timing {

/// Sectors of a slice of the second level that lie side by side, and slices of a page.
inline constexpr std::uint64_t kChunk = 8, kOfPage = 8;
/// Cycles of a slice for a line that is read past the first level: lanes at random words of 1 to 32 KiB, on an H100.
inline constexpr double kLineTurn = 0.71;

/// What the slices have worked, and when each is free.
class Slices {
public:
    explicit Slices(unsigned slices) : all_(std::max(1u, slices)) {}

    struct Slice {
        double free = 0, work = 0;
        std::uint64_t last = 0;  ///< where it has worked last
    };
    unsigned size() const { return static_cast<unsigned>(all_.size()); }
    Slice& operator[](unsigned slice) { return all_[slice]; }
    void add_work(Slice& slice, double work) {
        const bool fresh = !(slice.work > 0);
        slice.work += work;
        if (fresh && slice.work > 0) count_used();
    }
    /// How much longer the busiest slice works than all do on average: the more pages are in use, the less evenly they
    /// lie. Additions at a sector each, on an H100: 8 KiB are as fast as 12 slices, 16 KiB as 20, 32 KiB as 39.
    double unevenness() const { return unevenness_; }
    double most_work() const {
        return std::max_element(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.work < b.work; })
            ->work;
    }

private:
    void count_used() { unevenness_ = std::sqrt(std::sqrt(std::max(1.0, static_cast<double>(++used_) / kOfPage))); }

    std::vector<Slice> all_;
    unsigned used_ = 0;  ///< how many have worked
    double unevenness_ = 1;
};

}  // namespace warpwright::timing

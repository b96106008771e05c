// The first-level cache of a multiprocessor. Private to this room.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace warpwright::timing {

/// A set-associative cache of 128-byte lines in four sectors, with the time at which each sector's data is there.
class FirstLevel {
public:
    explicit FirstLevel(double bytes);
    /// When the sector is there, where the cache has or awaits it; negative where it does not.
    double find(std::uint64_t sector, double now);
    void fill(std::uint64_t sector, double at);
    /// Nothing that it has is valid any more, but for what warps have there alone (local memory).
    void invalidate() { ++epoch_; }

private:
    struct Line {
        double ready[4] = {-1, -1, -1, -1};
        std::uint64_t epoch = 0;
    };
    static constexpr unsigned kWays = 16;
    Line* line(std::uint64_t tag, bool make, double now);
    // By line. (Tags stand by themselves, because each look-up goes through those of a set.)
    std::vector<std::uint64_t> tags_;
    std::vector<double> used_;
    std::vector<Line> lines_;
    /// By the tag's last bits: the line found or made last, where to look first.
    std::array<std::uint64_t, 64> last_{};
    std::uint64_t sets_ = 0, epoch_ = 0;
};

}  // namespace warpwright::timing

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

/// How much longer the busiest slice works than all do on average: the more pages are in use, the less evenly they lie.
/// Additions at a sector each, on an H100: 8 KiB are as fast as 12 slices, 16 KiB as 20, 32 KiB as 39. `work`: by
/// slice.
inline double unevenness(const std::vector<double>& work) {
    const auto used = static_cast<double>(std::count_if(work.begin(), work.end(), [](double w) { return w > 0; }));
    return std::sqrt(std::sqrt(std::max(1.0, used / kOfPage)));
}

}  // namespace warpwright::timing

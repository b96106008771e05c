// How far the launching thread goes alone through a grid that took a moment the last time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace warpwright::engine {

/// A grid of so little work is run by the launching thread alone, in seconds: to wake others takes as long.
inline constexpr double kAlone = 30e-6;

/// Tells how many of the `left` blocks it runs next, when `ran` of this launch have taken so many seconds: one, then as
/// many as fit into what is left of kAlone, half of them at most; none where others shall join.
inline std::uint64_t next_alone(std::uint64_t ran, double seconds, std::uint64_t left) {
    if (ran == 0) return std::min<std::uint64_t>(1, left);
    if (seconds >= kAlone) return 0;
    const double each = std::max(seconds / static_cast<double>(ran), 1e-12), fit = (kAlone - seconds) / each;
    return fit < static_cast<double>(left + 1) / 2 ? static_cast<std::uint64_t>(fit) : (left + 1) / 2;
}

}  // namespace warpwright::engine

// How long something has taken.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace warpwright {

/// Seconds since a moment that std::chrono::steady_clock::now() gave.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What is left of a time limit after so many seconds: at least a moment, since 0 is no limit and remains so.
inline std::chrono::milliseconds time_left(std::chrono::milliseconds limit, double passed) {
    if (limit.count() <= 0) return limit;
    const std::chrono::milliseconds gone(static_cast<std::int64_t>(passed * 1000));
    return std::max(std::chrono::milliseconds(1), limit - gone);
}

}  // namespace warpwright

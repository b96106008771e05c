// How long something has taken.
#pragma once

#include <chrono>

namespace warpwright {

/// Seconds since a moment that std::chrono::steady_clock::now() gave.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace warpwright

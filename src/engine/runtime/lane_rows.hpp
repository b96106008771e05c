// Lanes whose addresses have equal steps: each has a row of its own, whose length is known when the kernel runs.
#pragma once

#include <cstdint>

namespace warpwright::engine {

/// The host's address of each lane's element, `step` bytes after that of the lane before.
struct LaneRows {
    std::uint8_t* first = nullptr;
    std::int64_t step = 0;
    std::uint8_t* operator[](unsigned lane) const { return first + static_cast<std::int64_t>(lane) * step; }
    LaneRows from(unsigned lane) const { return {(*this)[lane], step}; }
};

/// Moves `count` elements of `bytes` (1, 2, 4 or 8) for each lane of `mask`; data is [element][lane] of 32 lanes; what
/// is loaded for other lanes may be anything. Every element is aligned to its bytes.
void move_rows(const LaneRows& rows, std::uint32_t mask, unsigned bytes, unsigned count, void* data, bool store);

}  // namespace warpwright::engine

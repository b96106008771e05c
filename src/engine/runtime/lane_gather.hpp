// Loads and stores of a warp's lanes at any addresses within one piece of memory, in the registers of AVX-512 or AVX2
// where the CPU has them. Used by memory_access.cpp.
#pragma once

#include <cstdint>

namespace warpwright::engine {

/// The memory that the lanes may access: addresses from `first` on, truncated; the host address is `to` further on.
struct LaneRange {
    std::uint64_t first = 0, bytes = 0, to = 0, cut = ~std::uint64_t{0};  ///< cut: all bits, or the low half's
    bool narrow() const { return cut != ~std::uint64_t{0}; }
};

/// Of the vectors that lanes are moved by, the widest that this CPU has.
enum class LaneVectors : std::uint8_t { none, avx2, avx512 };
LaneVectors lane_vectors();
/// Whether it has any: else lanes are moved one by one, by the caller.
inline bool has_gathers() { return lane_vectors() != LaneVectors::none; }

/// Whether the lanes of mask have their `total` bytes, aligned to as much, in the range. For 32 lanes.
bool all_in_range(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask, unsigned total);
/// The same, with the host's addresses; those of other lanes may be anything.
bool places_in_range(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask, unsigned total,
                     std::uint8_t** out);

/// Moves `count` elements of `bytes` (4 or 8) for each lane of `mask`; data is [element][lane] of 32 lanes; what is
/// loaded for other lanes may be anything. If several lanes store to one place, the highest lane's value stays. False,
/// with nothing done, if a lane is outside the range or not aligned to its whole width, or if this CPU has no such
/// instructions.
bool move_in_range(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes,
                   unsigned count, void* data, bool store);

/// The same for local memory, whose words lie 32 lanes apart from `words` on, for elements of 1, 2, 4 or 8 bytes:
/// addresses from `base` on, below `size`.
bool move_in_local(std::uint8_t* words, std::uint64_t base, std::uint64_t size, const std::uint64_t* addresses,
                   std::uint32_t mask, unsigned bytes, unsigned count, void* data, bool store);

/// The functions above for CPUs with AVX2, mask not 0 (lane_gather_avx2.cpp).
namespace avx2 {
bool move_in_range(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes,
                   unsigned count, void* data, bool store);
bool all_in_range(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask, unsigned total);
bool places_in_range(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask, unsigned total,
                     std::uint8_t** out);
}  // namespace avx2

}  // namespace warpwright::engine

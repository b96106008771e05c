// Arithmetic on sizes that programs give: rows, planes and places in memory. All of it is here, and none of it
// wraps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace warpwright::cudart {

inline constexpr std::uint64_t kNoSize = std::numeric_limits<std::uint64_t>::max();

/// Sums and products; kNoSize, which no memory has, where the result does not fit or an operand is kNoSize.
constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a > kNoSize - b ? kNoSize : a + b; }
constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    if (a == 0 || b == 0) return 0;
    return a > kNoSize / b ? kNoSize : a * b;
}

/// Whether `count` things from number `first` on are among `size`.
constexpr bool within(std::uint64_t first, std::uint64_t count, std::uint64_t size) {
    return count <= size && first <= size - count;
}

/// Planes of rows of bytes in memory.
struct Extents {
    std::uint64_t width = 0, height = 1, depth = 1;  ///< bytes, rows, planes
    std::uint64_t pitch = 0, slice = 0;              ///< bytes from row to row, from plane to plane

    bool empty() const { return width == 0 || height == 0 || depth == 0; }
    /// The bytes themselves.
    std::uint64_t bytes() const { return product(product(width, height), depth); }
    /// The distance from the first byte to the end of the last.
    std::uint64_t span() const {
        if (empty()) return 0;
        return sum(sum(product(depth - 1, slice), product(height - 1, pitch)), width);
    }
    /// Rows do not overlap, and are no further apart than the runtime allows (cudaDeviceProp::memPitch).
    bool rows_are_apart() const { return height <= 1 || (pitch >= width && pitch <= kMostPitch); }
    /// Planes do not overlap.
    bool planes_are_apart() const { return depth <= 1 || slice >= sum(product(height - 1, pitch), width); }

    static constexpr std::uint64_t kMostPitch = 2147483647;
};

/// Bytes from a place's start to column x (bytes) of row y of plane z.
constexpr std::uint64_t offset_of(std::uint64_t x, std::uint64_t y, std::uint64_t z, std::uint64_t pitch,
                                  std::uint64_t slice) {
    return sum(sum(product(z, slice), product(y, pitch)), x);
}

}  // namespace warpwright::cudart

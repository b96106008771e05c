// What a transform is: lengths, kinds of numbers, and where its elements lie.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace warpwright::libraries::fft {

constexpr int kMostRank = 3;

enum class Kind { complex, real_to_complex, complex_to_real };

/// Element (x0, x1, x2) of transform b lies at `b * distance + x0 * stride[0] + x1 * stride[1] + x2 * stride[2]`,
/// counted in elements of the side's own type.
struct Side {
    std::array<std::int64_t, kMostRank> stride{};
    std::int64_t distance = 0;
};

/// A program's own description of a side (cuFFT's "advanced data layout"): lengths of the memory that holds the
/// elements.
struct Embedding {
    std::array<std::int64_t, kMostRank> length{};
    std::int64_t stride = 0, distance = 0;
};

struct Transform {
    Kind kind = Kind::complex;
    bool doubles = false;
    int rank = 0;
    std::array<std::int64_t, kMostRank> length{};  ///< of the real side where there is one; the last is the innermost
    std::int64_t batch = 1;
    /// None: elements lie close together, and a real side that is transformed in its place has rows of 2 (n / 2 + 1)
    /// numbers.
    std::optional<Embedding> in, out;

    std::int64_t half() const { return length[rank - 1] / 2 + 1; }
    Side side(bool input, bool in_place) const;
};

/// False where a length, a stride or the size of all is below one or beyond 2^40 elements.
bool is_possible(const Transform& transform);

}  // namespace warpwright::libraries::fft

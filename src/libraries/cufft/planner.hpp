// A transform as passes (kernels/fft/pass.cuh): which lengths each has, and where its lines lie.
#pragma once

#include <optional>
#include <vector>

#include "fft/pass.cuh"
#include "libraries/cufft/layout.hpp"
#include "libraries/cufft/tables.hpp"

namespace warpwright::libraries::fft {

/// What a pass reads and writes: the program's memory, or parts of the work area.
enum class Buffer { in, out, halves, lines, chirps, size_ };

/// A pass whose pointers are yet to be set: memory by `from` and `to`, tables by their places.
struct Step {
    ww_fft::Pass pass{};
    Buffer from = Buffer::in, to = Buffer::out;
    std::int64_t roots = Tables::kNone, load_table = Tables::kNone, store_table = Tables::kNone;
    std::int64_t low_roots = Tables::kNone, high_roots = Tables::kNone;
};

struct Passes {
    std::vector<Step> steps;
    std::uint64_t elements[static_cast<int>(Buffer::size_)] = {};  ///< that each part of the work area holds
};

/// The passes of a transform that is_possible; nothing where a length is too large. Tables that they need are added to
/// `tables`.
std::optional<Passes> plan(const Transform& transform, bool inverse, bool in_place, Tables& tables);

}  // namespace warpwright::libraries::fft

// Loops that an assembler unrolls. Private to this room.
#pragma once

#include <optional>

#include "machine/code.hpp"
#include "simt/ir.hpp"

namespace warpwright::machine {

/// Four turns of a loop, where the assembler writes them behind each other: the loop is one block, it counts by a
/// constant up or down to a value that it does not change, it is small, has no slow path inside, and no
/// .pragma "nounroll" stands at its begin. Counting, comparing and branching are done once, and pointers that go by
/// constants move once. These rules and their limits were found in machine code of compute capability 9.0
/// (docs/perf/timing.md).
///
/// `body` is block `b` of `f` before its operations were scheduled; its values are those of `f` plus `first_value`.
/// Values of the first three turns get numbers from `values` on, which is moved behind them.
std::optional<Unrolled> unroll(const Block& body, const simt::Function& f, simt::BlockId b, std::uint32_t first_block,
                               std::uint32_t first_value, std::uint32_t& values);

}  // namespace warpwright::machine

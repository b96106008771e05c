// The coordinates of a block are found from its number here, or from those of the block before it. Grids of one row,
// and numbers of 32 bits, have shorter ways, because divisions of 64 bits are slow.
#include "engine/shared/executor.hpp"

namespace warpwright::engine {

void block_position(std::uint64_t index, const std::uint32_t (&grid)[3], std::uint32_t (&ctaid)[3]) {
    if (index < grid[0]) {
        ctaid[0] = static_cast<std::uint32_t>(index);
        ctaid[1] = ctaid[2] = 0;
        return;
    }
    if (index >> 32 == 0) {
        const auto n = static_cast<std::uint32_t>(index), rows = n / grid[0];
        ctaid[0] = n % grid[0];
        ctaid[1] = rows % grid[1];
        ctaid[2] = rows / grid[1];
        return;
    }
    ctaid[0] = static_cast<std::uint32_t>(index % grid[0]);
    ctaid[1] = static_cast<std::uint32_t>(index / grid[0] % grid[1]);
    ctaid[2] = static_cast<std::uint32_t>(index / grid[0] / grid[1]);
}

void next_block_position(const std::uint32_t (&grid)[3], std::uint32_t (&ctaid)[3]) {
    if (++ctaid[0] < grid[0]) return;
    ctaid[0] = 0;
    if (++ctaid[1] < grid[1]) return;
    ctaid[1] = 0;
    ++ctaid[2];
}

}  // namespace warpwright::engine

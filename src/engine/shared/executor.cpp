// The coordinates of a block are found from its number here. Grids of one row, and numbers of 32 bits, have shorter
// ways, because divisions of 64 bits are slow and every block needs them.
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

}  // namespace warpwright::engine

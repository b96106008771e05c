// The coordinates of a grid's blocks, in the order in which they are handed out.
#include <gtest/gtest.h>

#include <vector>

#include "engine/shared/executor.hpp"

namespace block_position_test {

using namespace warpwright::engine;

std::vector<std::uint32_t> at(const std::uint32_t (&position)[3]) { return {position, position + 3}; }

TEST(BlockPosition, TheNextOneFollows) {
    const std::uint32_t grids[][3] = {{7, 1, 1}, {1, 5, 1}, {1, 1, 4}, {3, 4, 5}, {1, 3, 2}, {6, 1, 3}};
    for (const auto& grid : grids) {
        std::uint32_t followed[3] = {0, 0, 0};
        for (std::uint64_t index = 0; index < std::uint64_t{grid[0]} * grid[1] * grid[2]; ++index) {
            std::uint32_t found[3];
            block_position(index, grid, found);
            EXPECT_EQ(at(found), at(followed)) << index;
            next_block_position(grid, followed);
        }
    }
}

TEST(BlockPosition, BeyondNumbersOf32Bits) {
    const std::uint32_t grid[3] = {1u << 31, 65535, 65535};
    for (const std::uint64_t index :
         {(std::uint64_t{1} << 31) - 1, (std::uint64_t{1} << 32) - 1, (std::uint64_t{1} << 31) * 65535 - 1}) {
        std::uint32_t before[3], after[3];
        block_position(index, grid, before);
        block_position(index + 1, grid, after);
        next_block_position(grid, before);
        EXPECT_EQ(at(before), at(after)) << index;
    }
}

}  // namespace block_position_test

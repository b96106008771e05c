// Blocks of unequal work: when the last one ends, and how much later than with equal work.
#include <gtest/gtest.h>

#include "timing/unequal_blocks.hpp"

namespace warpwright::timing {
namespace unequal_blocks_test {

TEST(UnequalBlocks, EqualOnesGoInTurns) {
    const std::vector<double> work(12, 100);
    EXPECT_DOUBLE_EQ(cycles_of_blocks(work, {2, 2, 1, 1}), 300) << "four places, three turns";
    EXPECT_DOUBLE_EQ(unequal_over_equal(work, {2, 2, 1, 1}), 1);
}

TEST(UnequalBlocks, ALongBlockThatComesLastKeepsTheLaunchFromItsEnd) {
    std::vector<double> work(100, 10);
    work.back() = 1000;
    const Places places{10, 1, 1, 1};
    EXPECT_DOUBLE_EQ(cycles_of_blocks(work, places), 90 + 1000);
    EXPECT_NEAR(unequal_over_equal(work, places), 1090 / (1990.0 / 10), 1e-9);
    work.back() = 10, work.front() = 1000;
    EXPECT_DOUBLE_EQ(cycles_of_blocks(work, places), 1000) << "the others run beside it";
}

TEST(UnequalBlocks, ABlockThatIsLeftAloneGoesOnFaster) {
    std::vector<double> work(4, 100);
    work[0] = 500;
    // One multiprocessor, four places, which share it: 400 cycles for 100 units of all, 400 units alone.
    EXPECT_DOUBLE_EQ(cycles_of_blocks(work, {1, 4, 1, 4}), 400 + 400);
    EXPECT_DOUBLE_EQ(cycles_of_blocks(work, {1, 4, 4, 4}), 400 + 1600) << "it waits for nobody else";
}

TEST(UnequalBlocks, NoBlocksTakeNoTime) {
    EXPECT_DOUBLE_EQ(cycles_of_blocks({}, {2, 2, 1, 1}), 0);
    EXPECT_DOUBLE_EQ(unequal_over_equal({}, {2, 2, 1, 1}), 1);
    EXPECT_DOUBLE_EQ(unequal_over_equal({0, 0}, {2, 2, 1, 1}), 1);
}

}  // namespace unequal_blocks_test
}  // namespace warpwright::timing

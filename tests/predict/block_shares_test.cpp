// How a block's work lies on its warps, and what is shared between two barriers.
#include "predict/block_shares.hpp"

#include <gtest/gtest.h>

namespace warpwright::predict {
namespace block_shares_test {

/// Three blocks of code of ten issue slots each; the third ends with a barrier.
machine::Code code_of_three() {
    machine::Code code;
    code.blocks.resize(3);
    for (auto& block : code.blocks) block.slots = 10;
    code.blocks[2].ops.emplace_back().effect = machine::Effect::barrier;
    return code;
}

/// A block of `warps` warps, each of which begins with the first block of code and ends with the barrier; between them
/// each runs the second as often as `turns` says, with so many lanes.
machine::BlockTrace block_of(const std::vector<unsigned>& turns, unsigned lanes) {
    machine::BlockTrace block;
    for (const unsigned times : turns) {
        auto& warp = block.warps.emplace_back();
        warp.events.push_back({0, 32, 0, 0, 0});
        for (unsigned k = 0; k < times; ++k) warp.events.push_back({1, lanes, 0, 0, 0});
        warp.events.push_back({2, 32, 0, 0, 0});
    }
    return block;
}

TEST(BlockShares, a_loop_of_one_warp_is_shared_among_all) {
    const BlockShares shares(block_of({40, 0, 0, 0}, 32), code_of_three());
    ASSERT_TRUE(shares.known());
    EXPECT_DOUBLE_EQ(shares.longest_warp(), 420.0 / 120) << "ten turns for each warp";
    EXPECT_DOUBLE_EQ(shares.longest_lane(), 420.0 / 120) << "its lanes all work";
    EXPECT_TRUE(shares.is_alone(0, 1));
    EXPECT_FALSE(shares.is_alone(0, 0)) << "all do that";
    double slots = 0;
    shares.each_alone([&](std::uint32_t what, double of) { slots += what == 1 ? of : 1e9; });
    EXPECT_DOUBLE_EQ(slots, 400);
}

TEST(BlockShares, a_loop_of_one_thread_is_shared_among_all_lanes) {
    const BlockShares shares(block_of({128, 0, 0, 0}, 1), code_of_three());
    EXPECT_DOUBLE_EQ(shares.longest_warp(), 1300.0 / 340);
    EXPECT_DOUBLE_EQ(shares.longest_lane(), 1300.0 / 30) << "one turn for each lane";
}

TEST(BlockShares, one_turn_cannot_be_shared) {
    const BlockShares shares(block_of({1, 0, 0, 0}, 32), code_of_three());
    EXPECT_DOUBLE_EQ(shares.longest_warp(), 1) << "a step of a tree of sums";
}

TEST(BlockShares, warps_that_do_the_same_are_not_alone) {
    const BlockShares shares(block_of({8, 8, 8, 8}, 1), code_of_three());
    EXPECT_DOUBLE_EQ(shares.longest_warp(), 1) << "that lanes are idle is divergence";
    EXPECT_FALSE(shares.is_alone(0, 1));
}

TEST(BlockShares, of_two_warps_none_is_alone) {
    const BlockShares shares(block_of({128, 0}, 1), code_of_three());
    EXPECT_FALSE(shares.is_alone(0, 1)) << "half of the warps work: that of their lanes one does is divergence";
}

TEST(BlockShares, a_trace_that_was_cut_is_not_known) {
    auto block = block_of({40, 0}, 32);
    block.warps[1].cut = true;
    EXPECT_FALSE(BlockShares(block, code_of_three()).known());
    EXPECT_FALSE(BlockShares(block_of({40}, 32), code_of_three()).known()) << "one warp has nobody to share with";
}

}  // namespace block_shares_test
}  // namespace warpwright::predict

// What a launch touches, told from the sample of its blocks: streams, what all blocks read, parts of allocations.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <utility>

#include "machine/footprint.hpp"

namespace warpwright::machine {
namespace footprint_test {

/// Blocks whose only warp touches the sectors that are given.
LaunchTrace blocks_at(const std::vector<std::vector<std::uint32_t>>& blocks, std::uint32_t how = 0) {
    LaunchTrace t;
    t.sample.resize(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        t.sample[b].sectors = blocks[b];
        t.sample[b].warps.resize(1);
        t.sample[b].warps[0].events = {{Event::kAccess | how, 32, 0, static_cast<std::uint16_t>(blocks[b].size()), 1}};
    }
    t.areas = {{0, 1000}};
    return t;
}

TEST(Footprint, AStreamTouchesAsMuchMoreAsThereAreBlocks) {
    const auto f = footprints(blocks_at({{0, 1, 2, 3}, {400, 401, 402, 403}}), 0.1, 1);
    ASSERT_EQ(f.size(), 1u);
    EXPECT_DOUBLE_EQ(f[0].sampled, 8);
    EXPECT_DOUBLE_EQ(f[0].touched, 80);
    EXPECT_DOUBLE_EQ(f[0].read, 80);
    EXPECT_DOUBLE_EQ(f[0].written, 0);
    EXPECT_DOUBLE_EQ(f[0].chance(), 1);
}

TEST(Footprint, NoMoreIsTouchedThanThereIs) {
    const auto f = footprints(blocks_at({{0, 1, 2, 3}, {0, 1, 2, 3}}, Event::kStore), 0.001, 1);
    EXPECT_DOUBLE_EQ(f[0].touched, 1000) << "the size of the allocation";
    EXPECT_DOUBLE_EQ(f[0].written, 1000);
    EXPECT_DOUBLE_EQ(f[0].read, 0);
    EXPECT_DOUBLE_EQ(f[0].chance(), 0.25);
}

TEST(Footprint, OfAPartOfAnAllocationBlocksThatTouchTheSameTellHowMuchIsUsed) {
    auto t = blocks_at({{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}});
    t.areas = {{0, 1u << 30, true}};
    EXPECT_NEAR(footprints(t, 0.001, 1)[0].touched, 4, 1e-6) << "all blocks read the same";
    t = blocks_at({{0, 1, 300, 301}, {0, 1, 300, 301}, {0, 1, 300, 301}});
    t.areas = {{0, 1u << 30, true}};
    EXPECT_DOUBLE_EQ(footprints(t, 0.001, 1)[0].touched, 302) << "others may read what lies between";
    t = blocks_at({{0, 1, 2, 3}, {400, 401, 402, 403}, {800, 801, 802, 803}});
    t.areas = {{0, 1u << 30, true}};
    EXPECT_DOUBLE_EQ(footprints(t, 0.001, 1)[0].touched, 12000) << "each block has its own";
}

TEST(Footprint, WhatIsReadAndWhatIsWrittenIsToldApart) {
    constexpr std::uint32_t reads = 0, writes = Event::kStore, both = Event::kAtomic;
    const std::vector<std::vector<std::uint32_t>> sectors{{0, 1, 2, 3}, {2, 3, 4}, {4, 900}};
    const auto of = [&](std::array<std::uint32_t, 3> how) {
        auto t = blocks_at(sectors);
        for (std::size_t b = 0; b < how.size(); ++b) t.sample[b].warps[0].events[0].what |= how[b];
        // Within a block too.
        t.sample[0].warps[0].events.push_back({Event::kAccess | how[1], 32, 1, 2, 1});
        const auto f = footprints(t, 1, 1)[0];
        EXPECT_DOUBLE_EQ(f.touched, 6);
        return std::pair(f.read, f.written);
    };
    EXPECT_EQ(of({reads, writes, reads}), std::pair(6.0, 4.0));
    EXPECT_EQ(of({writes, reads, writes}), std::pair(4.0, 6.0));
    EXPECT_EQ(of({reads, reads, writes}), std::pair(5.0, 2.0));
    EXPECT_EQ(of({reads, both, reads}), std::pair(6.0, 4.0));
    EXPECT_EQ(of({both, reads, reads}), std::pair(6.0, 4.0));
    EXPECT_EQ(of({both, both, writes}), std::pair(5.0, 6.0));
    EXPECT_EQ(of({writes, writes, writes}), std::pair(0.0, 6.0));
}

TEST(Footprint, WhatIsTouchedAgainCountsOnceNearAndFar) {
    auto near = blocks_at({{7, 900, 7, 901, 900, 70}, {70, 7}});
    EXPECT_DOUBLE_EQ(footprints(near, 0.5, 1)[0].sampled, 4);
    auto far = blocks_at({{7, 900'000'000, 7, 900'000'001, 900'000'000, 70}, {70, 7}});
    far.areas = {{0, 1u << 30}};
    EXPECT_DOUBLE_EQ(footprints(far, 0.5, 1)[0].sampled, 4) << "too far apart for a bit each";
}

TEST(Footprint, AnAtomicReadsAndWrites) {
    const auto f = footprints(blocks_at({{0, 0, 0, 7}}, Event::kAtomic), 1, 2);
    EXPECT_DOUBLE_EQ(f[0].touched, 2) << "units of two sectors";
    EXPECT_DOUBLE_EQ(f[0].read, 2);
    EXPECT_DOUBLE_EQ(f[0].written, 2);
}

TEST(Footprint, LocalMemoryIsCountedByBlock) {
    const auto t = blocks_at({{0, 1, 1, 9}, {5, 6}}, Event::kLocal);
    EXPECT_DOUBLE_EQ(local_footprint(t), 2.5);
    EXPECT_DOUBLE_EQ(footprints(t, 1, 1)[0].touched, 0);
}

}  // namespace footprint_test
}  // namespace warpwright::machine

// Shadow memory: what is known of each piece, in words and in bytes, for whole warps and for single lanes.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "check/shadow.hpp"

namespace warpwright::check {
namespace {

struct ShadowTest : testing::Test {
    ShadowTest() {
        auto made = Shadow::reserve(kStart, 1 << 16);
        EXPECT_TRUE(made);
        shadow = std::move(*made);
    }
    static Accessor by(std::uint32_t block, std::uint32_t warp, std::uint32_t tick, std::uint32_t base = 0, std::uint32_t warp_base = 0) {
        Accessor a;
        a.key = stamp_of(1, block);
        a.warp = warp, a.tick = tick, a.base = base, a.warp_base = warp_base;
        return a;
    }
    static constexpr std::uint64_t kStart = 0x10000;
    std::unique_ptr<Shadow> shadow;
};

TEST_F(ShadowTest, writtenToTheByte) {
    EXPECT_FALSE(shadow->is_written(kStart, 1));
    shadow->set_written(kStart + 3, 7);
    EXPECT_TRUE(shadow->is_written(kStart + 3, 7));
    EXPECT_FALSE(shadow->is_written(kStart + 2, 7));
    EXPECT_FALSE(shadow->is_written(kStart + 4, 7));
    shadow->clear_written(kStart + 5, 1);
    EXPECT_FALSE(shadow->is_written(kStart + 3, 7));
    EXPECT_TRUE(shadow->is_written(kStart + 6, 4));
}

TEST_F(ShadowTest, writtenAgreesWithAMap) {
    std::mt19937 random(7);
    std::vector<bool> model(600);
    for (int round = 0; round < 3000; ++round) {
        const auto at = random() % 500, n = random() % 90 + 1;
        const auto what = random() % 3;
        if (what == 0) {
            shadow->set_written(kStart + at, n);
            for (auto k = at; k < at + n; ++k) model[k] = true;
        } else if (what == 1) {
            shadow->clear_written(kStart + at, n);
            for (auto k = at; k < at + n; ++k) model[k] = false;
        } else {
            bool all = true;
            for (auto k = at; k < at + n; ++k) all &= model[k];
            ASSERT_EQ(shadow->is_written(kStart + at, n), all) << at << " " << n;
        }
    }
}

TEST_F(ShadowTest, copiesKeepHoles) {
    shadow->set_written(kStart, 10);
    shadow->set_written(kStart + 12, 4);
    shadow->copy_written(kStart + 5001, kStart, 16);
    EXPECT_TRUE(shadow->is_written(kStart + 5001, 10));
    EXPECT_FALSE(shadow->is_written(kStart + 5011, 1));
    EXPECT_TRUE(shadow->is_written(kStart + 5013, 4));
}

TEST_F(ShadowTest, forgetting) {
    shadow->set_written(kStart, 8192);
    EXPECT_TRUE(shadow->write_run(kStart, 128, 4, 0, by(1, 0, 5)));
    EXPECT_FALSE(shadow->read_run(kStart, 128, 4, 0, by(2, 0, 5)));
    shadow->forget(kStart, 4096);
    EXPECT_FALSE(shadow->is_written(kStart, 1));
    EXPECT_TRUE(shadow->is_written(kStart + 4096, 4096));
    EXPECT_TRUE(shadow->read_run(kStart, 128, 4, 0, by(2, 0, 5)));
}

TEST_F(ShadowTest, ownThreadsAreInOrderOthersNeedABarrier) {
    ASSERT_TRUE(shadow->write_run(kStart, 128, 4, 0, by(1, 0, 5)));
    EXPECT_TRUE(shadow->read_run(kStart, 128, 4, 0, by(1, 0, 6))) << "each lane its own word";
    EXPECT_FALSE(shadow->read_run(kStart, 128, 4, 0, by(1, 1, 6))) << "another warp";
    EXPECT_TRUE(shadow->read_run(kStart, 128, 4, 0, by(1, 1, 6, 5))) << "after a barrier";
    EXPECT_FALSE(shadow->read_run(kStart + 4, 64, 4, 0, by(1, 0, 6))) << "another lane";
    EXPECT_TRUE(shadow->read_run(kStart + 4, 64, 4, 0, by(1, 0, 6, 0, 5))) << "after __syncwarp";
}

TEST_F(ShadowTest, readersAreInTheWayOfWriters) {
    ASSERT_TRUE(shadow->read_run(kStart, 128, 4, 0, by(1, 0, 5)));
    ASSERT_TRUE(shadow->read_run(kStart, 128, 4, 0, by(1, 1, 5)));
    EXPECT_FALSE(shadow->write_run(kStart, 128, 4, 0, by(1, 1, 5))) << "the first reader is not forgotten";
    EXPECT_FALSE(shadow->write_run(kStart, 128, 4, 0, by(1, 0, 5)));
    EXPECT_TRUE(shadow->write_run(kStart, 128, 4, 0, by(1, 0, 6, 5)));
}

TEST_F(ShadowTest, readersOfTwoBlocksAreKept) {
    for (std::uint32_t block = 1; block < 6; ++block) ASSERT_TRUE(shadow->read_run(kStart, 128, 4, 0, by(block, 0, 5)));
    for (std::uint32_t block = 1; block < 6; ++block) EXPECT_FALSE(shadow->write_run(kStart, 128, 4, 0, by(block, 0, 9, 8))) << block;
}

TEST_F(ShadowTest, launchesComeOneAfterTheOther) {
    ASSERT_TRUE(shadow->write_run(kStart, 128, 4, 0, by(1, 0, 5)));
    auto next = by(2, 0, 1);
    next.key = stamp_of(2, 2);
    EXPECT_TRUE(shadow->write_run(kStart, 128, 4, 0, next));
}

TEST_F(ShadowTest, allLanesReadOneWord) {
    ASSERT_TRUE(shadow->read_same(kStart, 4, 0, 31, by(1, 0, 5)));
    EXPECT_FALSE(shadow->write_run(kStart, 4, 4, 31, by(1, 0, 5))) << "lane 0 has read it too";
    EXPECT_FALSE(shadow->write_run(kStart, 4, 4, 0, by(1, 0, 5)));
    EXPECT_TRUE(shadow->write_run(kStart, 4, 4, 0, by(1, 0, 6, 0, 5)));
}

TEST_F(ShadowTest, bytesOfAWordBelongToDifferentThreads) {
    EXPECT_TRUE(shadow->write_run(kStart, 32, 1, 0, by(1, 0, 5)));
    EXPECT_TRUE(shadow->write_run(kStart + 32, 32, 1, 0, by(2, 0, 5)));
    EXPECT_TRUE(shadow->read_run(kStart, 32, 1, 0, by(1, 0, 5)));
    EXPECT_FALSE(shadow->read_run(kStart + 1, 31, 1, 0, by(1, 0, 5)));
    EXPECT_FALSE(shadow->read_run(kStart, 32, 4, 0, by(1, 0, 5))) << "words of the same page see the bytes";
    EXPECT_TRUE(shadow->read_run(kStart, 32, 4, 0, by(1, 0, 6, 5)));
}

TEST_F(ShadowTest, wordsStayKnownWhenTheirPageIsSplit) {
    ASSERT_TRUE(shadow->write_run(kStart, 128, 4, 0, by(1, 0, 5)));
    ASSERT_TRUE(shadow->write_run(kStart + 512, 32, 1, 0, by(1, 0, 5)));
    EXPECT_FALSE(shadow->read_run(kStart, 128, 4, 0, by(2, 0, 5)));
    EXPECT_TRUE(shadow->read_run(kStart, 128, 4, 0, by(1, 0, 5)));
    const auto piece = shadow->piece(kStart + 8, 4);
    EXPECT_EQ(piece.bytes, 1u);
    EXPECT_EQ(thread_of(piece.cells->written[piece.index]), 2u);
}

TEST_F(ShadowTest, wideLanes) {
    ASSERT_TRUE(shadow->write_run(kStart, 512, 16, 0, by(1, 0, 5)));
    const auto piece = shadow->piece(kStart + 20, 4);
    EXPECT_EQ(thread_of(piece.cells->written[piece.index]), 1u);
    EXPECT_TRUE(shadow->read_run(kStart + 16, 496, 16, 1, by(1, 0, 5)));
    EXPECT_FALSE(shadow->read_run(kStart + 16, 128, 4, 1, by(1, 0, 5)));
}

}  // namespace
}  // namespace warpwright::check

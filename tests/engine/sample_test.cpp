// Which blocks a sample takes, and what it says of the whole, where the whole is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "engine/run/block_sample.hpp"

namespace warpwright::engine {
namespace sample_test {

using record::Count;

struct Outcome {
    bool hopeless = false;
    std::uint64_t run = 0;
    double estimate = 0, truth = 0, half = 0;
    record::Sample sample;
    std::set<std::uint64_t> blocks;
};

/// Draws until the sample is satisfied; `work` is what a block counts.
Outcome draw(const std::uint32_t (&grid)[3], double error, const std::function<std::uint64_t(std::uint64_t)>& work) {
    BlockSample sample(grid, error);
    Outcome o;
    for (auto list = sample.next(); !list.empty(); list = sample.next())
        for (const auto& u : list) {
            EXPECT_TRUE(o.blocks.insert(u.index).second) << u.index << " twice";
            record::Counts c;
            c[Count::instructions] = work(u.index);
            sample.add(u, c);
        }
    o.hopeless = sample.hopeless();
    const std::uint64_t all = std::uint64_t{grid[0]} * grid[1] * grid[2];
    for (std::uint64_t k = 0; k < all; ++k) o.truth += static_cast<double>(work(k));
    for (std::size_t k = 0; k < sample.strata().size(); ++k) o.estimate += sample.strata()[k].sum[0] * sample.scale(k);
    o.sample = sample.describe(1);
    o.run = o.blocks.size();
    o.half = o.sample.half_width[0];
    return o;
}

TEST(BlockSample, StrataCoverTheGridOnce) {
    for (const auto& grid :
         {std::array<std::uint32_t, 3>{1, 1, 1}, {5, 1, 1}, {2, 2, 2}, {7, 3, 1}, {4, 5, 6}, {1, 1, 9}}) {
        const std::uint32_t g[3] = {grid[0], grid[1], grid[2]};
        BlockSample sample(g, 0.02);
        std::uint64_t units = 0;
        for (const auto& s : sample.strata()) units += s.units();
        EXPECT_EQ(units, std::uint64_t{g[0]} * g[1] * g[2]);
    }
}

TEST(BlockSample, EqualBlocksAreExactAfterFew) {
    const auto o = draw({1000000, 1, 1}, 0.02, [](std::uint64_t) { return 123u; });
    EXPECT_FALSE(o.hopeless);
    EXPECT_EQ(o.run, 258u);
    EXPECT_DOUBLE_EQ(o.estimate, o.truth);
    EXPECT_EQ(o.half, 0);
    EXPECT_TRUE(o.blocks.contains(0) && o.blocks.contains(999999));  // the ends are always there
    EXPECT_EQ(o.sample.which, "2 of 2 at the ends, 256 of 999,998 between");
}

TEST(BlockSample, BordersCostNothingExtra) {
    // Blocks at the border of 300 x 200 do ten times the work: known exactly, since they are drawn apart.
    const auto o = draw({300, 200, 1}, 0.02, [](std::uint64_t k) {
        const auto x = k % 300, y = k / 300;
        return x == 0 || x == 299 || y == 0 || y == 199 ? 1000u : 100u;
    });
    EXPECT_DOUBLE_EQ(o.estimate, o.truth);
    EXPECT_EQ(o.half, 0);
    EXPECT_THAT(o.sample.which,
                testing::StartsWith("4 of 4 at the corners, 128 of 992 at the edges, 256 of 59,004 inside"));
}

TEST(BlockSample, IntervalsHoldTheTruth) {
    // Work that depends on data, in many forms: 95 % of the intervals should hold the truth, and the aim be kept.
    unsigned held = 0, tried = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
        const auto hash = [seed](std::uint64_t k) {
            std::uint64_t h = (k + seed * 7919) * 0x9E3779B97F4A7C15ull;
            h ^= h >> 29, h *= 0xBF58476D1CE4E5B9ull, h ^= h >> 32;
            return h;
        };
        const double aim = seed % 3 == 1 ? 0.1 : 0.03;  // work that varies more needs more blocks
        const auto o = draw({20000 + seed, 1, 1}, aim, [&](std::uint64_t k) {
            const auto h = hash(k);
            return seed % 3 == 0 ? 100 + h % 200 : seed % 3 == 1 ? 50 + (h % 10 == 0 ? 1000 : h % 50) : 100 + k / 50;
        });
        ASSERT_FALSE(o.hopeless) << seed;
        EXPECT_LE(o.half, aim * o.estimate * 1.0001);
        ++tried;
        held += std::abs(o.estimate - o.truth) <= o.half + 1e-6;
    }
    EXPECT_GE(held, tried * 90 / 100);
}

TEST(BlockSample, PeriodicWorkIsNotMissed) {
    for (const unsigned period : {2u, 3u, 8u, 16u, 32u, 100u, 128u}) {
        const auto o = draw({65536, 1, 1}, 0.02, [&](std::uint64_t k) { return k % period == 0 ? 1000u : 10u; });
        if (o.hopeless) continue;  // it says so, which is right too
        EXPECT_NEAR(o.estimate / o.truth, 1, 0.05) << period;
    }
}

TEST(BlockSample, SmallGridsAndWildOnesRunWhole) {
    EXPECT_TRUE(draw({60, 1, 1}, 0.02, [](std::uint64_t) { return 1u; }).hopeless);
    // One block in a thousand does nearly all the work: a sample of a quarter cannot know that to 2 %.
    const auto o = draw({3000, 1, 1}, 0.02, [](std::uint64_t k) { return k % 17 == 5 ? 100000u : 1u; });
    EXPECT_TRUE(o.hopeless);
}

}  // namespace sample_test
}  // namespace warpwright::engine

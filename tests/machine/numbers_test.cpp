// The numbers of sectors: the same wherever buffers lie, and as far apart within an allocation as they were.
#include <gtest/gtest.h>

#include <algorithm>

#include "machine/numbers.hpp"

namespace warpwright::machine {
namespace numbers_test {

/// A block of one warp that reads at two buffers, of which one is two areas, and writes at a third.
LaunchTrace three_buffers(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    LaunchTrace t;
    t.sample.resize(1);
    auto& block = t.sample[0];
    block.warps.resize(1);
    const auto touch = [&](std::vector<std::uint32_t> sectors, std::uint32_t how) {
        block.warps[0].events.push_back({Event::kAccess | how, 32, static_cast<std::uint32_t>(block.sectors.size()),
                                         static_cast<std::uint16_t>(sectors.size()), 1});
        std::sort(sectors.begin(), sectors.end());
        block.sectors.insert(block.sectors.end(), sectors.begin(), sectors.end());
    };
    touch({b + 5, b + 6}, 0);
    touch({a + 1}, 0);
    touch({a + 1, b + 70, c}, Event::kStore);
    touch({77}, Event::kLocal);
    t.areas = {{a, 8, false, 0, 8},
               {b, 64, true, 0, 100},
               {b + 64, 36, true, 64, 100},
               {c, 4, false, 0, 4},
               {9000, 5, false, 0, 5}};
    std::sort(t.areas.begin(), t.areas.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    number_by_use(t);
    return t;
}

TEST(Numbers, AreTheSameWhereverBuffersLie) {
    const auto one = three_buffers(0, 128, 256), other = three_buffers(70000, 4096, 16);
    EXPECT_EQ(one.sample[0].sectors, other.sample[0].sectors);
    ASSERT_EQ(one.areas.size(), 4u) << "nothing is touched of the last";
    for (std::size_t k = 0; k < one.areas.size(); ++k) {
        EXPECT_EQ(one.areas[k].first, other.areas[k].first);
        EXPECT_EQ(one.areas[k].sectors, other.areas[k].sectors);
    }
}

TEST(Numbers, KeepDistancesAndPlacesWithinALine) {
    const auto t = three_buffers(1002, 2049, 4099);
    const auto& s = t.sample[0].sectors;
    EXPECT_EQ(s[0] % 4, (2049 + 5) % 4);
    EXPECT_EQ(s[1] - s[0], 1u);
    EXPECT_EQ(s[2] % 4, 1003 % 4);
    EXPECT_EQ(s.back(), 77u) << "local memory has numbers of its own";
    EXPECT_EQ(t.areas[1].first - t.areas[0].first, 64u) << "parts of one allocation stay side by side";
    for (std::size_t k = 0; k + 1 < s.size(); ++k)
        EXPECT_LT(s[k] - t.areas[t.area_of(s[k])].first, t.areas[t.area_of(s[k])].sectors);
}

}  // namespace numbers_test
}  // namespace warpwright::machine

// Where allocations lie in device memory.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "engine/shared/device_memory.hpp"

namespace warpwright::engine {
namespace device_memory_test {

constexpr std::uint64_t kMebi = 1 << 20;

TEST(DeviceMemory, LargeAllocationsBeginAtAPage) {
    auto memory = DeviceMemory::reserve(64 * kMebi, true, true, false);
    ASSERT_TRUE(memory.ok());
    ASSERT_TRUE((*memory)->allocate(100).ok());
    for (const std::uint64_t bytes : {kMebi, 3 * kMebi + 5, kMebi}) {
        auto at = (*memory)->allocate(bytes);
        ASSERT_TRUE(at.ok());
        EXPECT_EQ(*at % 4096, 0u);
    }
}

TEST(DeviceMemory, AllocationsNeverTouchAndAllComesBack) {
    auto memory = DeviceMemory::reserve(64 * kMebi, true, true, false);
    ASSERT_TRUE(memory.ok());
    std::mt19937 random(7);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> live;  // address, bytes
    for (int step = 0; step < 20000; ++step) {
        if (live.size() < 20 && random() % 2) {
            const std::uint64_t bytes = random() % 2 ? random() % 5000 + 1 : random() % (2 * kMebi) + 1;
            auto at = (*memory)->allocate(bytes);
            ASSERT_TRUE(at.ok()) << at.error().text() << " at step " << step;
            for (const auto& [other, size] : live)
                ASSERT_TRUE(*at + bytes <= other || other + size <= *at) << "two allocations share memory";
            live.emplace_back(*at, bytes);
        } else if (!live.empty()) {
            const std::size_t k = random() % live.size();
            ASSERT_TRUE((*memory)->release(live[k].first).ok());
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(k));
        }
    }
    for (const auto& [address, bytes] : live) ASSERT_TRUE((*memory)->release(address).ok());
    EXPECT_TRUE((*memory)->allocate(63 * kMebi).ok()) << "what was freed is not whole again";
}

TEST(DeviceMemory, TheNearestAllocationIsThatOfEitherSide) {
    auto memory = DeviceMemory::reserve(64 * kMebi, true, true, false);
    ASSERT_TRUE(memory.ok());
    const auto first = *(*memory)->allocate(100), gap = *(*memory)->allocate(4096), last = *(*memory)->allocate(100);
    ASSERT_TRUE(first < gap && gap < last);
    ASSERT_TRUE((*memory)->release(gap).ok());
    const auto nearest = [&](std::uint64_t address) { return (*memory)->nearest(address)->address; };
    EXPECT_EQ(nearest(first + 99), first);
    EXPECT_EQ(nearest(first + 104), first);
    EXPECT_EQ(nearest(last - 4), last);
    EXPECT_EQ(nearest(last), last);
    EXPECT_EQ(nearest(last + 5000), last);
    EXPECT_EQ(nearest((*memory)->base()), first);
    EXPECT_FALSE((*memory)->nearest((*memory)->base() - 1));
}

}  // namespace device_memory_test
}  // namespace warpwright::engine

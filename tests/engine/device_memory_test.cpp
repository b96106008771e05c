// Where allocations lie in device memory.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <random>
#include <string>
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

/// Pages of [at, at + bytes) that are in this machine's memory.
std::size_t pages_there(std::uint64_t at, std::uint64_t bytes) {
    std::vector<unsigned char> there((bytes + 4095) / 4096);
    EXPECT_EQ(::mincore(reinterpret_cast<void*>(at), bytes, there.data()), 0);
    return static_cast<std::size_t>(std::count_if(there.begin(), there.end(), [](auto t) { return t & 1; }));
}

TEST(DeviceMemory, ZerosTouchNothingThatWasNotTouched) {
    for (const std::string folder : {"", "/tmp"}) {
        auto memory = DeviceMemory::reserve(1024 * kMebi, true, true, false, folder);
        ASSERT_TRUE(memory.ok()) << memory.error().text();
        const auto bytes = 600 * kMebi;
        auto at = (*memory)->allocate(bytes);
        ASSERT_TRUE(at.ok());
        auto* const place = reinterpret_cast<unsigned char*>(*at);
        const std::uint64_t touched[] = {5, 4096, 3 * kMebi + 17, 300 * kMebi, bytes - 1};
        for (const auto k : touched) place[k] = 7;
        (*memory)->zero(*at + 4, bytes - 5);
        // A file system may give some megabytes for each place that is touched.
        EXPECT_LT(pages_there(*at, bytes), bytes / 4096 / 8) << folder;
        for (const auto k : touched) EXPECT_EQ(place[k], k == bytes - 1 ? 7 : 0) << folder << k;
        ASSERT_TRUE((*memory)->release(*at).ok());
        auto again = (*memory)->allocate(bytes);
        ASSERT_TRUE(again.ok());
        EXPECT_EQ(*reinterpret_cast<unsigned char*>(*again + bytes - 1), 0) << folder;
    }
    EXPECT_FALSE(DeviceMemory::reserve(kMebi, true, true, false, "/proc/none").ok());
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

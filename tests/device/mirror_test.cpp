// A copy of another host's memory: what kernels write there is found to the byte, and forgotten.
#include <gtest/gtest.h>

#include <cstring>

#include "device/hosts/mirror.hpp"

namespace mirror_test {

using warpwright::device::Mirror;
using warpwright::engine::Allocation;
using warpwright::engine::Change;
using warpwright::engine::DeviceMemory;
using warpwright::engine::MemoryUse;

class Mirrors : public testing::Test {
protected:
    void SetUp() override {
        auto made = DeviceMemory::reserve(std::uint64_t{1} << 26, true, true);
        ASSERT_TRUE(made.ok());
        memory_ = std::move(*made);
        auto mirror = Mirror::over(*memory_);
        ASSERT_TRUE(mirror.ok()) << mirror.error().text();
        mirror_ = std::move(*mirror);
        first_ = memory_->base() + 4096 * 3 + 256;
        second_ = memory_->base() + (1 << 20);
        memory_->mirror({{first_, 10'000}, {second_, 100}, {second_ + 4096, 64, MemoryUse::constant}});
    }
    static std::uint8_t& byte(std::uint64_t at) { return *reinterpret_cast<std::uint8_t*>(at); }
    std::vector<Change> changes() const {
        std::vector<Change> out;
        mirror_->changes(memory_->live(), [&](Change c) { out.push_back(std::move(c)); });
        return out;
    }

    std::unique_ptr<DeviceMemory> memory_;
    std::unique_ptr<Mirror> mirror_;
    std::uint64_t first_ = 0, second_ = 0;
};

TEST_F(Mirrors, ChangesAreLinesThatDiffer) {
    mirror_->put(first_, std::vector<char>(10'000, 5));
    EXPECT_TRUE(changes().empty());
    EXPECT_EQ(byte(first_ + 9'999), 5) << "what was put is there";
    byte(first_ + 100) = 5;  // the same
    EXPECT_TRUE(changes().empty());
    byte(first_ + 100) = 6, byte(first_ + 130) = 7, byte(first_ + 9'999) = 8, byte(second_ + 99) = 9;
    const auto all = changes();
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].address, first_ + 64);
    ASSERT_EQ(all[0].after.size(), 128u) << "two lines side by side";
    EXPECT_EQ(all[0].after[36], 6);
    EXPECT_EQ(all[0].before[36], 5);
    EXPECT_EQ(all[0].after[66], 7);
    EXPECT_EQ(all[1].address + all[1].after.size(), first_ + 10'000) << "no further than the allocation";
    EXPECT_EQ(all[1].after.back(), 8);
    EXPECT_EQ(all[2].address + all[2].after.size(), second_ + 100);
    mirror_->forget();
    EXPECT_TRUE(changes().empty());
    EXPECT_EQ(byte(first_ + 100), 5);
}

TEST_F(Mirrors, WhatLiesBehindAnEndIsAPieceOfItsOwn) {
    byte(second_ + 99) = 1, byte(second_ + 120) = 2;
    byte(second_ + 4096) = 3;  // constant: no kernel writes it
    const auto all = changes();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].address + all[0].after.size(), second_ + 100);
    EXPECT_EQ(all[1].address, second_ + 100);
    EXPECT_EQ(all[1].after[20], 2);
}

TEST_F(Mirrors, LongChangesAreSeveral) {
    memory_->mirror({{second_, 1 << 20}});
    std::memset(reinterpret_cast<void*>(second_), 1, 1 << 20);
    std::uint64_t bytes = 0;
    const auto all = changes();
    for (const auto& c : all) {
        EXPECT_EQ(c.address, second_ + bytes);
        bytes += c.after.size();
    }
    EXPECT_EQ(bytes, std::uint64_t{1} << 20);
    EXPECT_GE(all.size(), 4u);
}

TEST_F(Mirrors, NothingIsPutOutsideOfTheMemory) {
    mirror_->put(memory_->base() - 8, {1, 2, 3});
    mirror_->put(memory_->base() + memory_->range() - 1, {1, 2});
    SUCCEED() << "and nothing has happened";
}

}  // namespace mirror_test

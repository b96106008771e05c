// What other hosts' blocks have written, taken over: bytes side by side, the same bytes, and words that atomics wrote.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "engine/run/changes.hpp"

namespace warpwright::engine {
namespace changes_test {

class TakeOver : public testing::Test {
protected:
    void SetUp() override {
        auto made = DeviceMemory::reserve(1 << 20, true, true);
        ASSERT_TRUE(made.ok());
        memory_ = std::move(*made);
        at_ = *memory_->allocate(64);
    }
    std::uint32_t& word(unsigned k) const { return reinterpret_cast<std::uint32_t*>(at_)[k]; }
    /// Words from the k-th on, before and after.
    Change change(unsigned k, const std::vector<std::uint32_t>& before, const std::vector<std::uint32_t>& after) const {
        const auto bytes = [](const std::vector<std::uint32_t>& v) {
            std::vector<std::uint8_t> out(v.size() * 4);
            std::memcpy(out.data(), v.data(), out.size());
            return out;
        };
        return {at_ + 4 * k, bytes(before), bytes(after)};
    }
    bool take(const Change& c, const std::optional<Combining>& how = std::nullopt) const {
        return take_over({&c, 1}, *memory_, touched_, how);
    }

    std::unique_ptr<DeviceMemory> memory_;
    std::uint64_t at_ = 0;
    TouchedMemory touched_;
};

TEST_F(TakeOver, BytesThatNobodyElseHasWritten) {
    word(0) = 7, word(1) = 8;
    EXPECT_TRUE(take(change(0, {7, 8}, {9, 8})));
    EXPECT_EQ(word(0), 9u);
    // A byte of a word is another's: only what differs is written.
    word(2) = 0x000000ff;
    EXPECT_TRUE(take(change(2, {0}, {0xab000000})));
    EXPECT_EQ(word(2), 0xab0000ffu);
}

TEST_F(TakeOver, TheSameIsNoConflictAndAnotherIs) {
    word(0) = 1;
    EXPECT_TRUE(take(change(0, {0}, {1})));
    word(1) = 5;
    EXPECT_FALSE(take(change(0, {0, 0}, {3, 6})));
    EXPECT_EQ(word(0), 1u) << "none of it is taken over";
    EXPECT_EQ(word(1), 5u);
}

TEST_F(TakeOver, BothChangesOfAtomicsCount) {
    const struct {
        AtomicOp op;
        std::uint32_t before, here, there, both;
    } cases[] = {{AtomicOp::add_int, 10, 14, 13, 17},
                 {AtomicOp::min_u, 0xffffffff, 7, 5, 5},
                 {AtomicOp::max_u, 0, 7, 5, 7},
                 {AtomicOp::min_s, 0, 0xfffffff0, 0xffffff00, 0xffffff00},
                 {AtomicOp::max_s, 0xffffff00, 3, 0xfffffff0, 3},
                 {AtomicOp::and_, 0xff, 0xf7, 0x7f, 0x77},
                 {AtomicOp::or_, 0, 1, 2, 3},
                 {AtomicOp::xor_, 5, 4, 7, 6}};
    touched_.add(at_, 64, TouchedMemory::kRead | TouchedMemory::kWritten);
    for (const auto& c : cases) {
        word(3) = c.here;
        EXPECT_TRUE(take(change(3, {c.before}, {c.there}), Combining{c.op, 4}));
        EXPECT_EQ(word(3), c.both) << static_cast<unsigned>(c.op);
    }
    // Sums of 64 bits carry.
    word(4) = 0xffffffff, word(5) = 0;
    EXPECT_TRUE(take(change(4, {0xfffffffe, 0}, {0, 1}), Combining{AtomicOp::add_int, 8}));
    EXPECT_EQ(word(4), 1u);
    EXPECT_EQ(word(5), 1u);
}

TEST_F(TakeOver, AtomicsOfAnotherLaunchGoOn) {
    constexpr unsigned kTimes = 100'000;
    touched_.add(at_, 64, TouchedMemory::kRead | TouchedMemory::kWritten);
    std::thread other([&] {
        for (unsigned k = 0; k < kTimes; ++k) std::atomic_ref(word(0)).fetch_add(1);
    });
    const auto one = change(0, {0}, {1});
    for (unsigned k = 0; k < kTimes; ++k) EXPECT_TRUE(take(one, Combining{AtomicOp::add_int, 4}));
    other.join();
    EXPECT_EQ(word(0), 2 * kTimes);
}

TEST_F(TakeOver, StoresBesideAtomicsAreNotAdded) {
    touched_.add(at_, 64, TouchedMemory::kRead | TouchedMemory::kStored);
    word(0) = 1;
    EXPECT_TRUE(take(change(0, {0}, {1}), Combining{AtomicOp::add_int, 4})) << "a flag that both have set";
    EXPECT_EQ(word(0), 1u);
    word(1) = 4;
    EXPECT_FALSE(take(change(1, {0}, {3}), Combining{AtomicOp::add_int, 4}));
}

TEST_F(TakeOver, OnlyWhereKernelsMayWrite) {
    EXPECT_TRUE(take({at_ + 64, {0}, {1}})) << "behind the end, where a GPU does not notice";
    EXPECT_FALSE(take({at_ + 4096, {0}, {1}}));
    EXPECT_FALSE(take({at_, {0, 0}, {1}}));
    memory_->set_use(at_, MemoryUse::constant);
    EXPECT_FALSE(take({at_, {0}, {1}}));
}

}  // namespace changes_test
}  // namespace warpwright::engine

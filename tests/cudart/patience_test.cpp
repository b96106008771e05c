// How long kernels are held back for a host that may touch what they use: the rule, with times of its own.
#include "cudart/observe/patience.hpp"

#include <gtest/gtest.h>

namespace warpwright::cudart {
namespace patience_test {

using namespace std::chrono_literals;

constexpr Patience::Time kBegin{1h};

/// When a kernel begins that is held from `now` on, while the host asks every millisecond whether something else is
/// done.
Patience::Time begins(Patience& patience, Patience::Time now, bool asks) {
    auto from = now;
    for (;; now += 1ms) {
        if (asks) patience.host_waits(now);
        from = patience.counted_from(from, now);
        if (now - from >= Patience::kLongest) return now;
    }
}

TEST(Patience, AHostThatDoesNothingDelaysAKernelByItsOwnTime) {
    Patience patience;
    EXPECT_EQ(begins(patience, kBegin, false), kBegin + 50ms);
    patience.host_waits(kBegin);
    patience.host_goes_on();
    EXPECT_EQ(begins(patience, kBegin + 5s, false), kBegin + 5s + 50ms);
}

TEST(Patience, AHostThatAsksAgainAndAgainDelaysAllKernelsTogetherByASecond) {
    Patience patience;
    auto now = kBegin;
    constexpr int kKernels = 40;
    for (int k = 0; k < kKernels; ++k) now = begins(patience, now, true);
    EXPECT_EQ(now, kBegin + 1s + kKernels * 50ms);
    // The next wait is another one.
    patience.host_goes_on();
    EXPECT_EQ(begins(patience, now, true), now + 1050ms);
}

TEST(Patience, WhatTheHostWaitedForIsNoTimeOfTheKernels) {
    Patience patience;
    patience.host_waits(kBegin);
    const auto from = patience.counted_from(kBegin, kBegin + 300ms);
    EXPECT_EQ(from, kBegin + 300ms);
    patience.host_goes_on();
    EXPECT_EQ(patience.counted_from(from, kBegin + 400ms), from);
}

}  // namespace patience_test
}  // namespace warpwright::cudart

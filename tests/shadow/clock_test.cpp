// Happens-before by hand: who knows of whom after which barrier, fence and hand-over.
#include <gtest/gtest.h>

#include "shadow/clock.hpp"

namespace warpwright::shadow {
namespace clock_test {

struct Pair : testing::Test {
    Pair() {
        a.start(1, 2, 32, &nodes);
        b.start(2, 2, 32, &nodes);
    }
    /// What thread `thread` of a block does now.
    static Stamp now(const BlockClock& c, unsigned thread) {
        return stamp_of(1, c.block()) | Stamp{thread} << kThreadShift | c.tick();
    }
    Nodes nodes;
    BlockClock a, b;
};

TEST_F(Pair, threadsKnowThemselvesAndNobodyElse) {
    const auto s = now(a, 3);
    EXPECT_TRUE(a.knows(s, false, 0, 3));
    EXPECT_FALSE(a.knows(s, false, 0, 4));
    EXPECT_FALSE(a.knows(s, false, 1, 3));
    EXPECT_FALSE(b.knows(s, false, 0, 3));
}

TEST_F(Pair, aBarrierOrdersWhatWasBeforeItWithinTheBlock) {
    const auto before = now(a, 3);
    a.barrier();
    const auto after = now(a, 3);
    EXPECT_TRUE(a.knows(before, false, 1, 7));
    EXPECT_FALSE(a.knows(after, false, 1, 7));
    EXPECT_FALSE(b.knows(before, false, 0, 0));
}

TEST_F(Pair, aWholeWarpSyncOrdersItsLanesOnly) {
    const auto lane = now(a, 3), other = now(a, 40);
    a.warp_sync(0, 0xffffffffu, 0xffffffffu);
    EXPECT_TRUE(a.knows(lane, false, 0, 9));
    EXPECT_FALSE(a.knows(other, false, 0, 9));
    EXPECT_FALSE(a.knows(lane, false, 1, 9));
}

TEST_F(Pair, aPartialWarpSyncOrdersTheLanesItNames) {
    const auto in = now(a, 3), out = now(a, 20);
    a.warp_sync(0, 0x0000ffffu, 0xffffffffu);
    EXPECT_TRUE(a.knows(in, false, 0, 9));
    EXPECT_FALSE(a.knows(in, false, 0, 20));
    EXPECT_FALSE(a.knows(out, false, 0, 9));
    EXPECT_FALSE(a.knows(now(a, 3), false, 0, 9));
}

TEST_F(Pair, exitedLanesAreNotWaitedFor) {
    const auto s = now(a, 3);
    a.warp_sync(0, 0x0000ffffu, 0x0000ffffu);
    EXPECT_TRUE(a.knows(s, false, 0, 9));
    EXPECT_EQ(a.warp_base(0), tick_of(s));
}

TEST_F(Pair, releaseAndAcquireHandOver) {
    const auto mine = now(a, 3), neighbour = now(a, 4);
    const auto* node = a.release(0, 1u << 3);
    const auto later = now(a, 3);
    b.acquire(1, 1u << 5, 77, node);
    EXPECT_TRUE(b.knows(mine, false, 1, 5));
    EXPECT_FALSE(b.knows(neighbour, false, 1, 5)) << "another lane's work is not part of it";
    EXPECT_FALSE(b.knows(later, false, 1, 5)) << "nor what came after";
    EXPECT_FALSE(b.knows(mine, false, 1, 6)) << "only the lane that acquired";
    b.barrier();
    EXPECT_TRUE(b.knows(mine, false, 0, 6)) << "and after a barrier its block";
}

TEST_F(Pair, aReleaseAfterABarrierSpeaksForTheBlock) {
    const auto neighbour = now(a, 40);
    a.barrier();
    b.acquire(0, 1, 77, a.release(0, 1));
    EXPECT_TRUE(b.knows(neighbour, false, 0, 0));
}

TEST_F(Pair, handingOverIsTransitive) {
    BlockClock c;
    c.start(3, 1, 32, &nodes);
    const auto first = now(a, 0);
    b.acquire(0, 1, 77, a.release(0, 1));
    c.acquire(0, 1, 88, b.release(0, 1));
    EXPECT_TRUE(c.knows(first, false, 0, 0));
}

TEST_F(Pair, aStoreReleasesOnlyWhatWasFenced) {
    EXPECT_EQ(a.release_fenced(0, 0, true), nullptr) << "no fence, no release";
    const auto before = now(a, 0);
    a.fence(0, 1, true);
    const auto after = now(a, 0);
    const auto* node = a.release_fenced(0, 0, true);
    ASSERT_NE(node, nullptr);
    b.acquire(0, 1, 77, node);
    EXPECT_TRUE(b.knows(before, false, 0, 0));
    EXPECT_FALSE(b.knows(after, false, 0, 0));
}

TEST_F(Pair, aBlocksFenceIsNoFenceForOthers) {
    a.fence(0, 1, false);
    EXPECT_EQ(a.release_fenced(0, 0, true), nullptr);
    EXPECT_NE(a.release_fenced(0, 0, false), nullptr);
}

TEST_F(Pair, fencesOfAllThreadsBeforeABarrierServeTheOneThatTells) {
    const auto other = now(a, 40);
    a.fence(0, ~0u, true);
    a.fence(1, ~0u, true);
    a.barrier();
    b.acquire(0, 1, 77, a.release_fenced(0, 0, true));
    EXPECT_TRUE(b.knows(other, false, 0, 0));
}

// The last to arrive at a barrier of the grid has seen the others arrive, and lets them go with no fence between.
TEST_F(Pair, whatIsSeenIsHandedOnByALaneThatHasFenced) {
    BlockClock last;
    last.start(3, 2, 32, &nodes);
    const auto s = now(a, 0);
    a.fence(0, 1, true);
    last.fence(0, 1, true);
    last.see(0, 0, 77, a.release_fenced(0, 0, true));
    EXPECT_FALSE(last.knows(s, false, 0, 0));
    b.see(0, 4, 78, last.release_fenced(0, 0, true));
    EXPECT_FALSE(b.knows(s, false, 0, 4));
    b.fence(0, 1u << 4, true);
    EXPECT_TRUE(b.knows(s, false, 0, 4));
}

TEST_F(Pair, whatIsSeenCountsFromTheNextFenceOn) {
    const auto s = now(a, 0);
    b.see(0, 4, 77, a.release(0, 1));
    EXPECT_FALSE(b.knows(s, false, 0, 4));
    b.fence(0, 1u << 4, true);
    EXPECT_TRUE(b.knows(s, false, 0, 4));
}

// A grid's barrier: a thread sees what others had told when it arrives (an atomic without acquire), and acquires later
// what all have told. A barrier or fence behind it must not bring the older knowledge back.
TEST_F(Pair, whatWasSeenEarlierDoesNotReplaceWhatWasAcquiredLater) {
    const auto early = now(b, 3);
    const auto* first = b.release(0, 1u << 3);
    a.see(0, 5, 77, first);
    a.see(1, 1, 77, first);
    const auto late = now(b, 3);
    a.acquire(0, 1u << 5, 77, b.release(0, 1u << 3, first));
    EXPECT_TRUE(a.knows(late, false, 0, 5));
    a.fence(0, 1u << 5, true);
    EXPECT_TRUE(a.knows(late, false, 0, 5));
    a.barrier();
    EXPECT_TRUE(a.knows(late, false, 1, 1) && a.knows(late, false, 1, 2));
    EXPECT_TRUE(a.knows(early, false, 1, 1));
}

// The same where a whole warp acquires after one of its lanes had.
TEST_F(Pair, whatTwoReleasedAtOnePlaceWithoutKnowingOfEachOtherIsBothKnown) {
    BlockClock c;
    c.start(3, 2, 32, &nodes);
    const auto first = now(a, 3), second = now(c, 5);
    b.acquire(0, 1, 0x100, a.release(0, 1u << 3));
    b.acquire(0, 1, 0x100, c.release(0, 1u << 5));
    EXPECT_TRUE(b.knows(first, false, 0, 0));
    EXPECT_TRUE(b.knows(second, false, 0, 0));
    // A later release of the same thread says it all.
    AcquiredList list;
    for (std::uint64_t k = 0; k < 4; ++k) put(list, {0x100, a.release(0, 1u << 3), k});
    EXPECT_EQ(list.size(), 1u);
    put(list, {0x100, a.release(0, 1u << 4), 4});
    EXPECT_EQ(list.size(), 2u);
}

TEST_F(Pair, whatAWarpAcquiredLaterStaysOverABarrier) {
    const auto* first = b.release(0, 1u << 3);
    a.acquire(0, 1u << 5, 77, first);
    const auto late = now(b, 3);
    a.acquire(0, ~0u, 77, b.release(0, 1u << 3, first));
    a.barrier();
    EXPECT_TRUE(a.knows(late, false, 1, 2));
}

TEST_F(Pair, agentsAreKnownThroughTheirMbarrierOnly) {
    const auto copy = now(a, 7) | kAgent;
    const auto* node = a.agent(7, a.tick());
    a.advance();
    a.barrier();
    EXPECT_FALSE(a.knows(copy, true, 0, 0)) << "a barrier says nothing about a copy";
    a.acquire(1, ~0u, 99, node);
    EXPECT_TRUE(a.knows(copy, true, 1, 0));
    EXPECT_FALSE(a.knows(copy, true, 0, 0));
    a.barrier();
    EXPECT_TRUE(a.knows(copy, true, 0, 0)) << "but it passes on who has waited";
    EXPECT_FALSE(a.knows(copy, false, 1, 0)) << "a copy that nobody waited for is not known";
}

TEST_F(Pair, theEndOfTimeCallsNothingARace) {
    for (std::uint32_t k = 0; k < kLastTick + 10; ++k) a.advance();
    EXPECT_TRUE(a.knows(now(a, 3), false, 1, 9));
}

}  // namespace clock_test
}  // namespace warpwright::shadow

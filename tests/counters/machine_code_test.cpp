// What machine code makes of an instruction before its request is counted: atomics of shared memory, and the turns of
// the texture unit.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "counters/access.hpp"
#include "counters/texture.hpp"

namespace warpwright::counters {
namespace machine_code_test {

TEST(SharedAtomic, IntegerOperationsOfFourBytesAreSingleInstructions) {
    EXPECT_EQ(shared_atomic(AtomicKind::integer, 4, false), SharedOp::atomic);
    EXPECT_EQ(shared_atomic(AtomicKind::integer, 8, false), SharedOp::atomic_cas);
    EXPECT_EQ(shared_atomic(AtomicKind::wrapping, 4, false), SharedOp::atomic);
    EXPECT_EQ(shared_atomic(AtomicKind::exchange, 8, false), SharedOp::atomic);
    EXPECT_EQ(shared_atomic(AtomicKind::other, 4, false), SharedOp::atomic_cas);
}

TEST(SharedAtomic, OnlyFourBytesAreCountedTogether) {
    EXPECT_EQ(shared_atomic(AtomicKind::integer, 4, true), SharedOp::atomic_count);
    EXPECT_EQ(shared_atomic(AtomicKind::integer, 8, true), SharedOp::atomic_cas);
}

std::array<unsigned, 64> turns_each(unsigned turns) {
    std::array<unsigned, 64> out;
    out.fill(turns);
    return out;
}

/// A read of four bytes by each of 32 lanes, `stride` bytes apart.
std::vector<TexelRead> reads(std::uint64_t stride) {
    std::vector<TexelRead> out;
    for (unsigned lane = 0; lane < 32; ++lane) out.push_back({lane, 4096 + lane * stride, 4});
    return out;
}

TEST(TextureTurns, FourLanesAtATime) {
    EXPECT_EQ(texture_turns(0xffffffff, turns_each(1), reads(4), false), 8u);
    EXPECT_EQ(texture_turns(0xffffffff, turns_each(2), reads(4), false), 16u);
    EXPECT_EQ(texture_turns(0xf, turns_each(1), reads(4), false), 1u);
    EXPECT_EQ(texture_turns(0x11, turns_each(1), reads(4), false), 2u);
    EXPECT_EQ(texture_turns(0, turns_each(1), {}, false), 0u);
}

TEST(TextureTurns, EightLanesWhereTheyReadOneSectorByElements) {
    EXPECT_EQ(texture_turns(0xffffffff, turns_each(1), reads(4), true), 4u);
    EXPECT_EQ(texture_turns(0xffffffff, turns_each(1), reads(8), true), 8u) << "eight lanes read two sectors";
}

TEST(TextureTurns, LanesWaitForTheSlowestOfTheirFour) {
    auto turns = turns_each(1);
    turns[2] = 5;
    EXPECT_EQ(texture_turns(0xff, turns, reads(4), false), 6u);
    EXPECT_EQ(texture_turns(0xff, turns, reads(4), true), 5u);
    EXPECT_EQ(texture_turns(0xfb, turns, reads(4), false), 2u) << "lane 2 is not active";
}

}  // namespace machine_code_test
}  // namespace warpwright::counters

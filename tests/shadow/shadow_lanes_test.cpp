// Lanes that are recorded many at once leave what lanes leave that come one by one, to the stamp: which of several
// readers a finding names depends on it.
#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <fstream>
#include <random>
#include <tuple>
#include <vector>

#include "reserved.hpp"
#include "support/thread_sanitizer.hpp"

namespace warpwright::shadow {
namespace shadow_lanes_test {

constexpr std::uint64_t kStart = kTestedFrom, kBytes = 1024;

std::unique_ptr<Shadow> made(std::uint64_t bytes, bool of_one_block) {
    auto shadow = reserved(bytes);
    shadow->of_one_block(of_one_block);
    return shadow;
}

/// What the process has in memory, in bytes.
std::uint64_t resident() {
    std::ifstream in("/proc/self/statm");
    std::uint64_t all = 0, there = 0;
    in >> all >> there;
    return there * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// As race_read() and race_write() compare stamps by their times.
bool is_known(Stamp s, Stamp mine, const Accessor& a) {
    if (generation_of(s) != generation_of(mine)) return true;
    if (block_of(s) != block_of(mine)) return a.others_known;
    if (s & kAgent) return false;
    return tick_of(s) <= a.base || thread_of(s) == thread_of(mine) ||
           (thread_of(s) / 32 == thread_of(mine) / 32 && tick_of(s) <= a.warp_base);
}

/// One lane's access, piece by piece: the number of races.
unsigned one_lane(Shadow& shadow, std::uint64_t at, unsigned bytes, unsigned lane, bool write, const Accessor& a) {
    const Stamp mine = a.key | (Stamp{a.warp} * 32 + lane) << kThreadShift | a.tick;
    unsigned races = 0;
    for (std::uint64_t k = 0; k < bytes;) {
        const auto p = shadow.piece(at + k, bytes - k, mine, write);
        auto& c = *p.cells;
        races += !is_known(c.written[p.index], mine, a);
        if (!write) {
            note_read(c, p.index, mine, a.side, [&](Stamp s, Side) { return is_known(s, mine, a); });
        } else {
            if (c.read[p.index])
                races += !is_known(c.read[p.index], mine, a) || !is_known(c.read_too[p.index], mine, a);
            if (c.read[p.index]) c.read[p.index] = c.read_too[p.index] = 0;
            put_stamp(c.written[p.index], c.written_side[p.index], mine | a.also, a.side);
        }
        k += p.bytes;
    }
    return races;
}

/// What is known of each byte; of stamps that are none, no side.
using State = std::vector<std::tuple<Stamp, Side, Stamp, Side, Stamp, Side>>;
State state_of(Shadow& shadow, Stamp key) {
    State out;
    for (std::uint64_t at = kStart; at < kStart + kBytes; ++at) {
        const auto p = shadow.piece(at, 1, key, false);
        const auto& c = *p.cells;
        const auto both = [&](Stamp s, Side side) { return std::pair(s, s ? side : Side{0}); };
        const auto w = both(c.written[p.index], c.written_side[p.index]),
                   r = both(c.read[p.index], c.read_side[p.index]),
                   too = both(c.read_too[p.index], c.read_too_side[p.index]);
        out.emplace_back(w.first, w.second, r.first, r.second, too.first, too.second);
    }
    return out;
}

/// Accesses of warps drawn at random, done at once by `at_once` on one shadow, as far as that goes, and one by one on
/// another: both must have found and recorded the same. `at_once` returns the lanes that it did.
template <class AtOnce>
void same_as_one_by_one(bool large, bool in_runs, const std::vector<unsigned>& widths, AtOnce&& at_once) {
    std::mt19937 random(5);
    std::uint64_t done = 0;
    for (std::uint32_t round = 1; round < 400; ++round) {
        const auto quick = made(large ? 1 << 21 : 1 << 12, !large), slow = made(large ? 1 << 21 : 1 << 12, !large);
        std::uint32_t tick = 2, base = 0, warp_base[2] = {};
        for (int step = 0; step < 6; ++step) {
            Accessor a;
            a.key = stamp_of(1, large ? random() % 3 : 1);
            a.warp = random() % 2, a.others_known = !large;
            if (random() % 4 == 0) base = tick++;
            if (random() % 4 == 0) warp_base[a.warp] = tick++;
            a.tick = tick, a.base = base, a.warp_base = warp_base[a.warp];
            a.side = side_of(random() % 5, random() % 2 ? kVolatile : kWeak);
            const unsigned width = widths[random() % widths.size()];
            const bool write = random() % 3 == 0;
            const auto stride = in_runs ? width : std::array{width, width, 0u, 3 * width, 8 * width}[random() % 5];
            const std::uint64_t first = in_runs ? random() % 4 * 32 : random() % 64 * width;
            const std::uint64_t mask =
                in_runs ? (std::uint64_t{1} << 32 / width * (random() % (width / 4 * 4) + 1)) - 1 : random();
            std::uint64_t at[32];
            for (unsigned l = 0; l < 32; ++l) at[l] = kStart + (first + l * stride) % kBytes / width * width;
            const auto fine = at_once(*quick, at, mask & 0xffffffffu, width, write, a);
            unsigned races = 0, expected = 0;
            for (unsigned l = 0; l < 32; ++l) {
                if (!(mask >> l & 1)) continue;
                expected += one_lane(*slow, at[l], width, l, write, a);
                if (!(fine >> l & 1)) races += one_lane(*quick, at[l], width, l, write, a);
            }
            done += static_cast<std::uint64_t>(__builtin_popcountll(fine));
            ASSERT_EQ(races, expected) << "round " << round << " step " << step;
        }
        const auto key = stamp_of(1, 1);
        ASSERT_EQ(state_of(*quick, key), state_of(*slow, key)) << "round " << round;
    }
    EXPECT_GT(done, 3000u) << "the quick way must have been taken";
}

const auto kLanes = [](Shadow& shadow, const std::uint64_t* at, std::uint64_t mask, unsigned width, bool write,
                       const Accessor& a) {
    return write ? shadow.write_lanes(at, mask, width, a) : shadow.note_lanes(at, mask, width, a);
};

TEST(LanesAtOnce, leaveWhatLanesLeaveOneByOne) {
    for (const bool large : {false, true}) same_as_one_by_one(large, false, {4, 8, 16}, kLanes);
}

TEST(LanesAtOnce, ofAnyWidth) {
    for (const bool large : {false, true}) same_as_one_by_one(large, false, {1, 2, 4, 8}, kLanes);
}

TEST(LanesAtOnce, theNewestReaderOfAWholeLineIsThatOfItsLanes) {
    same_as_one_by_one(true, true, {4, 8, 16},
                       [](Shadow& shadow, const std::uint64_t* at, std::uint64_t mask, unsigned width, bool write,
                          Accessor a) -> std::uint64_t {
                           a.newest = true;
                           if (write) return shadow.write_lanes(at, mask, width, a);
                           const auto lanes = static_cast<unsigned>(__builtin_popcountll(mask));
                           return shadow.read_run(at[0], std::uint64_t{lanes} * width, width, 0, a) ? mask : 0;
                       });
}

/// Lines with lists of their words' threads beside lines whose words have stamps from the start: the same accesses in
/// order, and the same left of them, whoever comes next.
struct Both {
    std::unique_ptr<Shadow> listed = made(1 << 21, false), by_words = made(1 << 21, false);
    std::mt19937 random{11};
    std::uint32_t generation = 1, tick = 2, base[3] = {}, warp_base[32] = {};

    Accessor accessor() {
        Accessor a;
        const auto block = random() % 3;
        a.key = stamp_of(generation, block);
        a.warp = random() % 2 * 17;
        if (random() % 12 == 0) base[block] = tick++;
        if (random() % 12 == 0) warp_base[a.warp] = tick++;
        a.tick = tick, a.base = base[block], a.warp_base = warp_base[a.warp];
        a.side = side_of(random() % 2, kWeak);
        a.may_settle = true, a.epoch = generation;
        return a;
    }
    void lanes() {
        auto a = accessor();
        const unsigned width = std::array{4u, 4u, 8u, 16u, 32u}[random() % 5];
        const bool store = random() % 3 == 0;
        const unsigned stride = std::array{1u, 2u, 3u, 8u, 7u}[random() % 5], units = kBytes / width;
        const std::uint64_t first = random() % units;
        const auto mask = random() % 2 ? 0xffffffffu : random();
        std::uint64_t at[32];
        const bool permuted = random() % 3 == 0;
        for (unsigned l = 0; l < 32; ++l)
            at[l] = kStart + (first + (permuted ? (l * stride + 3) % 32 : l * stride)) % units * width;
        const auto fine = listed->lanes(at, mask, width, store, a);
        a.leaves = 1;  // lists are of threads, so that there is none
        ASSERT_EQ(by_words->lanes(at, mask, width, store, a), fine);
    }
    void row() {
        const auto a = accessor();
        const auto at = kStart + random() % (kBytes / 128) * 128, bytes = std::uint64_t{random() % 4 + 1} * 32;
        if (random() % 3)
            ASSERT_EQ(by_words->read_run(at, bytes, 4, 0, a), listed->read_run(at, bytes, 4, 0, a));
        else
            ASSERT_EQ(by_words->write_run(at, bytes, 4, 0, a), listed->write_run(at, bytes, 4, 0, a));
    }
    void one() {
        const auto a = accessor();
        const bool store = random() % 3 == 0;
        const unsigned width = 1u << random() % 3, lane = random() % 32;
        const auto at = kStart + random() % (kBytes / width) * width;
        if (width < 4 && random() % 8) return;  // its page has bytes from then on
        ASSERT_EQ(one_lane(*by_words, at, width, lane, store, a), one_lane(*listed, at, width, lane, store, a));
    }
    void same() {
        const auto a = accessor();
        const auto at = kStart + random() % (kBytes / 4) * 4;
        ASSERT_EQ(by_words->read_same(at, 4, 0, 31, a), listed->read_same(at, 4, 0, 31, a));
    }
    void other() {
        const auto at = kStart + random() % 8 * 64;
        if (random() % 2) {
            ++generation;
        } else if (random() % 8 == 0) {
            listed->forget(at, 96), by_words->forget(at, 96);
        }
    }
    std::vector<Shadow::Trace> traces(const Shadow& shadow) const {
        std::vector<Shadow::Trace> out;
        std::vector<std::uint32_t> all;
        for (std::uint32_t g = 1; g <= generation; ++g) all.push_back(g);
        shadow.traces(kStart, kBytes, all, out);
        return out;
    }
    void compare() {
        ASSERT_EQ(traces(*listed), traces(*by_words));
        for (std::uint64_t at = kStart; at < kStart + kBytes; at += 4) {
            const auto one = listed->last_write(at), other = by_words->last_write(at);
            ASSERT_EQ(one.first, other.first);
            if (one.first) ASSERT_EQ(one.second, other.second);
        }
        ASSERT_EQ(state_of(*listed, stamp_of(generation, 1)), state_of(*by_words, stamp_of(generation, 1)));
    }
};

TEST(ListedLines, leaveWhatTheirWordsWould) {
    for (unsigned round = 0; round < 2000; ++round) {
        Both both;
        both.random.seed(round);
        for (unsigned step = 0; step < 3 + round % 20; ++step) {
            const auto what = both.random() % 12;
            what < 7    ? both.lanes()
            : what < 8  ? both.row()
            : what < 9  ? both.one()
            : what < 10 ? both.same()
                        : both.other();
            ASSERT_FALSE(testing::Test::HasFatalFailure()) << "round " << round << " step " << step;
        }
        both.compare();
        ASSERT_FALSE(testing::Test::HasFatalFailure()) << "round " << round;
    }
}

// No page of words' stamps is touched where lanes read a column, or the odd words of a row: that is what lists are for.
TEST(ListedLines, takeNoMemoryForWords) {
#ifdef WARPWRIGHT_THREAD_SANITIZER
    GTEST_SKIP() << "ThreadSanitizer's own memory is more than what is measured here";
#endif
    constexpr std::uint64_t kLarge = 1 << 24;
    const auto shadow = made(kLarge, false);
    const auto before = resident();
    Accessor a;
    a.key = stamp_of(1, 1), a.tick = 2, a.side = side_of(1, kWeak);
    std::uint64_t at[32];
    for (std::uint64_t from = 0; from < kLarge; from += 1 << 12)
        for (a.warp = 0; a.warp < 32; ++a.warp) {
            for (unsigned l = 0; l < 32; ++l) at[l] = kStart + from + (l * 32 + a.warp) * 4;
            ASSERT_EQ(shadow->lanes(at, 0xffffffff, 4, from % 8192 == 0, a), 0xffffffffu);
        }
    EXPECT_LT(resident(), before + 2 * kLarge);
}

struct CopiesTest : testing::Test {
    std::unique_ptr<Shadow> shadow = made(1 << 12, true);
    Accessor a;
    CopiesTest() {
        a.key = stamp_of(1, 1), a.tick = 7, a.warp = 1, a.others_known = true, a.also = kAgent;
        a.side = side_of(3, kWeak);
    }
    Stamp by(unsigned lane, Stamp also = 0) const {
        return a.key | (Stamp{a.warp} * 32 + lane) << kThreadShift | a.tick | also;
    }
    Stamp writer(std::uint64_t offset) {
        const auto p = shadow->piece(kStart + offset, 4, a.key, false);
        return p.cells->written[p.index];
    }
};

TEST_F(CopiesTest, linesAreTheLanesOwnUntilTheyHaveWaited) {
    ASSERT_TRUE(shadow->write_run(kStart, 32, 16, 4, a));
    ASSERT_TRUE(shadow->write_run(kStart + 32, 32, 16, 6, a));
    EXPECT_FALSE(shadow->read_run(kStart, 32, 16, 4, a)) << "not even the lane itself may read it yet";
    EXPECT_FALSE(shadow->replace_writers(kStart, 16, by(5, kAgent), by(5), a.side)) << "other lanes wrote it";
    EXPECT_FALSE(shadow->replace_writers(kStart, 4, by(4, kAgent), by(4), a.side)) << "lanes of another width";
    ASSERT_TRUE(shadow->replace_writers(kStart, 16, by(4, kAgent), by(4), a.side));
    a.also = 0;
    EXPECT_TRUE(shadow->read_run(kStart, 32, 16, 4, a));
    EXPECT_FALSE(shadow->read_run(kStart + 32, 32, 16, 6, a));
    EXPECT_EQ(writer(8), by(4));
    EXPECT_EQ(writer(16), by(5));
    EXPECT_EQ(writer(32), by(6, kAgent));
    EXPECT_EQ(writer(60), by(7, kAgent));
}

}  // namespace shadow_lanes_test
}  // namespace warpwright::shadow

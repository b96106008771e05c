// Shadow memory: what is known of each piece, in words and in bytes, for whole warps and for single lanes.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <vector>

#include "reserved.hpp"

namespace warpwright::shadow {
namespace shadow_test {

struct ShadowTest : testing::Test {
    static Accessor by(std::uint32_t block, std::uint32_t warp, std::uint32_t tick, std::uint32_t base = 0,
                       std::uint32_t warp_base = 0) {
        Accessor a;
        a.key = stamp_of(1, block);
        a.warp = warp, a.tick = tick, a.base = base, a.warp_base = warp_base;
        return a;
    }
    static constexpr std::uint64_t kStart = kTestedFrom;
    std::unique_ptr<Shadow> shadow = reserved(1 << 16);
};

TEST_F(ShadowTest, tracesOfLaunches) {
    const auto of = [](std::uint32_t generation, std::uint32_t site) {
        auto a = by(0, 0, 1);
        a.key = stamp_of(generation, 3);
        a.side = side_of(site, kWeak);
        return a;
    };
    using Trace = Shadow::Trace;
    const auto traces = [&](const std::vector<std::uint32_t>& generations) {
        std::vector<Trace> out;
        shadow->traces(kStart, 1 << 15, generations, out);
        return out;
    };
    // Whole lines, a part of one, and single bytes of another page.
    ASSERT_TRUE(shadow->write_run(kStart + 32, 96, 4, 0, of(1, 7)));
    ASSERT_TRUE(shadow->read_run(kStart + 4100, 8, 4, 0, of(1, 8)));
    ASSERT_TRUE(shadow->write_run(kStart + 8192, 3, 1, 0, of(1, 9)));
    const Trace write{kStart + 32, 96, 1, side_of(7, kWeak), true}, read{kStart + 4100, 8, 1, side_of(8, kWeak), false},
        bytes{kStart + 8192, 3, 1, side_of(9, kWeak), true};
    EXPECT_EQ(traces({1}), (std::vector<Trace>{write, read, bytes}));
    EXPECT_TRUE(traces({2}).empty());
    // A later launch takes over what it accesses as well, and another one what it reads beside the write.
    ASSERT_TRUE(shadow->write_run(kStart + 64, 32, 4, 0, of(2, 7)));
    ASSERT_TRUE(shadow->read_run(kStart + 32, 32, 4, 0, of(3, 8)));
    EXPECT_EQ(traces({2}), (std::vector<Trace>{{kStart + 64, 32, 2, side_of(7, kWeak), true}}));
    EXPECT_EQ(traces({3}), (std::vector<Trace>{{kStart + 32, 32, 3, side_of(8, kWeak), false}}));
    EXPECT_EQ(traces({1}), (std::vector<Trace>{{kStart + 32, 32, 1, side_of(7, kWeak), true},
                                               {kStart + 96, 32, 1, side_of(7, kWeak), true},
                                               read,
                                               bytes}));
    EXPECT_EQ(traces({1, 2, 3}).size(), 6u);
    shadow->forget_accesses();
    EXPECT_TRUE(traces({1, 2, 3}).empty());
}

TEST_F(ShadowTest, whoWroteLast) {
    EXPECT_EQ(shadow->last_write(kStart).first, 0u);
    auto writer = by(3, 0, 1);
    writer.side = side_of(7, kWeak);
    ASSERT_TRUE(shadow->write_run(kStart, 128, 4, 0, writer));
    for (const std::uint64_t at : {0u, 5u, 127u}) {
        const auto [stamp, side] = shadow->last_write(kStart + at);
        EXPECT_EQ(generation_of(stamp), 1u);
        EXPECT_EQ(site_of(side), 7u);
    }
    EXPECT_EQ(shadow->last_write(kStart + 128).first, 0u);
    (void)shadow->piece(kStart, 1, by(3, 0, 2).key, false);  // split into bytes
    EXPECT_EQ(site_of(shadow->last_write(kStart + 5).second), 7u);
}

TEST_F(ShadowTest, forgetting) {
    shadow->set_written(kStart, 8192);
    EXPECT_TRUE(shadow->write_run(kStart, 128, 4, 0, by(1, 0, 5)));
    EXPECT_FALSE(shadow->read_run(kStart, 128, 4, 0, by(2, 0, 5)));
    shadow->forget(kStart, 4096);
    EXPECT_FALSE(shadow->is_written(kStart, 1));
    EXPECT_TRUE(shadow->is_written(kStart + 4096, 4096));
    EXPECT_TRUE(shadow->read_run(kStart, 128, 4, 0, by(2, 0, 5)));
}

TEST_F(ShadowTest, ownThreadsAreInOrderOthersNeedABarrier) {
    ASSERT_TRUE(shadow->write_run(kStart, 128, 4, 0, by(1, 0, 5)));
    EXPECT_TRUE(shadow->read_run(kStart, 128, 4, 0, by(1, 0, 6))) << "each lane its own word";
    EXPECT_FALSE(shadow->read_run(kStart, 128, 4, 0, by(1, 1, 6))) << "another warp";
    EXPECT_TRUE(shadow->read_run(kStart, 128, 4, 0, by(1, 1, 6, 5))) << "after a barrier";
    EXPECT_FALSE(shadow->read_run(kStart + 4, 64, 4, 0, by(1, 0, 6))) << "another lane";
    EXPECT_TRUE(shadow->read_run(kStart + 4, 64, 4, 0, by(1, 0, 6, 0, 5))) << "after __syncwarp";
}

TEST_F(ShadowTest, readersAreInTheWayOfWriters) {
    ASSERT_TRUE(shadow->read_run(kStart, 128, 4, 0, by(1, 0, 5)));
    ASSERT_TRUE(shadow->read_run(kStart, 128, 4, 0, by(1, 1, 5)));
    EXPECT_FALSE(shadow->write_run(kStart, 128, 4, 0, by(1, 1, 5))) << "the first reader is not forgotten";
    EXPECT_FALSE(shadow->write_run(kStart, 128, 4, 0, by(1, 0, 5)));
    EXPECT_TRUE(shadow->write_run(kStart, 128, 4, 0, by(1, 0, 6, 5)));
}

TEST_F(ShadowTest, readersOfTwoBlocksAreKept) {
    for (std::uint32_t block = 1; block < 6; ++block) ASSERT_TRUE(shadow->read_run(kStart, 128, 4, 0, by(block, 0, 5)));
    for (std::uint32_t block = 1; block < 6; ++block)
        EXPECT_FALSE(shadow->write_run(kStart, 128, 4, 0, by(block, 0, 9, 8))) << block;
}

TEST_F(ShadowTest, launchesComeOneAfterTheOther) {
    ASSERT_TRUE(shadow->write_run(kStart, 128, 4, 0, by(1, 0, 5)));
    auto next = by(2, 0, 1);
    next.key = stamp_of(2, 2);
    EXPECT_TRUE(shadow->write_run(kStart, 128, 4, 0, next));
}

TEST_F(ShadowTest, allLanesReadOneWord) {
    ASSERT_TRUE(shadow->read_same(kStart, 4, 0, 31, by(1, 0, 5)));
    EXPECT_FALSE(shadow->write_run(kStart, 4, 4, 31, by(1, 0, 5))) << "lane 0 has read it too";
    EXPECT_FALSE(shadow->write_run(kStart, 4, 4, 0, by(1, 0, 5)));
    EXPECT_TRUE(shadow->write_run(kStart, 4, 4, 0, by(1, 0, 6, 0, 5)));
}

TEST_F(ShadowTest, bytesOfAWordBelongToDifferentThreads) {
    EXPECT_TRUE(shadow->write_run(kStart, 32, 1, 0, by(1, 0, 5)));
    EXPECT_TRUE(shadow->write_run(kStart + 32, 32, 1, 0, by(2, 0, 5)));
    EXPECT_TRUE(shadow->read_run(kStart, 32, 1, 0, by(1, 0, 5)));
    EXPECT_FALSE(shadow->read_run(kStart + 1, 31, 1, 0, by(1, 0, 5)));
    EXPECT_FALSE(shadow->read_run(kStart, 32, 4, 0, by(1, 0, 5))) << "words of the same page see the bytes";
    EXPECT_TRUE(shadow->read_run(kStart, 32, 4, 0, by(1, 0, 6, 5)));
}

TEST_F(ShadowTest, wordsStayKnownWhenTheirPageIsSplit) {
    ASSERT_TRUE(shadow->write_run(kStart, 128, 4, 0, by(1, 0, 5)));
    ASSERT_TRUE(shadow->write_run(kStart + 512, 31, 1, 0, by(1, 0, 5)));
    EXPECT_FALSE(shadow->read_run(kStart, 128, 4, 0, by(2, 0, 5)));
    EXPECT_TRUE(shadow->read_run(kStart, 128, 4, 0, by(1, 0, 5)));
    const auto piece = shadow->piece(kStart + 8, 4, stamp_of(1, 1), false);
    EXPECT_EQ(piece.bytes, 1u);
    EXPECT_EQ(thread_of(piece.cells->written[piece.index]), 2u);
}

TEST_F(ShadowTest, wideLanes) {
    ASSERT_TRUE(shadow->write_run(kStart, 512, 16, 0, by(1, 0, 5)));
    const auto piece = shadow->piece(kStart + 20, 4, stamp_of(1, 1), false);
    EXPECT_EQ(thread_of(piece.cells->written[piece.index]), 1u);
    EXPECT_TRUE(shadow->read_run(kStart + 16, 496, 16, 1, by(1, 0, 5)));
    EXPECT_FALSE(shadow->read_run(kStart + 16, 128, 4, 1, by(1, 0, 5)));
}

TEST_F(ShadowTest, memoryReadByManyIsQuietUntilItIsWritten) {
    auto reader = by(1, 0, 5);
    reader.may_settle = true, reader.epoch = 1;
    ASSERT_TRUE(shadow->read_run(kStart, 128, 4, 0, reader));
    EXPECT_FALSE(shadow->quiet(kStart, 128, 1)) << "one block";
    reader.key = stamp_of(1, 2);
    ASSERT_TRUE(shadow->read_run(kStart, 128, 4, 0, reader));
    EXPECT_TRUE(shadow->quiet(kStart, 128, 1));
    EXPECT_TRUE(shadow->quiet(kStart + 60, 8, 1)) << "over the edge of a line";
    EXPECT_FALSE(shadow->quiet(kStart + 120, 16, 1)) << "nobody has read the end";
    EXPECT_FALSE(shadow->quiet(kStart, 128, 2)) << "another launch";
    EXPECT_FALSE(shadow->write_run(kStart, 64, 4, 0, by(2, 0, 9, 8)));
    (void)shadow->piece(kStart + 64, 4, stamp_of(1, 2), true);
    EXPECT_TRUE(shadow->quiet(kStart, 64, 1));
    EXPECT_FALSE(shadow->quiet(kStart + 64, 4, 1)) << "somebody writes there";
}

TEST_F(ShadowTest, linesAreWholeAgainAfterAWholeWrite) {
    ASSERT_TRUE(shadow->write_run(kStart, 64, 4, 0, by(1, 0, 5)));
    ASSERT_TRUE(shadow->read_run(kStart + 4, 4, 4, 1, by(1, 0, 6))) << "its own word";
    ASSERT_TRUE(shadow->write_run(kStart, 64, 4, 0, by(1, 0, 7)));
    EXPECT_FALSE(shadow->read_run(kStart + 8, 4, 4, 0, by(1, 0, 7))) << "another lane";
    EXPECT_FALSE(shadow->read_run(kStart, 64, 4, 0, by(1, 1, 8, 6))) << "written since that barrier";
    EXPECT_TRUE(shadow->read_run(kStart, 64, 4, 0, by(1, 1, 8, 7)));
}

TEST_F(ShadowTest, aBlocksOwnMemoryIsQuietUntilItsNextBarrier) {
    shadow->of_one_block(true);
    auto reader = by(1, 0, 7, 6);
    reader.others_known = reader.may_settle = true, reader.epoch = 3;
    ASSERT_TRUE(shadow->write_run(kStart, 64, 4, 0, by(1, 0, 5)));
    ASSERT_TRUE(shadow->read_run(kStart, 64, 4, 0, reader));
    EXPECT_FALSE(shadow->quiet(kStart, 64, 3)) << "one warp";
    reader.warp = 1;
    ASSERT_TRUE(shadow->read_run(kStart, 64, 4, 0, reader));
    EXPECT_TRUE(shadow->quiet(kStart, 64, 3));
    EXPECT_FALSE(shadow->quiet(kStart, 64, 4)) << "after the next barrier";
    auto writer = by(1, 1, 8, 6);
    writer.others_known = true;
    EXPECT_FALSE(shadow->write_run(kStart, 64, 4, 0, writer)) << "read by the other warp";
    writer.tick = 9, writer.base = 8;
    EXPECT_TRUE(shadow->write_run(kStart, 64, 4, 0, writer));
    EXPECT_FALSE(shadow->quiet(kStart, 64, 3));
}

/// What shadow memory stands for: every access of every byte, and barriers of whole blocks.
struct Truth {
    struct Event {
        std::uint32_t block, thread, tick;
    };
    std::vector<std::optional<Event>> written = std::vector<std::optional<Event>>(1024);
    std::vector<std::vector<Event>> read = std::vector<std::vector<Event>>(1024);

    static bool before(const Event& e, const Event& now, std::uint32_t base) {
        return e.block == now.block && (e.thread == now.thread || e.tick <= base);
    }
    /// Whether the access races; it is then noted.
    bool access(std::uint64_t at, std::uint64_t bytes, const Event& now, std::uint32_t base, bool write) {
        bool races = false;
        for (auto k = at; k < at + bytes; ++k) {
            races |= written[k] && !before(*written[k], now, base);
            if (write)
                for (const auto& e : read[k]) races |= !before(e, now, base);
        }
        for (auto k = at; k < at + bytes; ++k) {
            if (write)
                written[k] = now, read[k].clear();
            else
                read[k].push_back(now);
        }
        return races;
    }
};

/// One lane's access, as a launch does it where nothing is known of the whole: whether it races; it is then noted.
template <class Known>
bool by_pieces(Shadow& shadow, std::uint64_t at, unsigned each, Stamp mine, bool write, const Known& known) {
    bool races = false;
    for (std::uint64_t k = 0; k < each;) {
        const auto p = shadow.piece(at + k, each - k, mine, write);
        auto& c = *p.cells;
        races |= !known(c.written[p.index]);
        if (write) {
            races |= !known(c.read[p.index]) || !known(c.read_too[p.index]);
            c.written[p.index] = mine, c.read[p.index] = c.read_too[p.index] = 0;
        } else {
            note_read(c, p.index, mine, 0, [&](Stamp s, Side) { return known(s); });
        }
        k += p.bytes;
    }
    return races;
}

/// Launches of accesses drawn at random, each held against the truth. `whole`: all of them are of whole lines.
/// `at_first` counts those that one look has told to be in order.
void agrees_with_the_truth(Shadow* shadow, bool whole, unsigned& at_first) {
    constexpr auto kStart = ShadowTest::kStart;
    const auto by = [](auto... of) { return ShadowTest::by(of...); };
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        const std::uint32_t generation = static_cast<std::uint32_t>(round) + 1;
        if (generation % 255 == 0) shadow->forget_quiet();
        if (whole) shadow->forget_accesses();  // no line is in parts
        Truth truth;
        std::uint32_t tick[4] = {1, 1, 1, 1}, base[4] = {};
        for (int step = 0; step < 40; ++step) {
            const auto block = static_cast<std::uint32_t>(random() % 4),
                       warp = static_cast<std::uint32_t>(random() % 2);
            if (random() % 6 == 0) base[block] = tick[block]++;
            auto a = by(block, warp, tick[block], base[block]);
            a.key = stamp_of(generation, block);
            a.may_settle = true, a.epoch = generation;
            const bool write = random() % 3 == 0, same = !whole && !write && random() % 4 == 0;
            const unsigned each = whole ? 4u << random() % 3 : 1u << (same ? random() % 3 : random() % 5),
                           first = whole || random() % 4 ? 0 : random() % 16,
                           lanes = whole          ? 8u << random() % 3
                                   : random() % 3 ? 32 - first
                                                  : random() % (32 - first) + 1;
            const std::uint64_t at = whole          ? random() % 8 * 32
                                     : random() % 2 ? random() % 6 * 64
                                                    : random() % 400 / each * each;
            // Where each lane's access is: one behind the other, all at one place, or anywhere.
            const bool spread = !whole && !same && random() % 3 == 0;
            std::uint64_t places[32] = {};
            const std::uint64_t step_of_lanes = spread ? (random() % 4 + 1) * each : same ? 0 : each;
            for (unsigned l = first; l < first + lanes; ++l)
                places[l] =
                    kStart + (spread && random() % 8 == 0
                                  ? random() % 400 / each * each
                                  : (at / each * each * spread + at * !spread + (l - first) * step_of_lanes) % 1024);
            bool expected = false;
            for (unsigned l = first; l < first + lanes; ++l) {
                const Truth::Event now{block, static_cast<std::uint32_t>(warp) * 32 + l, tick[block]};
                expected |= truth.access(places[l] - kStart, each, now, base[block], write);
            }
            bool found = false;
            const auto all = (lanes == 32 ? ~0u : (1u << lanes) - 1) << first;
            const std::uint64_t fine = spread ? shadow->lanes(places, all, each, write, a) : 0;
            FirstAccess early;
            early.key = a.key, early.tick = a.tick, early.base = a.base, early.store = write;
            early.form = static_cast<unsigned>(__builtin_ctz(each));
            const auto looks_first = !spread && !same && step % 4 != 0;
            if (spread && fine == all) {
            } else if (looks_first &&
                       shadow->first_in_pieces(kStart + at, std::uint64_t{lanes} * each, warp * 32 + first, early)) {
                ++at_first;
            } else if (!spread && !same && !write &&
                       shadow->quiet(kStart + at, std::uint64_t{lanes} * each, generation)) {
            } else if (spread  ? false
                       : write ? shadow->write_run(kStart + at, std::uint64_t{lanes} * each, each, first, a)
                       : same  ? shadow->read_same(kStart + at, each, first, first + lanes - 1, a)
                               : shadow->read_run(kStart + at, std::uint64_t{lanes} * each, each, first, a)) {
            } else {
                // Lane by lane, as a launch does then.
                for (unsigned l = first; l < first + lanes; ++l) {
                    if (fine >> l & 1) continue;
                    const Stamp mine = a.key | (Stamp{warp} * 32 + l) << kThreadShift | a.tick;
                    const auto known = [&](Stamp s) {
                        return s == 0 || generation_of(s) != generation ||
                               (block_of(s) == block && (thread_of(s) == thread_of(mine) || tick_of(s) <= a.base));
                    };
                    found |= by_pieces(*shadow, places[l], each, mine, write, known);
                }
            }
            ASSERT_EQ(found, expected) << "round " << round << " step " << step << (write ? " write" : " read")
                                       << (same     ? " same"
                                           : spread ? " spread"
                                                    : "")
                                       << " at " << at << " each " << each << " lanes " << first << "+" << lanes
                                       << " block " << block << " warp " << warp;
        }
    }
}

TEST_F(ShadowTest, agreesWithAllAccessesOfAllBytes) {
    unsigned at_first = 0;
    agrees_with_the_truth(shadow.get(), false, at_first);
}
TEST_F(ShadowTest, agreesWithAllAccessesOfWholeLines) {
    unsigned at_first = 0;
    agrees_with_the_truth(shadow.get(), true, at_first);
    EXPECT_GT(at_first, 100u);
}

/// Memory that may be large, where rows of four lines are one piece.
struct RowsTest : ShadowTest {
    RowsTest() { shadow = reserved(1 << 21); }
    static Accessor of(std::uint32_t generation, std::uint32_t site) {
        auto a = by(3, 0, 1);
        a.key = stamp_of(generation, 3);
        a.side = side_of(site, kWeak);
        return a;
    }
    std::vector<Shadow::Trace> traces(const std::vector<std::uint32_t>& generations) const {
        std::vector<Shadow::Trace> out;
        shadow->traces(kStart, 1 << 12, generations, out);
        return out;
    }
};

TEST_F(RowsTest, agreeWithAllAccessesOfAllBytes) {
    unsigned at_first = 0;
    agrees_with_the_truth(shadow.get(), false, at_first);
}
TEST_F(RowsTest, agreeWithAllAccessesOfWholeLines) {
    unsigned at_first = 0;
    agrees_with_the_truth(shadow.get(), true, at_first);
    EXPECT_GT(at_first, 100u);
}

TEST_F(RowsTest, leaveTracesAsTheirLinesDo) {
    using Traces = std::vector<Shadow::Trace>;
    ASSERT_TRUE(shadow->write_run(kStart + 128, 256, 4, 0, of(1, 7)));
    EXPECT_EQ(traces({1}), (Traces{{kStart + 128, 256, 1, side_of(7, kWeak), true}}));
    // A line of the second row, by a later launch.
    ASSERT_TRUE(shadow->write_run(kStart + 288, 32, 4, 0, of(2, 8)));
    EXPECT_EQ(traces({1}), (Traces{{kStart + 128, 160, 1, side_of(7, kWeak), true},
                                   {kStart + 320, 64, 1, side_of(7, kWeak), true}}));
    EXPECT_EQ(traces({2}), (Traces{{kStart + 288, 32, 2, side_of(8, kWeak), true}}));
    EXPECT_EQ(site_of(shadow->last_write(kStart + 287).second), 7u);
    EXPECT_EQ(site_of(shadow->last_write(kStart + 288).second), 8u);
    // One that writes it whole has all of it.
    ASSERT_TRUE(shadow->write_run(kStart + 256, 128, 4, 0, of(3, 9)));
    EXPECT_TRUE(traces({2}).empty());
    EXPECT_EQ(traces({3}), (Traces{{kStart + 256, 128, 3, side_of(9, kWeak), true}}));
}

TEST_F(RowsTest, haveNoReadersAfterAFirstWrite) {
    ASSERT_TRUE(shadow->read_run(kStart, 128, 4, 0, of(1, 5)));
    FirstAccess write;
    write.key = stamp_of(2, 3), write.tick = 1, write.form = 2, write.side = side_of(6, kWeak), write.store = true;
    ASSERT_TRUE(shadow->first_in_pieces(kStart, 128, 0, write));
    std::vector<Shadow::Trace> left;
    shadow->traces(kStart, 128, {1, 2}, left);
    ASSERT_EQ(left.size(), 1u);
    EXPECT_TRUE(left[0].write);
}

TEST_F(RowsTest, areForgottenInPart) {
    using Traces = std::vector<Shadow::Trace>;
    ASSERT_TRUE(shadow->write_run(kStart, 384, 4, 0, of(1, 7)));
    shadow->forget(kStart + 64, 224);
    EXPECT_EQ(traces({1}),
              (Traces{{kStart, 64, 1, side_of(7, kWeak), true}, {kStart + 288, 96, 1, side_of(7, kWeak), true}}));
    // What is left of a row is not forgotten where the same launch writes the whole row.
    EXPECT_FALSE(shadow->write_run(kStart, 128, 4, 0, by(4, 0, 1))) << "by another block of that launch";
    EXPECT_TRUE(shadow->write_run(kStart + 128, 128, 4, 0, by(4, 0, 1))) << "nothing is known of this row";
}

TEST_F(RowsTest, toldApartByTheThreadsOfTheirLines) {
    ASSERT_TRUE(shadow->write_run(kStart, 128, 4, 0, by(1, 0, 5)));
    EXPECT_TRUE(shadow->read_run(kStart + 96, 32, 4, 24, by(1, 0, 6))) << "each lane its own word";
    EXPECT_FALSE(shadow->read_run(kStart + 64, 32, 4, 24, by(1, 0, 6))) << "words of other lanes";
    EXPECT_TRUE(shadow->read_run(kStart + 32, 32, 4, 8, by(1, 0, 6)));
}

/// A strong write races with a weak read, but not with a strong one that came after it.
TEST_F(ShadowTest, weakReadersStayBesideStrongOnes) {
    auto cells = shadow->piece(kStart, 4, stamp_of(1, 1), false);
    auto& c = *cells.cells;
    const auto i = cells.index;
    const auto stamp = [](std::uint32_t thread, std::uint32_t tick) {
        return stamp_of(1, 1) | Stamp{thread} << kThreadShift | tick;
    };
    const auto read = [&](Stamp mine, Strength strength, std::uint32_t base) {
        note_read(c, i, mine, side_of(7, strength), [&](Stamp s, Side) { return tick_of(s) <= base; });
    };
    const auto has_weak = [&] {
        return (c.read[i] && strength_of(c.read_side[i]) == kWeak) ||
               (c.read_too[i] && strength_of(c.read_too_side[i]) == kWeak);
    };
    read(stamp(32, 1), kWeak, 0), read(stamp(0, 1), kWeak, 0);
    read(stamp(0, 2), kStrong, 1), read(stamp(1, 2), kStrong, 1);  // behind a barrier
    EXPECT_TRUE(has_weak());
    c.read[i] = c.read_too[i] = 0;
    read(stamp(5, 1), kWeak, 0), read(stamp(5, 2), kStrong, 0);  // by one thread
    EXPECT_TRUE(has_weak());
    // Of two that are not ordered, none goes for one that is.
    c.read[i] = c.read_too[i] = 0;
    read(stamp(5, 3), kStrong, 2), read(stamp(6, 3), kStrong, 2), read(stamp(6, 4), kStrong, 2);
    EXPECT_EQ(Stamp{c.read_too[i]}, stamp(5, 3));
    // A weak one stands for all before it.
    c.read[i] = c.read_too[i] = 0;
    read(stamp(5, 1), kWeak, 0), read(stamp(6, 1), kStrong, 0), read(stamp(7, 3), kWeak, 2);
    read(stamp(8, 3), kWeak, 2);
    EXPECT_EQ(Stamp{c.read_too[i]}, stamp(7, 3));
}

/// Columns of a tile are many short stretches of written words: these are calm behind the barrier, and no others.
TEST_F(ShadowTest, shortStretchesAreCalmBehindABarrier) {
    for (const std::uint64_t from : {0u, 2048u}) {
        const auto own = reserved(4096, 0);
        own->of_one_block(true);
        Nodes nodes;
        BlockClock clock;
        clock.start(1, 3, 32, &nodes);
        own->start_calm(&clock, stamp_of(1, 1), 1, true, true, true);
        const std::uint32_t lanes = 32 << 8 | 2 << shape::kBytesShift, lane = 1 << 8 | 2 << shape::kBytesShift;
        ASSERT_TRUE(own->calm().write_far_apart(from, 8, 4, lanes, 7));
        // The last word is not marked as written, as after a store that was never made.
        for (unsigned l = 0; l < 31; ++l) own->set_written(from + 8 * l, 4);
        for (unsigned l = 0; l < 32; ++l) EXPECT_FALSE(own->calm().read(from + 8 * l, 4, lane, 7)) << l;
        clock.barrier();
        own->calm_barrier(2);
        for (unsigned l = 0; l < 32; ++l) {
            EXPECT_EQ(own->calm().read(from + 8 * l, 4, lane, 7), l < 31) << l;
            EXPECT_FALSE(own->calm().read(from + 8 * l + 4, 4, lane, 7)) << l;
        }
    }
}

// A block's own memory, reads put off: what writes come to find is the same as if every read had been noted.
/// `narrow`: by bytes and halves too, so that what is worked in goes to bytes, not to words.
void put_off_agrees_with_the_truth(bool narrow) {
    const auto by = [](auto... of) { return ShadowTest::by(of...); };
    std::mt19937 random(5);
    const auto made = reserved(1024, 0);
    auto& own = *made;
    own.of_one_block(true);
    own.set_written(0, 1024);
    Nodes nodes;
    BlockClock clock;
    std::uint32_t epoch = 0;
    std::uint64_t put_off = 0, put_off_writes = 0, put_off_apart = 0, in_order = 0, races = 0;
    for (std::uint32_t round = 0; round < 600; ++round) {
        clock.start(round, 3, 32, &nodes);
        if (++epoch % 255 == 0) own.forget_quiet();
        own.start_calm(&clock, stamp_of(1, round), epoch, true, true, true);
        Truth truth;
        for (int step = 0; step < 60; ++step) {
            if (random() % 5 == 0) {
                clock.barrier();
                own.calm_barrier(++epoch);
                continue;
            }
            const auto warp = static_cast<std::uint32_t>(random() % 3);
            auto a = by(round, warp, clock.tick(), clock.base());
            a.others_known = a.may_settle = true, a.epoch = epoch;
            const bool write = random() % 4 == 0, spread = random() % 3 == 0,
                       same = !write && !spread && random() % 3 == 0;
            const bool whole = random() % 2;  // the warp
            const unsigned each = narrow ? 1u << random() % 5 : 4u << random() % 3,
                           first = whole || random() % 2 ? 0 : random() % 16,
                           lanes = whole ? 32 : random() % (32 - first) + 1;
            const std::uint64_t at = random() % 480 / each * each, stride = spread ? random() % 2 * each + each
                                                                            : same ? 0
                                                                                   : each;
            const bool evenly = spread && write && random() % 2;  // as columns of a tile are written
            std::uint64_t places[32] = {}, mask = 0;
            bool expected = false;
            for (unsigned l = first; l < first + lanes; ++l) {
                places[l] = (spread && !evenly && random() % 6 == 0 ? random() % 400 / each * each
                                                                    : at + (l - first) * stride) %
                            1024;
                if (spread && !evenly && !whole && random() % 8 == 0) continue;
                mask |= std::uint64_t{1} << l;
            }
            if (!mask) continue;
            if (!spread && at + (same ? each : lanes * each) > 1024) continue;
            if (evenly && at + (lanes - 1) * stride + each > 1024) continue;
            for (unsigned l = first; l < first + lanes; ++l)
                if (mask >> l & 1)
                    expected |=
                        truth.access(places[l], each, {round, warp * 32 + l, clock.tick()}, clock.base(), write);
            const std::uint32_t size =
                static_cast<std::uint32_t>(__builtin_ctz(each)) << shape::kBytesShift | warp << shape::kWarpShift;
            const std::uint64_t bytes = same ? each : std::uint64_t{lanes} * each;
            bool found = false;
            if (own.calm().full()) own.work_in();
            std::uint64_t left = mask;
            if (!write && !spread &&
                own.calm().read(at, bytes, first | lanes << 8 | (same ? shape::kSame : 0) | size, 7))
                left = 0, ++put_off;
            if (!write && spread) left &= ~own.calm_read_lanes(places, mask, each, size, 7), put_off += left == 0;
            if (write && !spread && each >= 4 && own.calm_write(at, bytes, first | lanes << 8 | size, 7))
                left = 0, ++put_off_writes;
            if (left && write && !spread && own.write_run(at, bytes, each, first, a)) left = 0, ++in_order;
            if (evenly &&
                own.calm().write_far_apart(at, static_cast<std::int64_t>(stride), each, first | lanes << 8 | size, 7))
                left = 0, ++put_off_apart;
            if (left && write && spread) left &= ~own.lanes(places, left, each, true, a);
            for (auto rest = left; rest; rest &= rest - 1) {
                const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
                const Stamp mine = a.key | (Stamp{warp} * 32 + l) << kThreadShift | a.tick;
                const auto known = [&](Stamp x) {
                    return x == 0 || block_of(x) != round || thread_of(x) == thread_of(mine) || tick_of(x) <= a.base;
                };
                found |= by_pieces(own, places[l], each, mine, write, known);
            }
            ASSERT_EQ(found, expected) << "round " << round << " step " << step << (write ? " write" : " read")
                                       << (same     ? " same"
                                           : spread ? " spread"
                                                    : "")
                                       << " at " << at << " each " << each << " lanes " << first << "+" << lanes
                                       << " warp " << warp;
            races += found;
        }
    }
    EXPECT_GT(put_off, 1000u);
    EXPECT_GT(put_off_writes, narrow ? 300u : 150u);
    EXPECT_GT(put_off_apart, 100u);
    EXPECT_GT(in_order, narrow ? 300u : 150u);
    EXPECT_GT(races, narrow ? 300u : 150u);
}

TEST_F(ShadowTest, readsThatWerePutOffAreThereWhenAWriteComes) { put_off_agrees_with_the_truth(true); }
TEST_F(ShadowTest, wordsThatWerePutOffAreThereWhenAnotherComes) { put_off_agrees_with_the_truth(false); }

}  // namespace shadow_test
}  // namespace warpwright::shadow

// Two host threads, each with a block of its own, at one line at the same moment: both begin its list, add to it and
// take it apart. Of words that one of them accesses alone nothing is lost, and no race is found.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <random>
#include <thread>
#include <vector>

#include "reserved.hpp"
#include "support/thread_sanitizer.hpp"

namespace warpwright::shadow {
namespace shared_line_test {

constexpr std::uint64_t kStart = kTestedFrom, kBytes = 1 << 21, kLine = Shadow::kLine;
#ifdef WARPWRIGHT_THREAD_SANITIZER
constexpr unsigned kRounds = 2000;
#else
constexpr unsigned kRounds = 40'000;
#endif
constexpr unsigned kWords = 8;

/// An instruction of one warp: lane `first` + w accesses word w.
struct Step {
    Accessor accessor;
    bool store = false;
    unsigned words = 0, first = 0;
};

/// What the two blocks do to a line.
struct Plan {
    std::uint64_t line = 0;
    unsigned own[2] = {};  ///< words that only this block accesses; both read the others
    std::vector<Step> steps[2];
};

Plan drawn(std::mt19937& random, std::uint64_t line) {
    Plan plan;
    plan.line = line;
    for (unsigned w = 0; w < kWords; ++w)
        if (const auto whose = random() % 5; whose < 4) plan.own[whose % 2] |= 1u << w;
    const unsigned both = 0xff & ~(plan.own[0] | plan.own[1]);
    for (unsigned block = 0; block < 2; ++block)
        for (std::uint32_t tick = 2; tick < 6; ++tick) {
            Accessor a;
            a.key = stamp_of(2, 5 + block), a.tick = tick, a.base = tick - 1,
            a.side = side_of(tick + 10 * block, kWeak);
            const bool store = random() % 3 == 0;
            auto words = random() & (plan.own[block] | (store ? 0 : both));
            // The line's list is of one instruction, to which each warp adds its part.
            for (; words; ++a.warp) {
                const auto part = a.warp == 2 ? words : words & random();
                if (part)
                    plan.steps[block].push_back(
                        {a, store, static_cast<unsigned>(part), static_cast<unsigned>(random() % 20)});
                words &= ~part;
            }
        }
    return plan;
}

bool is_known(Stamp s, const Accessor& a) {
    return generation_of(s) != generation_of(a.key) || (block_of(s) == block_of(a.key) && tick_of(s) <= a.base);
}

/// What is left to be done word by word, as the checkers do it: the number of races.
unsigned one_by_one(Shadow& shadow, std::uint64_t at, unsigned lane, const Step& step) {
    const auto& a = step.accessor;
    const Stamp mine = a.key | (Stamp{a.warp} * 32 + lane) << kThreadShift | a.tick;
    const auto p = shadow.piece(at, 4, mine, step.store);
    auto& c = *p.cells;
    unsigned races = !is_known(c.written[p.index], a);
    if (!step.store) {
        note_read(c, p.index, mine, a.side, [&](Stamp s, Side) { return is_known(s, a); });
    } else {
        const Stamp read = c.read[p.index], too = c.read_too[p.index];
        if (read) races += !is_known(read, a) || !is_known(too, a);
        if (read) c.read[p.index] = c.read_too[p.index] = 0;
        put_stamp(c.written[p.index], c.written_side[p.index], mine, a.side);
    }
    return races;
}

unsigned races_of(Shadow& shadow, std::uint64_t line, const std::vector<Step>& steps) {
    unsigned races = 0;
    for (const auto& step : steps) {
        std::uint64_t at[32] = {};
        for (unsigned w = 0; w < kWords; ++w) at[step.first + w] = line + 4 * w;
        const auto mask = std::uint64_t{step.words} << step.first;
        auto rest = mask & ~shadow.lanes(at, mask, 4, step.store, step.accessor);
        for (; rest; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            races += one_by_one(shadow, at[lane], lane, step);
        }
    }
    return races;
}

struct Word {
    Stamp written = 0, read = 0, read_too = 0;
    Side written_side = 0, read_side = 0;
    bool operator==(const Word&) const = default;
};
void PrintTo(const Word& w, std::ostream* out) {
    *out << std::hex << "written " << w.written << ", read " << w.read << ", " << w.read_too << std::dec;
}

Word word_of(Shadow& shadow, std::uint64_t at) {
    const auto p = shadow.piece(at, 4, stamp_of(2, 5), false);
    const auto& c = *p.cells;
    Word w{c.written[p.index], c.read[p.index], c.read_too[p.index], 0, 0};
    if (w.written) w.written_side = c.written_side[p.index];
    if (w.read) w.read_side = c.read_side[p.index];
    return w;
}

bool of_block(Stamp a, Stamp b) { return a >> kBlockShift == b >> kBlockShift; }

/// Where both threads wait for each other; they spin, so that they go on at the same moment.
struct Meeting {
    std::atomic<unsigned> arrived{0};
    void wait(unsigned number) {
        arrived.fetch_add(1, std::memory_order_acq_rel);
        for (unsigned turn = 1; arrived.load(std::memory_order_acquire) < 2 * number; ++turn)
            if (turn % 1024 == 0) std::this_thread::yield();
    }
};

TEST(ASharedLine, hasWhatEachBlockDidAndNoRace) {
    const auto shared = reserved(kBytes), in_turn = reserved(kBytes);
    std::mt19937 random(7);
    std::vector<Plan> plans;
    for (unsigned round = 0; round < kRounds; ++round) {
        plans.push_back(drawn(random, kStart + round * kLine));
        // An earlier launch has written some of the rows.
        if (round % 8 != 0) continue;
        Accessor a;
        a.key = stamp_of(1, 3), a.tick = 2;
        for (auto* shadow : {shared.get(), in_turn.get()})
            ASSERT_TRUE(shadow->write_run(plans.back().line, Shadow::kRow, 4, 0, a));
    }
    Meeting meeting;
    std::vector<unsigned> races[2];
    const auto block = [&](unsigned number) {
        for (unsigned round = 0; round < kRounds; ++round) {
            meeting.wait(round + 1);
            races[number].push_back(races_of(*shared, plans[round].line, plans[round].steps[number]));
        }
    };
    std::thread other(block, 1);
    block(0);
    other.join();
    for (unsigned round = 0; round < kRounds; ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        const auto& plan = plans[round];
        ASSERT_EQ(races[0][round] + races[1][round], 0u);
        for (const auto& steps : plan.steps) ASSERT_EQ(races_of(*in_turn, plan.line, steps), 0u);
        for (unsigned w = 0; w < kWords; ++w) {
            const auto at = plan.line + 4 * w;
            const auto found = word_of(*shared, at), expected = word_of(*in_turn, at);
            if ((plan.own[0] | plan.own[1]) >> w & 1) {
                ASSERT_EQ(found, expected) << "word " << w;
                continue;
            }
            // Of what both read at one moment one reader may be lost, and which of a block's reads is kept depends on
            // who came first.
            ASSERT_EQ(found.written, expected.written) << "word " << w;
            ASSERT_EQ(found.read != 0, expected.read != 0) << "word " << w;
            for (const auto s : {found.read, found.read_too})
                ASSERT_TRUE(!s || of_block(s, expected.read) || of_block(s, expected.read_too)) << "word " << w;
        }
    }
}

}  // namespace shared_line_test
}  // namespace warpwright::shadow

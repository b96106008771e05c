// A scheduler's warps: who is awake, by unit, beside a plain list that is looked through.
#include "timing/scheduled_warps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace warpwright::timing {
namespace scheduled_warps_test {

constexpr double kNever = ScheduledWarps::kNever;

struct Plain {
    double wakes = kNever;
    Want want;
};

std::vector<unsigned> awake(const ScheduledWarps& list, std::uint32_t units) {
    std::vector<unsigned> out;
    list.each_awake(units, [&](unsigned place) { out.push_back(place); });
    return out;
}

/// Each is compared with the best before it: at a queue who woke first goes first, else the younger.
unsigned first_among(const std::vector<unsigned>& places, const std::vector<Plain>& plain) {
    unsigned best = places[0];
    for (const unsigned k : places)
        if (!plain[k].want.queued || !plain[best].want.queued || plain[k].wakes < plain[best].wakes) best = k;
    return best;
}

/// A hundred warps, more than one word has bits, sleep, wait for others, ask for other units and leave.
TEST(ScheduledWarps, AreAwakeAsAPlainListHasThem) {
    std::mt19937 draw(7);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(draw() % n); };
    ScheduledWarps list;
    std::vector<Plain> plain;
    double now = 0;
    for (unsigned w = 0; w < 100; ++w) {
        EXPECT_EQ(list.add(w), w);
        plain.emplace_back();
    }
    EXPECT_EQ(list.wake_until(1e9), kNever) << "none was told when it wakes";
    for (int step = 0; step < 5000; ++step) {
        const unsigned at = below(static_cast<unsigned>(plain.size()));
        plain[at] = {below(8) ? now + below(20) : kNever,
                     {static_cast<std::uint8_t>(below(Want::kUnits)), below(3) == 0}};
        list.quiet_until = 1;
        list.set(at, plain[at].wakes, plain[at].want);
        EXPECT_EQ(list.quiet_until, 0) << "what was known of all is so no more";
        now += below(3);
        double first = kNever;
        std::uint32_t asked = 0;
        const std::uint32_t units = draw() & ((1u << Want::kUnits) - 1);
        std::vector<unsigned> expected;
        const double next = list.wake_until(now);
        for (unsigned k = 0; k < plain.size(); ++k) {
            const bool sleeps = plain[k].wakes > now;
            EXPECT_EQ(list.is_awake(k), !sleeps);
            if (sleeps) first = std::min(first, plain[k].wakes);
            if (!sleeps) asked |= 1u << plain[k].want.unit;
            if (!sleeps && (units >> plain[k].want.unit & 1)) expected.push_back(k);
        }
        ASSERT_EQ(next, first);
        ASSERT_EQ(list.asked(), asked);
        ASSERT_EQ(awake(list, units), expected);
        if (!expected.empty()) {
            ASSERT_EQ(list.first_of(units), first_among(expected, plain));
        }
    }
}

TEST(ScheduledWarps, ThoseThatAreDoneLeaveAndTheOthersCloseUp) {
    ScheduledWarps list;
    for (unsigned w = 0; w < 6; ++w) list.set(list.add(10 + w), w, {static_cast<std::uint8_t>(w % 2), false});
    EXPECT_EQ(list.wake_until(2), 3);
    std::vector<unsigned> moved, places;
    list.leave_out([](unsigned warp) { return warp % 3 == 0; },
                   [&](unsigned warp, unsigned place) { moved.push_back(warp), places.push_back(place); });
    EXPECT_EQ(places, (std::vector<unsigned>{0, 1, 2, 3}));
    for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(list.warp(k), moved[k]);
    EXPECT_EQ(moved, (std::vector<unsigned>{10, 11, 13, 14}));
    EXPECT_EQ(list.wake_until(3), 4);
    EXPECT_EQ(awake(list, 1u << 0), (std::vector<unsigned>{0}));
    EXPECT_EQ(awake(list, 1u << 1), (std::vector<unsigned>{1, 2}));
}

}  // namespace scheduled_warps_test
}  // namespace warpwright::timing

// Rounds: who is sampled when, and when it is enough. No device.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "measure/rounds.hpp"

namespace warpwright::measure {
namespace rounds_test {

using testing::Each;
using testing::ElementsAre;
using testing::Ge;

/// Goes through all rounds; each work takes what `seconds` says of it, the n-th sample `wobble` more or less.
struct Played {
    std::vector<std::vector<Rounds::Visit>> rounds;
    std::vector<std::size_t> samples;
    double spent = 0;
};
Played play(const std::vector<double>& seconds, const RoundOptions& options, const std::vector<double>& wobble = {},
            std::size_t most = 100000) {
    Rounds rounds(seconds, options);
    Played out;
    while (out.rounds.size() < most) {
        auto round = rounds.next();
        if (round.empty()) break;
        for (const Rounds::Visit& v : round) {
            std::vector<double> list;
            for (std::uint32_t i = 0; i < v.samples; ++i) {
                const double sign = (rounds.samples(v.entrant).size() + i) % 2 ? 1 : -1;
                list.push_back(seconds[v.entrant] * (1 + sign * (wobble.empty() ? 0 : wobble[v.entrant])));
                out.spent += list.back();
            }
            rounds.add(v.entrant, list);
        }
        out.rounds.push_back(std::move(round));
    }
    for (std::size_t i = 0; i < seconds.size(); ++i) out.samples.push_back(rounds.samples(i).size());
    return out;
}

TEST(Rounds, every_round_has_every_work_once_in_an_order_of_its_own) {
    const Played p = play({2e-3, 2e-3, 2e-3, 2e-3, 2e-3}, {});
    ASSERT_GE(p.rounds.size(), 10u);
    std::set<std::vector<std::size_t>> orders;
    std::set<std::size_t> first;
    for (const auto& round : p.rounds) {
        std::vector<std::size_t> order, sorted;
        for (const auto& v : round) order.push_back(v.entrant);
        sorted = order;
        std::sort(sorted.begin(), sorted.end());
        EXPECT_THAT(sorted, ElementsAre(0, 1, 2, 3, 4));
        orders.insert(order);
        first.insert(order.front());
    }
    EXPECT_GT(orders.size(), p.rounds.size() / 2);
    EXPECT_EQ(first.size(), 5u) << "each is the first sometimes";
}

TEST(Rounds, the_seed_decides_the_orders) {
    const auto order = [](std::uint64_t seed) {
        RoundOptions o;
        o.seed = seed;
        std::vector<std::size_t> out;
        for (const auto& round : play({2e-3, 2e-3, 2e-3, 2e-3}, o).rounds)
            for (const auto& v : round) out.push_back(v.entrant);
        return out;
    };
    EXPECT_EQ(order(7), order(7));
    EXPECT_NE(order(7), order(8));
}

TEST(Rounds, a_visit_is_some_samples_of_a_short_work_and_one_of_a_long_one) {
    Rounds rounds({1e-5, 2e-3, 0.5}, {});
    std::vector<std::uint32_t> samples(3);
    std::vector<bool> ahead(3);
    for (const auto& v : rounds.next()) samples[v.entrant] = v.samples, ahead[v.entrant] = v.ahead;
    for (const auto& v : rounds.next()) samples[v.entrant] = v.samples, ahead[v.entrant] = v.ahead;
    for (int i = 0; i < 100 && samples[2] == 0; ++i)
        for (const auto& v : rounds.next()) samples[v.entrant] = v.samples, ahead[v.entrant] = v.ahead;
    EXPECT_THAT(samples, ElementsAre(20, 2, 1));
    EXPECT_THAT(ahead, ElementsAre(true, true, false));
}

TEST(Rounds, quiet_works_end_after_the_least_time_and_number_of_samples) {
    const Played p = play({2e-3, 30e-3}, {});
    // 0.1 s of 2 ms samples are 25 rounds; the slow one needs 10, and comes every second round.
    EXPECT_THAT(p.samples, ElementsAre(50, testing::AllOf(Ge(10u), testing::Le(13u))));
    EXPECT_EQ(p.rounds.size(), 25u);
}

TEST(Rounds, slow_works_are_spread_over_the_rounds_and_do_not_all_meet) {
    RoundOptions o;
    o.total_seconds = 100;
    const Played p = play({2e-3, 0.5, 0.5}, o);
    EXPECT_EQ(p.samples[0], 50u);
    EXPECT_THAT(p.samples[1], testing::AllOf(Ge(6u), testing::Le(7u)));  // 3 s
    std::vector<std::size_t> when;
    for (std::size_t r = 0; r < p.rounds.size(); ++r) {
        EXPECT_LE(p.rounds[r].size(), 2u) << "one of the slow ones";
        for (const auto& v : p.rounds[r])
            if (v.entrant == 1) when.push_back(r);
    }
    for (std::size_t i = 1; i < when.size(); ++i) EXPECT_EQ(when[i] - when[i - 1], 4u);
}

TEST(Rounds, all_go_on_until_the_last_has_enough) {
    RoundOptions o;
    o.total_seconds = 1;
    o.share_seconds = 0;
    const Played p = play({2e-3, 2e-3}, o, {0, 0.1});
    EXPECT_EQ(p.samples[0], p.samples[1]) << "the quiet one keeps it company";
    EXPECT_GE(p.spent, 1);
    EXPECT_LE(p.spent, 1 + 2 * 4.4e-3) << "the time ends it after a whole round";
}

TEST(Rounds, the_most_samples_and_seconds_of_one_are_its_end_alone) {
    RoundOptions o;
    o.max_samples = 30;
    o.total_seconds = 100;
    const Played p = play({2e-3, 0.4}, o, {0.1, 0.1});
    EXPECT_EQ(p.samples[0], 30u);
    EXPECT_EQ(p.samples[1], 8u) << "3.2 s";
}

TEST(Rounds, each_gets_its_few_samples_when_the_time_is_over) {
    RoundOptions o;
    o.total_seconds = 0.5;
    o.share_seconds = 0;
    const Played p = play({1, 1, 1, 2e-3, 5}, o);
    EXPECT_THAT(p.samples, ElementsAre(3, 3, 3, testing::AllOf(Ge(3u), testing::Le(50u)), 1));
}

TEST(Rounds, many_works_have_time_by_their_number) {
    RoundOptions o;
    o.total_seconds = 3;
    o.share_seconds = 0.5;
    const Played p = play(std::vector<double>(12, 2e-3), o, std::vector<double>(12, 0.1));
    EXPECT_NEAR(p.spent, 6, 0.06);
}

TEST(Rounds, what_is_dropped_comes_no_more_and_none_is_no_round) {
    Rounds rounds({2e-3, 2e-3}, {});
    EXPECT_EQ(rounds.next().size(), 2u);
    rounds.drop(0);
    for (int i = 0; i < 5; ++i)
        for (const auto& v : rounds.next()) EXPECT_EQ(v.entrant, 1u);
    rounds.drop(1);
    EXPECT_TRUE(rounds.next().empty());
    EXPECT_TRUE(Rounds({}, {}).next().empty());
}

TEST(Rounds, usable_is_three_samples_or_a_long_one) {
    Rounds rounds({2e-3, 5}, {});
    EXPECT_FALSE(rounds.usable(0));
    EXPECT_EQ(rounds.progress(), 0);
    rounds.add(0, std::vector<double>{2e-3, 2e-3});
    EXPECT_FALSE(rounds.usable(0));
    rounds.add(0, std::vector<double>{2e-3});
    EXPECT_TRUE(rounds.usable(0));
    EXPECT_FALSE(rounds.usable(1));
    rounds.add(1, std::vector<double>{5});
    EXPECT_TRUE(rounds.usable(1));
    EXPECT_EQ(rounds.progress(), 1) << "that was more time than there is";
}

}  // namespace rounds_test
}  // namespace warpwright::measure

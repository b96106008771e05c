#include <gtest/gtest.h>

#include "measure/host_sample.hpp"
#include "measure/statistics.hpp"

namespace warpwright::measure {
namespace statistics_test {

TEST(Statistics, of_nothing_and_of_one) {
    EXPECT_EQ(summarise({}).samples, 0u);
    double one[] = {3};
    Statistics s = summarise(one);
    EXPECT_EQ(s.samples, 1u);
    EXPECT_EQ(s.median, 3);
    EXPECT_EQ(s.min, 3);
    EXPECT_EQ(s.max, 3);
    EXPECT_EQ(s.spread, 0);
}

TEST(Statistics, by_hand) {
    double odd[] = {5, 1, 9, 3, 7};
    Statistics s = summarise(odd);
    EXPECT_EQ(s.median, 5);
    EXPECT_EQ(s.quartile_1, 3);
    EXPECT_EQ(s.quartile_3, 7);
    EXPECT_EQ(s.mean, 5);
    EXPECT_DOUBLE_EQ(s.spread, 2.0 / 5.0);
    double even[] = {4, 1, 3, 2};
    s = summarise(even);
    EXPECT_EQ(s.median, 2.5);
    EXPECT_EQ(s.quartile_1, 1.75);
    EXPECT_EQ(s.quartile_3, 3.25);
    EXPECT_DOUBLE_EQ(s.spread, 0.3);
}

TEST(Statistics, an_outlier_moves_neither_median_nor_spread) {
    double v[] = {10, 10, 10, 10, 10, 10, 1000};
    Statistics s = summarise(v);
    EXPECT_EQ(s.median, 10);
    EXPECT_EQ(s.spread, 0);
    EXPECT_EQ(s.max, 1000);
}

TEST(Statistics, a_record_takes_median_min_spread_and_number) {
    double v[] = {1, 2, 3};
    record::Time t = to_time(summarise(v));
    EXPECT_EQ(t.median_s, 2);
    EXPECT_EQ(t.min_s, 1);
    EXPECT_EQ(t.samples, 3u);
    EXPECT_DOUBLE_EQ(t.spread, 0.25);
}

struct FakeWork {
    double now = 0, cost;
    unsigned runs = 0;
    std::vector<double> go(const SampleOptions& o) {
        return sample([this] { now += cost, ++runs; }, o, [this] { return now; });
    }
};

TEST(Sample, steady_work_stops_at_the_least_time) {
    FakeWork w{.cost = 0.02};
    auto s = w.go({.min_samples = 5, .max_samples = 100, .min_seconds = 0.05, .max_seconds = 10});
    EXPECT_EQ(s.size(), 5u);
    EXPECT_EQ(w.runs, 6u);  // one run first that is not a sample
    for (double v : s) EXPECT_NEAR(v, 0.02, 1e-12);
}

TEST(Sample, short_work_is_repeated_within_a_sample) {
    FakeWork w{.cost = 1e-6};
    auto s = w.go({.min_samples = 5, .max_samples = 7, .min_seconds = 100, .shortest = 1e-4});
    EXPECT_EQ(s.size(), 7u);
    EXPECT_GE(w.runs, 7u * 100);
    for (double v : s) EXPECT_NEAR(v, 1e-6, 1e-12);
}

TEST(Sample, long_work_runs_once_after_the_first) {
    FakeWork w{.cost = 5};
    EXPECT_EQ(w.go({.max_seconds = 1}).size(), 1u);
}

TEST(Sample, noisy_work_goes_on_to_the_limit) {
    double now = 0;
    unsigned i = 0;
    auto s = sample([&] { now += ++i % 2 ? 0.01 : 0.02; },
                    {.min_samples = 5, .max_samples = 1000, .min_seconds = 0, .max_seconds = 1}, [&] { return now; });
    EXPECT_GT(s.size(), 50u);
    EXPECT_LT(s.size(), 100u);
}

}  // namespace statistics_test
}  // namespace warpwright::measure

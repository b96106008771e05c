// Sampling on a device's clock, and how rungs of one problem are compared.
#include <gmock/gmock.h>

#include <utility>

#include "measure/device_sample.hpp"
#include "measure/speedups.hpp"

namespace warpwright::measure {
namespace device_test {

/// A device whose runs take what `seconds` says, in turn.
struct Simulated {
    std::vector<double> seconds{1e-3};
    std::size_t runs = 0, calls = 0, samples = 0;
    DeviceWork work() {
        return [this](std::uint32_t repeat, std::uint32_t n) -> Result<std::vector<double>> {
            ++calls;
            samples += n;
            std::vector<double> out;
            for (std::uint32_t i = 0; i < n; ++i) {
                double sum = 0;
                for (std::uint32_t k = 0; k < repeat; ++k) sum += seconds[runs++ % seconds.size()];
                out.push_back(sum);
            }
            return out;
        };
    }
};

TEST(DeviceSample, short_work_is_repeated_and_the_time_is_of_one_run) {
    Simulated device;
    device.seconds = {10e-6};
    auto s = sample_device(device.work());
    ASSERT_TRUE(s.ok());
    EXPECT_NEAR(s->repeat, 200, 1);  // a sum of tenths rounds
    for (double v : s->seconds) EXPECT_NEAR(v, 10e-6, 1e-12);
    EXPECT_GE(s->seconds.size(), 10u);
}

TEST(DeviceSample, a_slow_first_run_does_not_decide_the_repeats) {
    Simulated device;
    bool first = true;
    auto steady = device.work();
    auto s = sample_device([&](std::uint32_t repeat, std::uint32_t n) {
        auto out = steady(repeat, n);
        if (std::exchange(first, false)) out->front() += 0.5;
        return out;
    });
    ASSERT_TRUE(s.ok());
    EXPECT_EQ(s->repeat, 2u);
    for (double v : s->seconds) EXPECT_NEAR(v, 1e-3, 1e-12) << "the warm-up is not among the samples";
}

TEST(DeviceSample, noise_asks_for_more_samples_and_the_limits_hold) {
    Simulated quiet, noisy;
    noisy.seconds = {1e-3, 1e-3, 5e-3, 5e-3};
    DeviceSampleOptions options;
    auto a = sample_device(quiet.work(), options), b = sample_device(noisy.work(), options);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_GT(b->seconds.size(), a->seconds.size());
    EXPECT_LE(b->seconds.size(), options.max_samples + options.batch);
}

TEST(DeviceSample, a_run_beyond_the_time_there_is_is_measured_once) {
    Simulated device;
    device.seconds = {10};
    auto s = sample_device(device.work());
    ASSERT_TRUE(s.ok());
    EXPECT_EQ(s->seconds.size(), 1u);
    EXPECT_LE(device.runs, 3u);
}

TEST(DeviceSample, an_error_of_the_device_comes_through) {
    auto s = sample_device([](std::uint32_t, std::uint32_t) -> Result<std::vector<double>> {
        return Error{ErrorKind::fault, "broken", {}, ""};
    });
    ASSERT_FALSE(s.ok());
    EXPECT_EQ(s.error().what, "broken");
}

record::Record timed(std::string rung, std::string device, std::int64_t size, double seconds) {
    record::Record r;
    r.experiment = "matmul";
    r.rung = std::move(rung);
    r.device = std::move(device);
    r.axes = {{"N", size}};
    if (seconds > 0) r.time = record::Time{seconds, seconds, 0, 10};
    return r;
}

TEST(Compare, with_the_first_rung_and_the_fastest_cpu_of_the_same_size) {
    std::vector<record::Record> list{timed("serial", "cpu", 64, 8),     timed("openmp", "cpu", 64, 4),
                                     timed("failed", "cuda:0", 64, 0),  timed("naive", "cuda:0", 64, 2),
                                     timed("tiled", "cuda:0", 64, 0.5), timed("tiled", "cuda:0", 128, 16)};
    list[4].axes.push_back({"TILE", std::int64_t{16}});  // an axis of the rung alone does not part it from the others
    compare(list, {"N"});
    EXPECT_EQ(list[0].speedup->cpu, 0.5);
    EXPECT_FALSE(list[0].speedup->first);
    EXPECT_FALSE(list[2].speedup);
    EXPECT_EQ(list[3].speedup->first, 1);
    EXPECT_EQ(list[3].speedup->cpu, 2);
    EXPECT_EQ(list[4].speedup->first, 4);
    EXPECT_EQ(list[4].speedup->cpu, 8);
    EXPECT_EQ(list[5].speedup->first, 1);
    EXPECT_FALSE(list[5].speedup->cpu);
}

TEST(Compare, cpu_rungs_alone_are_compared_with_nothing) {
    std::vector<record::Record> list{timed("serial", "cpu", 64, 8), timed("openmp", "cpu", 64, 4)};
    compare(list, {"N"});
    EXPECT_FALSE(list[0].speedup);
    EXPECT_FALSE(list[1].speedup);
}

}  // namespace device_test
}  // namespace warpwright::measure

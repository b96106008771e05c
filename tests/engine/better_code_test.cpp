// Better code is made when a kernel has run for so long that it pays, and only then; what it is made of may go before.
#include "engine/run/better_code.hpp"

#include <gtest/gtest.h>
#include <limits>

#include <atomic>
#include <future>
#include <limits>

namespace better_code_test {

using warpwright::engine::BetterCode;

/// Whether the future is ready within a minute. It computes meanwhile, as a kernel does: what only sleeps is credited
/// with no time.
bool ready_while_computing(std::future<void> future) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < end)
        if (future.wait_for(std::chrono::seconds(0)) == std::future_status::ready) return true;
    return false;
}

TEST(BetterCode, IsMadeOnceWhileTheKernelRuns) {
    BetterCode jobs;
    std::promise<void> made;
    std::atomic<int> times{0};
    auto job = jobs.add(0.05, [&] {
        ++times;
        made.set_value();
    });
    {
        const BetterCode::Running running(jobs, job);
        EXPECT_TRUE(ready_while_computing(made.get_future()));
    }
    const BetterCode::Running again(jobs, job);
    jobs.stop();
    EXPECT_EQ(times, 1);
}

TEST(BetterCode, IsNotMadeForAKernelThatDoesNotRun) {
    std::atomic<int> times{0};
    {
        BetterCode jobs;
        (void)jobs.add(0, [&] { ++times; });
        const BetterCode::Running none(jobs, nullptr);
        // Another one runs, so that the thread is at work.
        std::promise<void> made;
        auto other = jobs.add(0, [&] { made.set_value(); });
        const BetterCode::Running running(jobs, other);
        EXPECT_TRUE(ready_while_computing(made.get_future()));
        jobs.stop();
    }
    EXPECT_EQ(times, 0);
}

TEST(BetterCode, AJobThatIsChangedDoesTheOtherWorkInTheSameLaunch) {
    std::atomic<int> first{0};
    BetterCode jobs;
    auto job = jobs.add(0.2, [&] { ++first; });
    const BetterCode::Running running(jobs, job);
    EXPECT_TRUE(jobs.change(job, std::numeric_limits<double>::infinity(), {}));
    std::promise<void> other;
    auto made = jobs.add(0.4, [&] { other.set_value(); });
    {
        const BetterCode::Running too(jobs, made);
        EXPECT_TRUE(ready_while_computing(other.get_future()));
    }
    EXPECT_EQ(first, 0);
    std::promise<void> second;
    EXPECT_TRUE(jobs.change(job, 0.05, [&] { second.set_value(); }));
    EXPECT_TRUE(ready_while_computing(second.get_future()));
    EXPECT_FALSE(jobs.change(job, 0.05, {})) << "it has been taken";
    EXPECT_FALSE(jobs.change(nullptr, 0.05, {}));
    jobs.stop();
    EXPECT_EQ(first, 0);
}

TEST(BetterCode, StopForgetsWhatWaits) {
    std::atomic<int> times{0};
    BetterCode jobs;
    auto job = jobs.add(1e9, [&] { ++times; });
    const BetterCode::Running running(jobs, job);
    jobs.stop();
    (void)jobs.add(0, [&] { ++times; });
    EXPECT_EQ(times, 0);
}

}  // namespace better_code_test

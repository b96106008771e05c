// What is timed on a device, and under what conditions: sets of buffers, caches, clocks.
#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <thread>

#include "../ladder/fake_device.hpp"
#include "measure/conditions.hpp"
#include "measure/interleaved_timing.hpp"
#include "measure/rotation.hpp"

namespace warpwright::measure {
namespace timing_test {

using testing::HasSubstr;

TEST(Rotation, sets_hold_more_than_three_caches_together) {
    const std::uint64_t mb = 1 << 20;
    Rotation r = plan_rotation(10 * mb, 10 * mb, 60 * mb);
    EXPECT_EQ(r.sets, 19u);
    EXPECT_FALSE(r.flush);
    r = plan_rotation(180 * mb, 180 * mb, 60 * mb);
    EXPECT_EQ(r.sets, 2u);
    EXPECT_FALSE(r.flush);
    r = plan_rotation(181 * mb, 181 * mb, 60 * mb);
    EXPECT_EQ(r.sets, 1u);  // it does not find itself again
    EXPECT_FALSE(r.flush);
}

TEST(Rotation, small_problems_flush_and_memory_is_bounded) {
    const std::uint64_t mb = 1 << 20;
    Rotation r = plan_rotation(4096, 4096, 60 * mb);
    EXPECT_EQ(r.sets, 64u);
    EXPECT_TRUE(r.flush);
    r = plan_rotation(3 * mb, 3 * mb, 60 * mb);  // 61 of them do
    EXPECT_EQ(r.sets, 61u);
    EXPECT_FALSE(r.flush);
    r = plan_rotation(10 * mb, 1024 * mb, 60 * mb);  // with their scratch space
    EXPECT_EQ(r.sets, 4u);
    EXPECT_TRUE(r.flush);
    r = plan_rotation(10 * mb, std::uint64_t{1} << 40, 60 * mb);
    EXPECT_EQ(r.sets, 1u);
    EXPECT_TRUE(r.flush);
    r = plan_rotation(0, 0, 60 * mb);
    EXPECT_TRUE(r.flush);
    r = plan_rotation(4096, 4096, 0);
    EXPECT_EQ(r.sets, 1u);
    EXPECT_FALSE(r.flush);
}

device::DeviceState state(double clock, double power, std::vector<std::string> throttle = {}) {
    device::DeviceState s;
    s.clock_mhz = clock;
    s.power_w = power;
    s.throttle = std::move(throttle);
    return s;
}

TEST(Conditions, medians_the_highest_power_and_each_reason_once) {
    const device::DeviceState seen[] = {
        state(1980, 300), state(1500, 699.6, {"power cap"}), {}, state(1530, 650, {"power cap", "heat"})};
    record::Time time;
    add_conditions(time, seen);
    EXPECT_EQ(time.clock_mhz, 1530);
    EXPECT_FALSE(time.memory_clock_mhz);
    EXPECT_EQ(time.power_w, 699.6);
    EXPECT_THAT(time.throttle, testing::ElementsAre("power cap", "heat"));
    EXPECT_EQ(conditions_note(time, 1980), "timed at 1530 of 1980 MHz, limited by: power cap, heat (700 W)");
    record::Time none;
    add_conditions(none, {});
    EXPECT_EQ(none, record::Time{});
}

TEST(Conditions, full_clocks_are_not_spoken_of) {
    record::Time time;
    EXPECT_EQ(conditions_note(time, 1980), "");
    time.clock_mhz = 1950;
    EXPECT_EQ(conditions_note(time, 1980), "");
    EXPECT_EQ(conditions_note(time, 0), "");
    time.throttle = {"clocks set by a user"};
    EXPECT_EQ(conditions_note(time, 1980), "clocks were limited by: clocks set by a user");
    time = {};
    time.clock_mhz = 1200;
    EXPECT_EQ(conditions_note(time, 1980), "timed at 1200 of 1980 MHz");
}

/// Its kernels take a millisecond by its own clock.
class ClockDevice final : public ladder::test::FakeDevice, public device::Timer {
public:
    device::Timer* timer() override { return this; }
    device::DeviceFacts facts() const override { return {"Fake", "driver", cache, 1980, 0, ""}; }
    std::optional<device::DeviceState> state() const override {
        ++asked;
        return now;
    }
    Result<device::Address> allocate(std::uint64_t bytes) override {
        if (memory.size() >= most) return Error{ErrorKind::limit, "out of device memory", {}, ""};
        return FakeDevice::allocate(bytes);
    }
    Result<std::vector<double>> time(std::span<const device::Step> list, const device::TimeRequest& request) override {
        steps.assign(list.begin(), list.end());
        requests.push_back(request);
        if (fails && requests.size() == 3) return Error{ErrorKind::fault, "broken", {}, ""};
        return std::vector<double>(request.samples, 1e-3 * double(list.size()) * request.repeat);
    }
    Result<std::shared_ptr<device::Module>> load(std::string name, std::string text) override {
        if (hold) hold->wait();
        auto module = FakeDevice::load(std::move(name), std::move(text));
        ++loads;
        return module;
    }
    const std::shared_future<void>* hold = nullptr;  ///< loading takes until this is set
    std::atomic<unsigned> loads = 0;
    std::uint64_t cache = 1 << 20;
    std::size_t most = 1000000;
    bool fails = false;
    std::optional<device::DeviceState> now;
    mutable std::atomic<unsigned> asked = 0;
    std::vector<device::Step> steps;
    std::vector<device::TimeRequest> requests;
};

ladder::RunOptions run_options(std::chrono::milliseconds timeout = std::chrono::milliseconds(0),
                               const std::shared_future<void>* hold = nullptr) {
    ladder::RunOptions o;
    o.launch.timeout = timeout;
    // The thread that compiles may outlive the test: it has a copy.
    o.compile = [held = hold ? *hold : std::shared_future<void>()](
                    const std::string&, const std::vector<std::string>&) -> Result<std::string> {
        if (held.valid()) held.wait();
        return std::string();
    };
    return o;
}

struct Timed {
    ladder::Ladder ladder = *ladder::read_ladder(WARPWRIGHT_SOURCE_DIR "/kernels/reduce");
    ClockDevice device;
    ladder::Session session;
    bool right = true;

    explicit Timed(ladder::RunOptions run = run_options()) : session(device, std::move(run)) {
        device.kernels = {ladder::test::kernel("reduce_interleaved_modulo", {"u64", "u64", "u64"})};
        device.body = [this](const ladder::test::FakeDevice::Call& call) -> Result<void> {
            auto* in = call.pointer<const std::int32_t>(0);
            std::int32_t sum = right ? 0 : 1;
            for (std::uint64_t i = 0; i < call.get<std::uint64_t>(16); ++i) sum += in[i];
            *call.pointer<std::int32_t>(8) = sum;
            return {};
        };
    }
    ladder::RungRun run(std::int64_t n, TimingOptions options = {}) {
        const ladder::Rung* rung = ladder::select_rungs(ladder, {"interleaved_modulo"})->front();
        ladder::Variant v = ladder::variants(ladder, *rung, {{"T", {"int32"}}})->front();
        auto problem = ladder::Problem::make(ladder, {n}, v, 1);
        EXPECT_TRUE(problem.ok());
        return run_alone(session, nullptr, *rung, v, *problem, options);
    }
};

TEST(KernelRung, small_problems_are_timed_on_64_sets_after_a_flush) {
    Timed t;
    auto run = t.run(100);
    ASSERT_FALSE(run.problem) << run.problem->text();
    EXPECT_EQ(t.device.steps.size(), 64u);
    for (const auto& r : t.device.requests) {
        EXPECT_TRUE(r.flush);
        EXPECT_EQ(r.repeat, 1u);
    }
    ASSERT_TRUE(run.record.time);
    EXPECT_NEAR(run.record.time->median_s, 1e-3, 1e-12) << "of one set";
    EXPECT_EQ(run.record.time->cache, "cold");
    EXPECT_FALSE(run.record.time->clock_mhz) << "it does not tell";
    EXPECT_EQ(t.device.asked, 1u);
    EXPECT_TRUE(t.device.memory.empty());
}

TEST(KernelRung, warm_is_one_set_again_and_again) {
    Timed t;
    auto run = t.run(100, {.cold = false});
    EXPECT_EQ(t.device.steps.size(), 1u);
    for (const auto& r : t.device.requests) EXPECT_FALSE(r.flush);
    EXPECT_EQ(t.device.requests.back().repeat, 2u);
    EXPECT_EQ(run.record.time->cache, "warm");
}

TEST(KernelRung, where_the_cache_is_not_known_it_says_so) {
    Timed t;
    t.device.cache = 0;
    auto run = t.run(100);
    EXPECT_EQ(run.record.time->cache, "warm");
    EXPECT_THAT(run.record.notes, testing::Contains(HasSubstr("caches were warm")));
}

TEST(KernelRung, where_memory_ends_the_sets_there_are_serve) {
    Timed t;
    t.device.most = 10;
    auto run = t.run(100);
    ASSERT_FALSE(run.problem) << run.problem->text();
    EXPECT_GE(t.device.steps.size(), 1u);
    EXPECT_LT(t.device.steps.size(), 10u);
    EXPECT_TRUE(t.device.requests.back().flush);
    EXPECT_EQ(run.record.time->cache, "cold");
    EXPECT_TRUE(t.device.memory.empty());
}

TEST(KernelRung, reduced_clocks_are_in_the_record) {
    Timed t;
    t.device.now = state(1500, 700, {"power cap"});
    auto run = t.run(100);
    EXPECT_EQ(run.record.time->clock_mhz, 1500);
    EXPECT_THAT(run.record.time->throttle, testing::ElementsAre("power cap"));
    EXPECT_THAT(run.record.notes, testing::Contains("timed at 1500 of 1980 MHz, limited by: power cap (700 W)"));
}

TEST(KernelRung, compiling_ends_at_the_time_limit_and_the_sweep_goes_on) {
    std::promise<void> end;
    const std::shared_future<void> hold = end.get_future().share();
    {
        Timed t(run_options(std::chrono::milliseconds(20), &hold));
        for (int i = 0; i < 2; ++i) {
            auto run = t.run(100);
            ASSERT_TRUE(run.problem);
            EXPECT_EQ(run.problem->kind, ErrorKind::fault);
            EXPECT_THAT(*run.record.error,
                        HasSubstr("01_interleaved_modulo.cu: error: compiling it takes longer than 0.02 s"));
        }
        EXPECT_TRUE(t.session.abandoned());
        EXPECT_FALSE(t.session.stuck()) << "the device can go on";
    }
    end.set_value();
}

TEST(KernelRung, a_driver_that_compiles_for_ever_takes_the_device_along) {
    std::promise<void> end;
    const std::shared_future<void> hold = end.get_future().share();
    Timed t(run_options(std::chrono::milliseconds(20)));
    t.device.hold = &hold;
    auto run = t.run(100);
    ASSERT_TRUE(run.problem);
    EXPECT_THAT(*run.record.error, HasSubstr("loading it takes longer than 0.02 s"));
    EXPECT_TRUE(t.session.stuck());
    EXPECT_EQ(t.run(100).problem->kind, ErrorKind::no_device);
    end.set_value();
    while (t.device.loads == 0) std::this_thread::yield();  // it uses the device to its end
}

TEST(KernelRung, what_is_wrong_is_not_timed_and_an_error_keeps_what_was_known) {
    Timed t;
    t.right = false;
    auto wrong = t.run(100);
    EXPECT_EQ(wrong.record.verified, false);
    EXPECT_FALSE(wrong.record.time);
    EXPECT_TRUE(t.device.requests.empty());
    t.right = true;
    t.device.fails = true;
    auto failed = t.run(100);
    ASSERT_TRUE(failed.problem);
    EXPECT_EQ(failed.record.error, "error: broken");
    EXPECT_EQ(failed.record.verified, true);
    EXPECT_FALSE(failed.record.time);
}

}  // namespace timing_test
}  // namespace warpwright::measure

// The rungs of one problem, timed together on a device that is made up: fairness, what they share, what becomes of
// faults.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "../ladder/fake_device.hpp"
#include "measure/interleaved_timing.hpp"

namespace warpwright::measure {
namespace interleaved_timing_test {

using testing::HasSubstr;

constexpr const char* kLadder = R"toml(
schema = 1
name = "twice"
title = "y = 2 x"
[problem]
sizes = ["n"]
default = [64]
[[buffer]]
name = "x"
type = "f32"
count = "n"
contents = "iota"
[[buffer]]
name = "y"
type = "f32"
count = "n"
role = "output"
[[buffer]]
name = "tickets"
type = "u32"
count = "4"
contents = "zero"
role = "scratch"
[[buffer]]
name = "unused"
type = "u32"
count = "1000"
role = "scratch"
[reference]
elementwise = "2*x"
inputs = ["x"]
output = "y"
[tolerance]
relative = "1e-6"
[defaults]
arguments = ["x", "y", "n"]
grid = [1]
block = [32]
flops = "n"
bytes = "8*n"
[[rung]]
name = "a"
source = "k.ptx"
entry = "a"
[[rung]]
name = "b"
source = "k.ptx"
entry = "b"
[[rung]]
name = "spoils"
source = "k.ptx"
entry = "spoils"
[[rung]]
name = "counts"
source = "k.ptx"
entry = "counts"
arguments = ["x", "y", "n", "tickets"]
[[rung]]
name = "prepared"
source = "k.ptx"
launch = [{ entry = "prepares", arguments = ["x", "tickets"], ahead = true }, { entry = "counts", arguments = ["x", "y", "n", "tickets"] }]
[[rung]]
name = "wrong"
source = "k.ptx"
entry = "wrong"
)toml";

/// Each kernel takes a time of its own, which grows as the device gets warm; all happens on one simulated clock.
class WarmDevice final : public ladder::test::FakeDevice, public device::Timer {
public:
    WarmDevice() {
        for (const char* name : {"a", "b", "spoils", "wrong"})
            kernels.push_back(ladder::test::kernel(name, {"u64", "u64", "u64"}));
        kernels.push_back(ladder::test::kernel("counts", {"u64", "u64", "u64", "u64"}));
        kernels.push_back(ladder::test::kernel("prepares", {"u64", "u64"}));
        body = [this](const Call& call) -> Result<void> {
            auto* x = call.pointer<float>(0);
            if (call.kernel == "prepares")
                return prepared.emplace(call.get<std::uint64_t>(0), call.get<std::uint64_t>(8)), Result<void>();
            auto* y = call.pointer<float>(8);
            const std::size_t n = call.get<std::uint64_t>(16);
            for (std::size_t i = 0; i < n; ++i) y[i] = 2 * x[i] + (call.kernel == "wrong");
            if (call.kernel == "spoils") std::fill_n(x, n, 7.0f);
            if (call.kernel == "counts")
                tickets.insert(call.get<std::uint64_t>(24)), counted += call.pointer<std::uint32_t>(24)[0]++;
            return {};
        };
    }
    device::Timer* timer() override { return this; }
    device::DeviceFacts facts() const override { return {"Fake", "driver", cache, 1980, 0, ""}; }
    Result<device::Address> allocate(std::uint64_t bytes) override {
        if (memory.size() >= most) return Error{ErrorKind::limit, "out of device memory", {}, ""};
        return FakeDevice::allocate(bytes);
    }
    Result<std::vector<double>> time(std::span<const device::Step> list, const device::TimeRequest& request) override {
        const std::string& kernel = list.front().kernel;
        if (order.empty() || order.back() != kernel) order.push_back(kernel);
        sets = list.size();
        if (kernel == faults && ++asked == faults_at) return Error{ErrorKind::fault, "broken", {}, ""};
        std::vector<double> out;
        for (std::uint32_t i = 0; i < request.samples; ++i) {
            out.push_back(seconds[kernel] * double(list.size()) * request.repeat * (1 + warming * now));
            now += out.back();
        }
        return out;
    }
    std::map<std::string, double> seconds{{"a", 1e-3}, {"b", 1e-3}, {"counts", 1e-3}, {"spoils", 1e-3}};
    double now = 0, warming = 0;
    std::string faults;
    unsigned asked = 0, faults_at = 0;
    std::uint64_t cache = 0;
    std::size_t most = 1000, sets = 0;
    std::vector<std::string> order;
    std::set<std::uint64_t> tickets;
    std::set<std::pair<std::uint64_t, std::uint64_t>> prepared;  ///< inputs, and what was made of them
    unsigned counted = 0;
};

struct Bench {
    WarmDevice device;
    ladder::Ladder ladder;
    std::optional<ladder::Session> session;
    std::optional<ladder::Problem> problem;
    std::optional<Together> together;

    explicit Bench(const TimingOptions& options = {}) {
        const std::string folder = testing::TempDir() + "ww_test_together_" + std::to_string(::getpid());
        std::filesystem::create_directories(folder);
        std::ofstream(folder + "/ladder.toml") << kLadder;
        std::ofstream(folder + "/k.ptx") << "\n";
        auto read = ladder::read_ladder(folder);
        EXPECT_TRUE(read.ok()) << read.error().text();
        ladder = std::move(*read);
        ladder::RunOptions run;
        run.compile = [](const std::string&, const std::vector<std::string>&) -> Result<std::string> {
            return std::string();
        };
        session.emplace(device, run);
        problem = std::move(*ladder::Problem::make(ladder, {64}, {}, 1));
        together.emplace(*session, nullptr, *problem, options);
    }
    Together::Added add(const std::string& rung, std::size_t id = 0) {
        return together->add(*ladder::select_rungs(ladder, {rung})->front(), {}, id);
    }
};

TEST(Together, a_device_that_gets_slower_does_so_for_all_alike) {
    Bench bench;
    bench.device.warming = 2;  // after half a second all takes twice as long
    for (const char* name : {"a", "b", "counts"}) EXPECT_FALSE(bench.add(name).run) << name;
    bench.device.seconds["counts"] = 2e-3;
    EXPECT_EQ(bench.together->waiting(), 3u);
    auto timed = bench.together->time();
    ASSERT_EQ(timed.size(), 3u);
    for (const auto& t : timed) ASSERT_TRUE(t.run && t.run->record.time) << t.run->record.error.value_or("");
    const auto median = [&](std::size_t i) { return timed[i].run->record.time->median_s; };
    EXPECT_GT(timed[0].run->record.time->spread, 0.05) << "it did get slower";
    EXPECT_NEAR(median(0) / median(1), 1, 0.03);
    EXPECT_NEAR(median(2) / median(1), 2, 0.06);
    EXPECT_EQ(bench.together->waiting(), 0u);
}

TEST(Together, takes_turns) {
    Bench bench;
    (void)bench.add("a"), (void)bench.add("b");
    (void)bench.together->time();
    EXPECT_GT(bench.device.order.size(), 30u) << "they alternate, but where one ends a round and begins the next";
}

TEST(Together, each_rung_meets_fresh_inputs_and_poisoned_outputs) {
    Bench bench;
    EXPECT_FALSE(bench.add("spoils", 0).run);
    auto wrong = bench.add("wrong", 1);
    ASSERT_TRUE(wrong.run);
    EXPECT_EQ(wrong.run->record.verified, false);
    EXPECT_THAT(wrong.run->record.notes, testing::Contains("not timed: the result is wrong"));
    EXPECT_FALSE(bench.add("a", 2).run) << "what the first left in x would fail it";
    auto timed = bench.together->time();
    ASSERT_EQ(timed.size(), 2u);
    EXPECT_EQ(timed[0].id, 0u);
    EXPECT_EQ(timed[1].id, 2u);
    EXPECT_EQ(timed[1].run->record.verified, true);
}

TEST(Together, inputs_are_shared_scratch_is_not_and_what_no_rung_names_is_not_there) {
    Bench bench({.cold = true});
    bench.device.cache = 1000;  // 6 sets of 512 bytes
    EXPECT_FALSE(bench.add("a").run);
    const std::size_t sets = bench.device.memory.size();
    EXPECT_EQ(sets, 2u * 6);
    EXPECT_FALSE(bench.add("b").run);
    EXPECT_EQ(bench.device.memory.size(), sets);
    EXPECT_FALSE(bench.add("counts").run);
    EXPECT_FALSE(bench.add("counts").run);
    EXPECT_EQ(bench.device.memory.size(), sets + 2);
    EXPECT_EQ(bench.device.tickets.size(), 2u);
    EXPECT_EQ(bench.device.counted, 0u) << "each found its own tickets at zero";
    auto timed = bench.together->time();
    EXPECT_EQ(bench.device.sets, 6u);
    for (const auto& t : timed) EXPECT_NEAR(t.run->record.time->median_s, 1e-3, 1e-9) << "of one set";
    bench.together.reset();
    EXPECT_TRUE(bench.device.memory.empty());
}

TEST(Together, what_is_prepared_ahead_is_so_for_each_set_and_not_timed) {
    Bench bench({.cold = true});
    bench.device.cache = 1000;
    EXPECT_FALSE(bench.add("prepared").run);
    std::set<std::uint64_t> inputs, made;
    for (const auto& [x, scratch] : bench.device.prepared) inputs.insert(x), made.insert(scratch);
    EXPECT_EQ(inputs.size(), 6u);
    EXPECT_EQ(made.size(), 6u) << "of its own";
    auto timed = bench.together->time();
    EXPECT_EQ(bench.device.sets, 6u) << "one launch for each set";
    EXPECT_THAT(bench.device.order, testing::Each("counts"));
    EXPECT_THAT(timed[0].run->record.notes, testing::Contains("launches ahead of the clock are not in its time"));
    bench.together.reset();
    EXPECT_TRUE(bench.device.memory.empty());
}

TEST(Together, a_fault_while_timing_leaves_the_others_to_begin_again_or_their_figure) {
    for (unsigned at : {1u, 30u}) {
        Bench bench;
        bench.device.faults = "b";
        bench.device.faults_at = at;
        (void)bench.add("a", 5), (void)bench.add("b", 6), (void)bench.add("counts", 7);
        auto timed = bench.together->time();
        ASSERT_EQ(timed.size(), 3u);
        ASSERT_TRUE(timed[1].run);
        EXPECT_EQ(timed[1].run->problem->kind, ErrorKind::fault);
        EXPECT_EQ(timed[1].run->record.verified, true) << "what was known stays";
        EXPECT_FALSE(timed[1].run->record.time);
        if (at == 1) {
            EXPECT_FALSE(timed[0].run || timed[2].run);
        } else {
            EXPECT_TRUE(timed[0].run->record.time);
        }
    }
}

TEST(Together, what_does_not_fit_beside_the_others_is_told) {
    Bench bench;
    bench.device.most = 3;  // x, y and one rung's tickets
    EXPECT_FALSE(bench.add("counts").run);
    auto second = bench.add("counts");
    EXPECT_TRUE(second.no_room);
    EXPECT_FALSE(second.run);
    EXPECT_EQ(bench.together->time().size(), 1u);
    second = bench.add("counts");
    EXPECT_FALSE(second.no_room || second.run);
    Bench none;
    none.device.most = 2;
    auto alone = none.add("counts");
    ASSERT_TRUE(alone.run);
    EXPECT_THAT(alone.run->record.error.value_or(""), HasSubstr("out of device memory"));
    EXPECT_EQ(alone.run->record.rung, "counts");
}

TEST(Together, can_be_stopped_and_who_has_samples_has_a_figure) {
    Bench bench;
    (void)bench.add("a"), (void)bench.add("b");
    auto none = bench.together->time([](double) { return false; });
    ASSERT_EQ(none.size(), 2u);
    EXPECT_FALSE(none[0].run || none[1].run);
    (void)bench.add("a"), (void)bench.add("b");
    double last = 0;
    auto some = bench.together->time([&](double part) { return (last = part) < 0.5; });
    EXPECT_GE(last, 0.5);
    EXPECT_TRUE(some[0].run && some[0].run->record.time);
    EXPECT_LT(some[0].run->record.time->samples, 50u);
}

}  // namespace interleaved_timing_test
}  // namespace warpwright::measure

// Sweeps over a made-up ladder on a made-up device: what runs, in which order, who is told, what is kept.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "../ladder/twice.hpp"
#include "arch/model.hpp"
#include "lab/sweep/sweep.hpp"
#include "lab/sweep/target.hpp"
#include "support/settings.hpp"

namespace warpwright::lab {
namespace sweep_test {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kLadder = ladder::test::twice(ladder::test::kDoublerRungs + R"toml(
[[rung]]
name = "wide"
source = "twice.ptx"
entry = "right"
axes = { W = [1, 2] }
[[rung]]
name = "words"
source = "twice.ptx"
entry = "right"
axes = { HOW = ["up", "down"] }
[[rung]]
name = "other_words"
source = "twice.ptx"
entry = "right"
axes = { HOW = ["up", "across"] }
[[rung]]
name = "large"
source = "twice.ptx"
entry = "right"
require = "n >= 100"
)toml",
                                                "\"f32\", \"f64\"");

/// With a clock, where one is wanted.
class Doubler final : public ladder::test::Doubler, public device::Timer {
public:
    device::Timer* timer() override { return clock ? this : nullptr; }
    Result<std::vector<double>> time(std::span<const device::Step>, const device::TimeRequest& request) override {
        return std::vector<double>(request.samples, 1e-3 * request.repeat);
    }
    bool clock = false;
};

struct Log final : Observer {
    void progress(const Progress& p) override {
        labels.push_back(p.label + " " + std::to_string(p.done) + "/" + std::to_string(p.total));
    }
    void failed(const Error& e) override { errors.push_back(e.text()); }
    void finished(const record::Record& r) override {
        records.push_back(r.name());
        if (records.size() == stop_after) cancel = true;
    }
    std::optional<record::Record> stored(const record::Record& wanted) override {
        for (const record::Record& r : kept)
            if (r.rung == wanted.rung && r.axes == wanted.axes && r.device == wanted.device) return r;
        return std::nullopt;
    }
    Error go_on(const Standing& s) override {
        standing = s;
        return Observer::go_on(s);
    }
    void leave() override { ++left; }
    Result<void> compiled() override {
        if (at_compiled) at_compiled();
        return no_further ? Result<void>(*no_further) : Result<void>{};
    }
    void ended(std::optional<ErrorKind> f, bool c) override { failure = f, cancelled = c, ++ends; }

    std::vector<std::string> labels, errors, records;
    std::vector<record::Record> kept;
    std::optional<Standing> standing;
    std::optional<ErrorKind> failure;
    bool cancelled = false;
    unsigned left = 0, ends = 0;
    std::size_t stop_after = 0;
    std::atomic<bool> cancel = false;
    std::function<void()> at_compiled;
    std::optional<Error> no_further;
};

const std::string kRungOfTheSize = R"toml(
[[rung]]
name = "of_the_size"
source = "twice.ptx"
entry = "right"
defines = { N = "n" }
)toml";

class SweepTest : public testing::Test {
protected:
    Context context() {
        Context c{device, model, true, std::make_shared<Target>()};
        c.observer = &log;
        c.cancel = &log.cancel;
        c.options.no_time = true;
        return c;
    }
    Result<record::RecordSet> run(const std::vector<std::string>& rungs, const Axes& axes = {{"T", {"f32"}}},
                                  const std::vector<Size>& sizes = {}) {
        return run_ladder(context(), folder.string(), rungs, axes, sizes);
    }
    ladder::test::TwiceFolder folder{kLadder};
    Doubler device;
    arch::DeviceModel model = *arch::load_model("h200");
    Log log;
};

std::vector<std::string> names(const record::RecordSet& set) {
    std::vector<std::string> out;
    for (const record::Record& r : set.records) {
        out.push_back(r.rung);
        for (const record::Axis& axis : r.axes) out.back() += " " + axis.text();
    }
    return out;
}

TEST_F(SweepTest, each_record_is_told_when_it_is_done_and_all_come_in_order) {
    auto set = run({"right", "wide", "large"}, {{"T", {"f32"}}}, {{8}, {100}});
    ASSERT_TRUE(set.ok()) << set.error().text();
    EXPECT_THAT(names(*set), ElementsAre("right 8 f32", "wide 8 f32 1", "wide 8 f32 2", "large 8 f32", "right 100 f32",
                                         "wide 100 f32 1", "wide 100 f32 2", "large 100 f32"));
    for (const record::Record& r : set->records)
        EXPECT_EQ(r.verified.has_value(), !r.left_out.has_value()) << r.rung << r.error.value_or("");
    EXPECT_EQ(set->records[3].left_out, "requires n >= 100");
    EXPECT_THAT(log.records, ElementsAre("right", "wide", "wide", "large", "right", "wide", "wide", "large"));
    EXPECT_THAT(log.labels, testing::Contains("compiling 0/8"));
    EXPECT_EQ(log.labels.back(), "large 8/8");
    EXPECT_EQ(log.ends, 1u);
    EXPECT_FALSE(log.failure);
    EXPECT_EQ(set->incomplete, "");
    EXPECT_EQ(set->environment.device, "fake");
    EXPECT_TRUE(device.memory.empty());
}

TEST_F(SweepTest, nothing_is_compiled_after_the_first_kernel_where_that_is_asked) {
    const ladder::test::TwiceFolder own(kLadder + kRungOfTheSize);
    log.at_compiled = [&] { std::filesystem::remove(own / "twice.ptx"); };
    for (const bool first : {true, false}) {
        const std::string source = own.write("twice.ptx", "\n");
        Context c = context();
        c.compile_first = first;
        auto set = run_ladder(c, own.string(), {"right", "of_the_size"}, {{"T", {"f32"}}}, {{8}, {9}});
        ASSERT_TRUE(set.ok()) << set.error().text();
        ASSERT_EQ(set->records.size(), 4u);
        for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(set->records[i].verified, true) << i;
        // The last one's macro is of the second size.
        EXPECT_EQ(set->records[3].verified.value_or(false), first);
        EXPECT_EQ(set->records[3].error.has_value(), !first);
    }
}

TEST_F(SweepTest, nothing_runs_where_it_must_not_after_compiling) {
    log.no_further = Error{ErrorKind::no_device, "no filter", {}, ""};
    auto set = run({"right"});
    ASSERT_FALSE(set.ok());
    EXPECT_EQ(set.error().what, "no filter");
    EXPECT_TRUE(log.records.empty());
}

TEST_F(SweepTest, what_fails_is_told_and_the_rest_goes_on) {
    auto set = run({"wrong", "faulty", "right"});
    ASSERT_TRUE(set.ok()) << set.error().text();
    ASSERT_EQ(set->records.size(), 3u);
    EXPECT_EQ(set->records[0].verified, true);
    EXPECT_EQ(set->records[1].verified, false);
    EXPECT_THAT(set->records[2].error.value_or(""), HasSubstr("a fault"));
    EXPECT_EQ(log.failure, ErrorKind::fault);
    EXPECT_THAT(log.errors, ElementsAre(HasSubstr("rung 'faulty': a fault")));
    EXPECT_EQ(log.left, 0u);
}

TEST_F(SweepTest, a_problem_that_cannot_be_made_is_the_error_where_there_is_no_other) {
    auto none = run({"right"}, {{"T", {"f32"}}}, {{5000}});
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(log.ends, 0u);
    auto set = run({"right"}, {{"T", {"f32"}}}, {{5000}, {8}});
    ASSERT_TRUE(set.ok());
    ASSERT_EQ(set->records.size(), 2u);
    EXPECT_TRUE(set->records[0].error);
    EXPECT_EQ(set->records[1].verified, true);
    EXPECT_EQ(log.errors.size(), 1u);
    EXPECT_TRUE(log.failure);
}

TEST_F(SweepTest, words_that_the_ladder_does_not_have_are_usage) {
    EXPECT_EQ(run({"nothing"}).error().kind, ErrorKind::usage);
    EXPECT_THAT(run({}, {{"U", {"1"}}}).error().text(), HasSubstr("no axis 'U'"));
    EXPECT_EQ(run({}, {}, {{1, 2}}).error().kind, ErrorKind::usage);
    EXPECT_FALSE(run_ladder(context(), "/nowhere").ok());
}

TEST_F(SweepTest, cancelled_it_gives_what_there_is_and_says_so) {
    log.stop_after = 2;
    auto set = run({"right", "wide"});
    ASSERT_TRUE(set.ok());
    EXPECT_THAT(names(*set), ElementsAre("right 8 f32", "wide 8 f32 1"));
    EXPECT_EQ(set->incomplete, "stopped after 2 of 3 steps");
    EXPECT_TRUE(log.cancelled);
    log.cancel = false;
    log.records.clear();
    log.stop_after = 3;
    EXPECT_EQ(run({"right", "wide"})->incomplete, "") << "nothing was left to do";
}

TEST_F(SweepTest, an_error_while_it_is_cancelled_is_no_result) {
    device.body = [this](const ladder::test::FakeDevice::Call&) -> Result<void> {
        log.cancel = true;
        return Error{ErrorKind::internal, "the compiler was stopped as well", {}, ""};
    };
    auto set = run({"right"});
    ASSERT_TRUE(set.ok());
    EXPECT_TRUE(set->records.empty());
    EXPECT_EQ(set->incomplete, "stopped after 0 of 1 steps");
    EXPECT_TRUE(log.errors.empty());
    EXPECT_FALSE(log.failure);
}

TEST_F(SweepTest, what_is_stored_is_taken_and_not_run) {
    auto first = run({"right", "wide"});
    ASSERT_TRUE(first.ok());
    log.kept = {first->records[1]};
    log.kept[0].notes = {"from before"};
    log.records.clear();
    const std::size_t before = device.calls.size();
    auto second = run({"right", "wide"});
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(names(*second), names(*first));
    EXPECT_THAT(second->records[1].notes, ElementsAre("from before"));
    EXPECT_THAT(log.records, ElementsAre("right", "wide")) << "what was stored is not told again";
    EXPECT_EQ(device.calls.size() - before, 2u);
}

TEST_F(SweepTest, where_the_device_is_gone_another_process_goes_on_with_what_is_left) {
    device.clock = device.breaks = true;
    auto set = run({"right", "faulty", "wide"});
    ASSERT_TRUE(set.ok());
    ASSERT_EQ(set->records.size(), 4u);
    EXPECT_EQ(set->records[0].verified, true);
    EXPECT_THAT(*set->records[3].error, HasSubstr("does not answer"));
    EXPECT_EQ(log.left, 1u);
    ASSERT_TRUE(log.standing);
    EXPECT_THAT(log.standing->done, ElementsAre(0u, 1u));
    EXPECT_EQ(log.standing->failure, ErrorKind::fault);

    device.gone = false;
    auto plan = make_plan(*ladder::read_ladder(folder.string()), {"right", "faulty", "wide"}, {{"T", {"f32"}}}, {});
    ASSERT_TRUE(plan.ok());
    Sweep other(context(), std::move(*plan));
    other.begin_at(*log.standing);
    const std::size_t before = device.calls.size();
    auto rest = other.run();
    ASSERT_TRUE(rest.ok());
    EXPECT_EQ(names(*rest), names(*set));
    EXPECT_EQ(device.calls.size() - before, 2u);
    EXPECT_EQ(rest->records[3].verified, true);
    EXPECT_EQ(other.failure(), ErrorKind::fault) << "of the earlier process";
}

TEST_F(SweepTest, a_value_that_one_rung_does_not_take_is_said_of_it_and_the_rest_goes_on) {
    auto set = run({"words", "other_words"}, {{"T", {"f32"}}, {"HOW", {"up", "down"}}});
    ASSERT_TRUE(set.ok()) << set.error().text();
    EXPECT_THAT(names(*set),
                ElementsAre("words 8 f32 up", "words 8 f32 down", "other_words 8 f32 up", "other_words 8 f32 down"));
    EXPECT_EQ(set->records[2].verified, true);
    EXPECT_THAT(set->records[3].error.value_or(""), HasSubstr("its axis 'HOW' has no value 'down'"));
    EXPECT_THAT(log.errors, ElementsAre(HasSubstr("rung 'other_words': its axis 'HOW'")));
    EXPECT_EQ(log.failure, ErrorKind::usage);
    auto none = run({"words", "other_words"}, {{"HOW", {"sideways"}}});
    EXPECT_THAT(none.error().text(), HasSubstr("the axis 'HOW' has no value 'sideways'")) << "no rung takes it";
}

TEST_F(SweepTest, a_size_is_an_axis_by_its_name) {
    auto set = run({"right"}, {{"T", {"f32"}}, {"n", {"16", "32", "16"}}});
    ASSERT_TRUE(set.ok()) << set.error().text();
    EXPECT_THAT(names(*set), ElementsAre("right 16 f32", "right 32 f32"));
    EXPECT_EQ(run({"right"}, {{"n", {"many"}}}).error().kind, ErrorKind::usage);
    EXPECT_EQ(run({"right"}, {{"n", {"-1"}}}).error().kind, ErrorKind::usage);
}

TEST_F(SweepTest, rungs_of_a_problem_on_a_clock_are_told_when_their_rounds_end_and_begin_again_after_a_fault) {
    device.clock = true;
    Context c = context();
    c.options.no_time = false;
    auto set = run_ladder(c, folder.string(), {"right", "faulty", "wide"}, {{"T", {"f32"}}}, {{8}, {9}});
    ASSERT_TRUE(set.ok()) << set.error().text();
    // The fault of a device that stays: its rung is out, what waited is verified once more, and all others are timed.
    EXPECT_THAT(names(*set), ElementsAre("right 8 f32", "faulty 8 f32", "wide 8 f32 1", "wide 8 f32 2", "right 9 f32",
                                         "faulty 9 f32", "wide 9 f32 1", "wide 9 f32 2"));
    for (const record::Record& r : set->records)
        EXPECT_EQ(r.time.has_value(), r.rung != "faulty") << r.error.value_or("");
    EXPECT_THAT(log.records, ElementsAre("faulty", "right", "wide", "wide", "faulty", "right", "wide", "wide"));
    EXPECT_EQ(log.errors.size(), 2u);
    EXPECT_EQ(log.left, 0u);
    EXPECT_TRUE(device.memory.empty());
}

TEST_F(SweepTest, a_sweep_that_is_cancelled_keeps_the_problems_before) {
    device.clock = true;
    Context c = context();
    c.options.no_time = false;
    log.stop_after = 2;
    auto set = run_ladder(c, folder.string(), {"right", "wide"}, {{"T", {"f32"}}, {"W", {"1"}}}, {{8}, {9}});
    ASSERT_TRUE(set.ok());
    EXPECT_THAT(names(*set), ElementsAre("right 8 f32", "wide 8 f32 1"));
    EXPECT_EQ(set->incomplete, "stopped after 2 of 4 steps");
}

TEST(LadderWords, ranges_go_by_one_by_a_step_by_a_factor_or_by_powers) {
    const auto numbers = [](const char* text) { return *parse_numbers(text, "it"); };
    EXPECT_THAT(numbers("4..7"), ElementsAre(4, 5, 6, 7));
    EXPECT_THAT(numbers("8..30:8"), ElementsAre(8, 16, 24));
    EXPECT_THAT(numbers("8..64:*2"), ElementsAre(8, 16, 32, 64));
    EXPECT_THAT(numbers("2^9..2^12"), ElementsAre(512, 1024, 2048, 4096));
    EXPECT_THAT(numbers("10^0..10^3"), ElementsAre(1, 10, 100, 1000));
    EXPECT_THAT(numbers("2^3..9"), ElementsAre(8, 9));
    EXPECT_THAT(numbers("5..5"), ElementsAre(5));
    EXPECT_THAT(numbers("2^52..2^53:*2").size(), 2u);
    EXPECT_THAT(numbers("3*64"), ElementsAre(192));
    for (const char* bad :
         {"7..4", "1..100000", "1..4:0", "1..4:*1", "0..4:*2", "1..4:", "..4", "1..", "a..b", "1..4:-1"})
        EXPECT_FALSE(parse_numbers(bad, "it").ok()) << bad;
}

TEST(LadderWords, sizes_and_axes_take_ranges) {
    EXPECT_THAT(*parse_sizes("2^3..2^5", 2), ElementsAre(Size{8, 8}, Size{16, 16}, Size{32, 32}));
    EXPECT_THAT(*parse_sizes("1..2x8", 2), ElementsAre(Size{1, 8}, Size{2, 8}));
    EXPECT_THAT(*parse_sizes("1..2x8..16:8", 2), ElementsAre(Size{1, 8}, Size{1, 16}, Size{2, 8}, Size{2, 16}));
    EXPECT_THAT(*parse_sizes("64x32x128", 3), ElementsAre(Size{64, 32, 128}));
    for (const char* bad : {"1..2x3", "0..99x0..99", "x..2", "-3..-1"}) EXPECT_FALSE(parse_sizes(bad, 3).ok()) << bad;
    auto axes = parse_axes({"T=f32,f8e4m3", "TILE=8,2^4,24..32:8", "N=2^9..2^10"});
    ASSERT_TRUE(axes.ok()) << axes.error().text();
    EXPECT_THAT((*axes)["T"], ElementsAre("f32", "f8e4m3"));
    EXPECT_THAT((*axes)["TILE"], ElementsAre("8", "16", "24", "32"));
    EXPECT_THAT((*axes)["N"], ElementsAre("512", "1024"));
    EXPECT_FALSE(parse_axes({"TILE=8..4"}).ok());
}

TEST_F(SweepTest, problems_stand_together_and_an_axis_of_the_ladder_makes_another) {
    auto ladder = ladder::read_ladder(folder.string());
    ASSERT_TRUE(ladder.ok()) << ladder.error().text();
    auto plan = make_plan(*ladder, {"right", "wide"}, {}, {{8}, {9}});
    ASSERT_TRUE(plan.ok());
    std::vector<std::size_t> problems;
    for (const Step& step : plan->steps) problems.push_back(step.problem);
    EXPECT_THAT(problems, ElementsAre(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3));
    EXPECT_EQ(plan->steps[3].rung->name, "right");
    EXPECT_EQ(plan->steps[3].variant[0].second.text, "f64");
    EXPECT_EQ(plan->steps[3].rung, &plan->ladder->rungs[0]) << "of the plan's own ladder";
}

// A machine with a GPU often has NVRTC and no clang.
TEST(Target, WithoutClangNvrtcCompilesForTheEmulatedDevice) {
    const std::string before = settings::text(Setting::clang);
    settings::choose(Setting::clang, "/nonexistent/clang++");
    Target target;
    const auto ptx = compile_to_ptx(WARPWRIGHT_SOURCE_DIR "/kernels/vecadd/01_plain.cu", {}, {}, target);
    if (before.empty())
        ::unsetenv(settings::variable(Setting::clang));
    else
        settings::choose(Setting::clang, before);
    if (const auto nvrtc = compile::Nvrtc::open(compile::NvrtcSearch::of_machine(), 0); nvrtc) {
        ASSERT_TRUE(ptx) << ptx.error().text();
        EXPECT_THAT(*ptx, HasSubstr(".entry"));
        EXPECT_THAT(compilers_text(target), HasSubstr((*nvrtc)->text() + " for compute_80"));
    } else {
        ASSERT_FALSE(ptx);
        EXPECT_EQ(ptx.error().kind, ErrorKind::no_device);
        EXPECT_THAT(ptx.error().text(), HasSubstr("clang"));
    }
}

}  // namespace sweep_test
}  // namespace warpwright::lab

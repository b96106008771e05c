// Which launches are simulated, what time the others take, and what is said where no time can be predicted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "predict/error_class.hpp"
#include "predict/launch_work.hpp"
#include "predict/prediction.hpp"

namespace warpwright::predict {
namespace prediction_test {

using record::Count;
using testing::HasSubstr;

class Prediction : public testing::Test {
protected:
    void SetUp() override {
        auto loaded = arch::load_model("h200");
        ASSERT_TRUE(loaded.ok());
        model = *loaded;
    }

    /// A launch of one block whose only warp multiplies 100 times; `times` as much counted.
    Work launch(std::uint64_t times, bool traced) {
        Work work;
        work.block = {32, 1, 1};
        work.registers = 32;
        work.counts[Count::instructions] = work.counts[Count::mix_fp32] = 100 * times;
        if (!traced) return work;
        auto code = std::make_shared<machine::Code>();
        machine::Block block;
        for (unsigned i = 0; i < 100; ++i) {
            machine::Op op;
            op.pipe = machine::Pipe::fp32;
            op.in = {i}, op.out = {i + 1};
            block.ops.push_back(op);
        }
        block.slots = block.counted = code->instructions = 100;
        code->values = 101;
        code->blocks.push_back(block);
        auto trace = std::make_shared<machine::LaunchTrace>();
        trace->code = code;
        trace->blocks = 1;
        trace->sample.resize(1);
        trace->sample[0].warps.resize(1);
        trace->sample[0].warps[0].events.push_back({0, 32, 0, 0, 0});
        work.trace = trace;
        return work;
    }

    arch::DeviceModel model;
};

TEST_F(Prediction, lines_have_their_part_of_the_stalls) {
    Work work = launch(1, true);
    // The first 30 operations are of line 7, the others of line 9.
    simt::Details seven, nine;
    seven.source = {0, 7}, nine.source = {0, 9};
    auto code = std::make_shared<machine::Code>(*work.trace->code);
    code->files = {"k.cu"};
    for (unsigned k = 0; k < 100; ++k) code->blocks[0].ops[k].ptx = k < 30 ? &seven : &nine;
    auto trace = std::make_shared<machine::LaunchTrace>(*work.trace);
    trace->code = code;
    work.trace = trace;
    EXPECT_TRUE(simulated(work, model)->lines.empty()) << "nobody asked for lines";
    work.per_line = true;
    const auto p = simulated(work, model);
    ASSERT_TRUE(p) << p.error().text();
    ASSERT_EQ(p->lines.size(), 2u);
    const auto *first = p->line("k.cu", 7), *second = p->line("k.cu", 9);
    ASSERT_TRUE(first && second);
    EXPECT_NEAR(first->stalls.at("selected"), 0.3, 1e-9);
    EXPECT_NEAR(second->stalls.at("selected"), 0.7, 1e-9);
    for (const auto& [state, cycles] : p->stalls) {
        double sum = 0;
        for (const auto& line : p->lines)
            if (const auto at = line.stalls.find(state); at != line.stalls.end()) sum += at->second;
        EXPECT_NEAR(sum, cycles, 1e-9) << state;
    }
}

TEST_F(Prediction, has_its_figures_and_its_stated_error) {
    const auto p = simulated(launch(1, true), model);
    ASSERT_TRUE(p) << p.error().text();
    EXPECT_EQ(p->method, record::Predicted::kSimulated);
    for (const record::FigureInfo& f : record::figures()) EXPECT_TRUE((*p).*f.value) << f.key;
    EXPECT_GT(p->seconds, *p->start_seconds);
    EXPECT_EQ(p->error, Stated::kMedianError);
    EXPECT_EQ(p->outside, "");
    EXPECT_GT(p->stalls.at("wait"), 0);
    EXPECT_GT(p->peaks.at("issue"), 0);
    model.compute_capability = 70;
    const auto older = simulated(launch(1, true), model);
    ASSERT_TRUE(older);
    EXPECT_FALSE(older->error);
    EXPECT_THAT(older->outside, HasSubstr("H200 only"));
}

TEST_F(Prediction, has_an_interval_by_what_binds_it) {
    const auto p = simulated(launch(1, true), model);
    ASSERT_TRUE(p && p->seconds_low && p->seconds_high);
    EXPECT_EQ(p->error_class, "start") << "nearly all of it is what any launch takes";
    EXPECT_LT(*p->seconds_low, p->seconds);
    EXPECT_GT(*p->seconds_high, p->seconds);
    const auto& of = error_class_of(*p, false);
    EXPECT_DOUBLE_EQ(*p->seconds_low, of.low * p->seconds);
    EXPECT_DOUBLE_EQ(*p->seconds_high, of.high * p->seconds);
    record::Predicted other;
    other.seconds = 1e-3, other.peaks["DRAM"] = 0.8;
    EXPECT_EQ(error_class_of(other, false).name, "memory");
    EXPECT_EQ(error_class_of(other, true).name, "memory, simulated in part");
    other.peaks["DRAM"] = 0.2, other.peaks["tensor"] = 0.7;
    EXPECT_EQ(error_class_of(other, false).name, "units");
    other.peaks["tensor"] = 0.3, other.issue = 0.6;
    EXPECT_EQ(error_class_of(other, false).name, "issue");
    other.issue = 0.1;
    EXPECT_EQ(error_class_of(other, false).name, "latency");
    EXPECT_EQ(error_class_of(other, true, true).name, "others, simulated in part");
    model.compute_capability = 70;
    EXPECT_FALSE(simulated(launch(1, true), model)->seconds_low) << "nothing was measured there";
}

TEST(ErrorClass, is_another_one_where_a_kernel_looks_at_what_other_blocks_do) {
    machine::Code code;
    code.blocks.resize(2);
    const auto looks = [&](const machine::Op& op) {
        code.blocks[1].ops = {op};
        return looks_at_others(code);
    };
    machine::Op load, fence, atomic;
    load.effect = machine::Effect::load, load.out = {1};
    EXPECT_FALSE(looks(load));
    load.past_first = true;
    EXPECT_TRUE(looks(load));
    fence.effect = machine::Effect::fence;
    EXPECT_FALSE(looks(fence)) << "one of the block";
    fence.waits_stores = true;
    EXPECT_TRUE(looks(fence));
    atomic.effect = machine::Effect::atomic;
    EXPECT_FALSE(looks(atomic)) << "a reduction";
    atomic.out = {1};
    EXPECT_TRUE(looks(atomic));
    atomic.space = simt::Space::shared;
    EXPECT_FALSE(looks(atomic));
}

/// A launch whose only block loads 64 sectors of an allocation that has very many.
Work loads_a_part(Work work, std::uint64_t allocation) {
    work.counts[Count::global_load_sectors] = 1'000'000;
    work.touched = record::Touched{allocation, 0};
    if (!work.trace) return work;
    auto trace = std::make_shared<machine::LaunchTrace>(*work.trace);
    auto& block = trace->sample[0];
    for (std::uint32_t k = 0; k < 64; ++k) {
        block.warps[0].events.push_back({machine::Event::kAccess, 32, k, 1, 1});
        block.sectors.push_back(k);
    }
    trace->areas = {{0, allocation / 32}};
    work.trace = trace;
    narrow_touched(work);
    return work;
}

TEST_F(Prediction, a_part_of_an_allocation_is_no_more_in_the_bound_than_in_the_time) {
    constexpr std::uint64_t kAllocation = std::uint64_t{1} << 28;
    Predictor predictor(model, Simulate::within_budget);
    for (int number = 1; number <= 9; ++number) {
        const bool traced = predictor.blocks_to_trace("k", launch(1, false)) > 0;
        Work work = loads_a_part(launch(1, traced), kAllocation);
        const auto p = predictor.predict("k", work);
        ASSERT_TRUE(p) << p.error().text();
        EXPECT_EQ(work.touched->read, 64u * 32) << number << ": of the others as of the last that kept its trace";
        EXPECT_LE(bound(work, model).seconds, p->seconds) << number;
    }
    // Nothing is known of another kernel's.
    Work work = loads_a_part(launch(1, false), kAllocation);
    (void)predictor.predict("another", work);
    EXPECT_EQ(work.touched->read, kAllocation);
}

TEST_F(Prediction, is_never_below_what_the_counts_need) {
    Work work = launch(1, true);
    work.counts[Count::mix_special] = 1'000'000'000;  // that the trace has not: as where a sample misses the rest
    const auto p = simulated(work, model);
    ASSERT_TRUE(p);
    EXPECT_DOUBLE_EQ(p->seconds, bound(work, model).seconds);
}

TEST_F(Prediction, says_why_there_is_none) {
    Work work = launch(1, true);
    work.shared = 1 << 30;
    EXPECT_THAT(simulated(work, model).error().what, HasSubstr("cannot be launched on h200"));
    EXPECT_THAT(simulated(launch(1, false), model).error().what, HasSubstr("not simulated"));
    Predictor none(model, Simulate::none);
    EXPECT_EQ(none.blocks_to_trace("k", launch(1, false)), 0u);
    EXPECT_THAT(none.predict("k", launch(1, false)).error().what, HasSubstr("turned off"));
}

TEST_F(Prediction, launches_1_2_4_and_so_on_are_simulated_and_the_others_follow_from_them) {
    Predictor predictor(model, Simulate::within_budget);
    std::vector<int> simulated_ones;
    std::vector<double> seconds;
    for (int number = 1; number <= 9; ++number) {
        const bool traced = predictor.blocks_to_trace("k", launch(1, false)) > 0;
        if (traced) simulated_ones.push_back(number);
        // The ninth does three times as much.
        const auto p = predictor.predict("k", launch(number == 9 ? 3 : 1, traced));
        ASSERT_TRUE(p) << p.error().text();
        EXPECT_EQ(p->simulated, traced ? 1u : 0u);
        seconds.push_back(p->seconds);
    }
    EXPECT_EQ(simulated_ones, (std::vector{1, 2, 4, 8}));
    EXPECT_DOUBLE_EQ(seconds[2], seconds[1]);
    const double start = *predictor.predict("k", launch(1, false))->start_seconds;
    EXPECT_NEAR(seconds[8] - start, 3 * (seconds[7] - start), 1e-12);
    EXPECT_GT(predictor.blocks_to_trace("another", launch(1, false)), 0u) << "of each kernel the first";
}

TEST_F(Prediction, seconds_alone_are_those_of_the_whole) {
    Predictor whole(model, Simulate::within_budget), alone(model, Simulate::within_budget);
    for (int number = 1; number <= 9; ++number) {
        const bool traced = whole.blocks_to_trace("k", launch(1, false)) > 0;
        EXPECT_EQ(alone.blocks_to_trace("k", launch(1, false)) > 0, traced);
        // The seventh does three times as much, and the ninth next to nothing: its bound is its time.
        Work work = loads_a_part(launch(number == 7 ? 3 : 1, traced), std::uint64_t{1} << (number == 9 ? 38 : 28));
        Work same = work;
        const auto p = whole.predict("k", work);
        const auto seconds = alone.seconds("k", same);
        ASSERT_TRUE(p && seconds);
        EXPECT_EQ(*seconds, p->seconds) << number;
        EXPECT_EQ(same.touched->read, work.touched->read) << number;
    }
    Work none = launch(1, false);
    EXPECT_EQ(alone.seconds("another", none).error().what, whole.predict("another", none).error().what);
}

TEST_F(Prediction, grids_and_blocks_of_other_shapes_are_kinds_of_their_own) {
    const auto first_is_traced = [&](auto change) {
        Predictor predictor(model, Simulate::within_budget);
        Work work = launch(1, false);
        work.grid = {2, 6, 1}, work.block = {16, 4, 1};
        for (int i = 0; i < 2; ++i) predictor.blocks_to_trace("k", work);
        change(work);
        return predictor.blocks_to_trace("k", work) > 0;  // the third of a kind is not
    };
    EXPECT_FALSE(first_is_traced([](Work&) {}));
    EXPECT_TRUE(first_is_traced([](Work& w) { w.grid = {2, 3, 2}; }));
    EXPECT_TRUE(first_is_traced([](Work& w) { w.block = {4, 16, 1}; }));
    EXPECT_TRUE(first_is_traced([](Work& w) { w.block = {4, 4, 4}; }));
}

TEST_F(Prediction, all_means_all) {
    Predictor predictor(model, Simulate::all);
    for (int i = 0; i < 5; ++i) EXPECT_GT(predictor.blocks_to_trace("k", launch(1, false)), 0u);
}

TEST_F(Prediction, of_launches_that_share_their_trace_one_is_simulated) {
    Predictor predictor(model, Simulate::all);
    Work work = launch(1, true);
    const auto shared = std::make_shared<machine::LaunchTrace>(*work.trace);
    work.trace = shared;
    const auto first = predictor.predict("k", work);
    ASSERT_TRUE(first);
    auto& events = shared->sample[0].warps[0].events;
    for (int k = 0; k < 9; ++k) events.push_back(events[0]);  // (Nobody does that outside of a test.)
    EXPECT_EQ(predictor.predict("k", work)->seconds, first->seconds) << "it was not looked at again";
    work.counts[Count::instructions] *= 2;
    EXPECT_NE(predictor.predict("k", work)->seconds, first->seconds) << "another launch, though of the same trace";
}

TEST_F(Prediction, a_trace_of_another_content_is_simulated) {
    Predictor predictor(model, Simulate::all);
    Work work = launch(1, true);
    const auto first = predictor.predict("k", work);
    ASSERT_TRUE(first);
    const auto again = [&](auto change) {
        auto trace = std::make_shared<machine::LaunchTrace>(*work.trace);
        change(*trace);
        Work other = work;
        other.trace = std::move(trace);
        const auto p = predictor.predict("k", other);
        EXPECT_EQ(p->seconds, simulated(other, model)->seconds);
        return p->seconds;
    };
    EXPECT_EQ(again([](auto&) {}), first->seconds);
    EXPECT_GT(again([](auto& t) { t.sample[0].warps[0].events.resize(9, t.sample[0].warps[0].events[0]); }),
              first->seconds);
    EXPECT_GT(again([](auto& t) {
                  auto code = std::make_shared<machine::Code>(*t.code);
                  for (auto& op : code->blocks[0].ops) op.pipe = machine::Pipe::fp64;
                  t.code = code;
              }),
              first->seconds);
}

TEST_F(Prediction, beyond_the_budget_there_is_the_bound_and_the_reason) {
    Predictor predictor(model, Simulate::within_budget);
    Work large = launch(1'000'000, true);  // one block of a million times the work that its trace has
    ASSERT_TRUE(predictor.predict("large", large));
    EXPECT_EQ(predictor.blocks_to_trace("next", launch(1, false)), 0u);
    EXPECT_THAT(predictor.predict("next", launch(1, false)).error().what, HasSubstr("budget"));
    EXPECT_TRUE(predictor.predict("large", launch(1, false))) << "its own kind still has a time";
}

TEST(Simulate, has_three_choices) {
    EXPECT_EQ(parse_simulate("off"), Simulate::none);
    EXPECT_EQ(parse_simulate("0"), Simulate::none);
    EXPECT_EQ(parse_simulate("auto"), Simulate::within_budget);
    EXPECT_EQ(parse_simulate("all"), Simulate::all);
    EXPECT_EQ(parse_simulate("1"), Simulate::all);
    EXPECT_FALSE(parse_simulate("some"));
}

TEST(Stated, errors_are_those_of_the_docs) {
    std::ifstream in(std::string(WARPWRIGHT_SOURCE_DIR) + "/docs/timing.md");
    std::stringstream text;
    text << in.rdbuf();
    char row[80];
    std::snprintf(row, sizeof row, "| %.1f %% | %.1f %% |", 100 * Stated::kMedianError, 100 * Stated::kNinetiethError);
    EXPECT_THAT(text.str(), HasSubstr(row));
}

}  // namespace prediction_test
}  // namespace warpwright::predict

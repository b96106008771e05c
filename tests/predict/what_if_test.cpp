// What a launch would do without one of its defects: the traces that are made for it.
#include "predict/what_if.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace warpwright::predict {
namespace what_if_test {

using machine::Event;

/// A warp that runs these blocks of code, each with one load of one sector, from `sector` on.
machine::WarpTrace warp_of(machine::BlockTrace& block, const std::vector<std::uint32_t>& codes, std::uint32_t sector) {
    machine::WarpTrace out;
    for (const std::uint32_t code : codes) {
        out.events.push_back({code, 32, 0, 0, 0});
        out.events.push_back({Event::kAccess, 32, static_cast<std::uint32_t>(block.sectors.size()), 1, 1});
        block.sectors.push_back(sector++);
    }
    return out;
}

TEST(WhatIf, a_warp_that_goes_another_way_is_not_widened_with_its_neighbours) {
    Altered a;
    a.work.grid = {1, 1, 1};
    a.code.blocks.resize(3);
    auto& block = a.trace.sample.emplace_back();
    block.warps.push_back(warp_of(block, {0, 1, 2}, 100));
    block.warps.push_back(warp_of(block, {0}, 200));
    block.warps.push_back(warp_of(block, {0, 1, 2}, 300));
    block.warps.push_back(warp_of(block, {0, 1, 2}, 400));
    widen(a);
    ASSERT_EQ(a.trace.sample.size(), 1u);
    const auto& wide = a.trace.sample[0];
    ASSERT_GE(wide.warps.size(), 2u);
    ASSERT_EQ(wide.warps[0].events.size(), 6u);
    for (std::size_t k = 1; k < 6; k += 2) {
        const Event& e = wide.warps[0].events[k];
        ASSERT_EQ(e.count, 3) << "of three warps";
        const std::uint32_t at = static_cast<std::uint32_t>(k / 2);
        EXPECT_EQ(wide.sectors[e.first], 100 + at);
        EXPECT_EQ(wide.sectors[e.first + 1], 300 + at);
        EXPECT_EQ(wide.sectors[e.first + 2], 400 + at);
    }
    ASSERT_EQ(wide.warps[1].events.size(), 2u);
    EXPECT_EQ(wide.warps[1].events[1].count, 1);
    EXPECT_EQ(wide.sectors[wide.warps[1].events[1].first], 200u);
}

/// Operations of one block that stand on these lines, in their order.
std::vector<machine::Op> ops_on(const std::vector<std::uint32_t>& lines, std::deque<simt::Details>& details) {
    std::vector<machine::Op> out;
    for (const std::uint32_t line : lines) {
        auto& d = details.emplace_back(*simt::decode("mul.f32"));
        d.source.line = line;
        out.emplace_back().ptx = &d;
    }
    return out;
}

TEST(WhatIf, what_has_no_line_goes_with_its_neighbours) {
    const MathLines lines{{{0, 7}, 1}};
    std::deque<simt::Details> details;
    using Flags = std::vector<bool>;
    EXPECT_EQ(of_math_lines(ops_on({7, 0, 3, 0}, details), lines), (Flags{true, true, false, false}));
    EXPECT_EQ(of_math_lines(ops_on({0, 3, 0}, details), lines), (Flags{false, false, false}));
    EXPECT_EQ(of_math_lines(ops_on({0, 0}, details), lines), (Flags{true, true})) << "a block of the library's";
    EXPECT_EQ(of_math_lines(ops_on({0, 7}, details), {}), (Flags{false, false}));
}

TEST(WhatIf, what_would_change_nothing_is_not_simulated_again) {
    const auto model = arch::load_model("h200").value();
    auto trace = std::make_shared<machine::LaunchTrace>();
    auto code = std::make_shared<machine::Code>();
    machine::Op load;
    load.pipe = machine::Pipe::memory, load.effect = machine::Effect::load, load.space = simt::Space::global;
    load.bytes = 4, load.access = 0, load.out = {0};
    code->values = 1, code->instructions = 1;
    code->blocks.emplace_back().ops = {load};
    code->blocks[0].slots = code->blocks[0].accesses = 1;
    trace->code = code, trace->blocks = 1, trace->stride = model.sm.multiprocessors;
    auto& block = trace->sample.emplace_back();
    block.warps.push_back(warp_of(block, {0}, 100));
    Work work;
    work.grid = {1, 1, 1}, work.block = {32, 1, 1}, work.registers = 32;
    work.trace = trace;
    constexpr double kNow = 42;  // what no simulation comes to
    EXPECT_EQ(seconds_if(work, model, kNow, [](Altered&) {}), kNow);
    EXPECT_EQ(seconds_if(work, model, kNow, [](Altered& a) { coalesce(a, true); }), kNow) << "one sector is one";
    const auto differs = [&](const std::function<void(Altered&)>& alter) {
        const auto seconds = seconds_if(work, model, kNow, alter);
        return seconds && *seconds < kNow;
    };
    EXPECT_TRUE(differs([](Altered& a) { a.trace.sample[0].warps[0].events[1].passes = 2; }));
    EXPECT_TRUE(differs([](Altered& a) { a.trace.sample[0].sectors[0] = 101; }));
    EXPECT_TRUE(differs([](Altered& a) { a.code.blocks[0].ops[0].issues = 2; }));
    EXPECT_TRUE(differs([](Altered& a) { a.work.registers = 33; }));
    EXPECT_TRUE(differs(hold_all_code));
}

/// Of a launch that keeps the load/store unit busy: no change takes it longer than what is asked for at least.
TEST(WhatIf, a_simulation_ends_where_nobody_wants_to_know_more) {
    const auto model = arch::load_model("h200").value();
    auto trace = std::make_shared<machine::LaunchTrace>();
    auto code = std::make_shared<machine::Code>();
    machine::Op load;
    load.pipe = machine::Pipe::memory, load.effect = machine::Effect::load, load.space = simt::Space::shared;
    load.bytes = 4, load.access = 0, load.out = {0};
    code->values = 1, code->instructions = 1;
    code->blocks.emplace_back().ops = {load};
    code->blocks[0].slots = code->blocks[0].accesses = 1;
    trace->code = code, trace->blocks = 8, trace->stride = model.sm.multiprocessors;
    auto& block = trace->sample.emplace_back();
    for (auto& warp : (block.warps.resize(8), block.warps))
        for (unsigned k = 0; k < 500; ++k) {
            warp.events.push_back({0, 32, 0, 0, 0});
            warp.events.push_back({Event::kAccess, 32, 0, 0, 32});
        }
    Work work;
    work.grid = {1, 1, 1}, work.block = {256, 1, 1}, work.registers = 32;
    work.trace = trace;
    const auto fewer = [](std::uint16_t passes) {
        return [passes](Altered& a) {
            for (auto& w : a.trace.sample[0].warps)
                for (auto& e : w.events) e.passes = std::min(e.passes, passes);
        };
    };
    const auto some = seconds_if(work, model, 42, fewer(30)), much = seconds_if(work, model, 42, fewer(4));
    ASSERT_TRUE(some && much);
    const double enough = (*some + *much) / 2;
    EXPECT_EQ(seconds_if(work, model, 42, fewer(30), enough), std::numeric_limits<double>::infinity());
    EXPECT_EQ(seconds_if(work, model, 42, fewer(4), enough), much);
}

}  // namespace what_if_test
}  // namespace warpwright::predict

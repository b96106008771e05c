// What a launch would do without one of its defects: the traces that are made for it.
#include "predict/what_if.hpp"

#include <deque>
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

}  // namespace what_if_test
}  // namespace warpwright::predict

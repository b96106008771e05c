// What holds a whole program back, from when its kernels and copies ran.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/program_causes.hpp"

namespace warpwright::profile {
namespace program_causes_test {

std::string names(const std::vector<record::Bottleneck>& causes) {
    std::string out;
    for (const auto& b : causes) out += (out.empty() ? "" : " ") + b.cause;
    return out;
}

enum class What : std::uint8_t { kernel, copy };

void ran(ProgramTimes& t, What what, double begin, double end) {
    t.all.add(begin, end);
    if (what == What::copy) {
        t.links.add(begin, end), t.link_seconds += end - begin;
        return;
    }
    t.kernels.add(begin, end), t.kernel_seconds += end - begin;
    ++t.launches, t.starts += 1e-6;
}

TEST(BusyTimes, join_where_they_touch_and_are_subtracted) {
    BusyTimes a, b;
    a.add(0, 2), a.add(1, 3), a.add(5, 6), a.add(5.5, 7);
    EXPECT_DOUBLE_EQ(a.sum(), 5);
    EXPECT_EQ(a.intervals().size(), 2u);
    b.add(2, 5.25), b.add(6.5, 9);
    EXPECT_DOUBLE_EQ(sum_without(a, b), 5 - 1 - 0.25 - 0.5);
    EXPECT_DOUBLE_EQ(sum_without(b, a), 5.75 - 1.75);
}

TEST(ProgramCauses, copies_of_pageable_memory_could_be_twice_as_fast) {
    ProgramTimes t;
    ran(t, What::copy, 0, 8e-3), ran(t, What::kernel, 8e-3, 9e-3), ran(t, What::copy, 9e-3, 17e-3);
    t.copied = t.pageable = 2e8, t.pageable_seconds = 16e-3, t.pinned_seconds = 6e-3;
    const auto causes = program_causes(t);
    EXPECT_EQ(names(causes), "pageable_copies");
    EXPECT_NEAR(causes[0].share, 10.0 / 17, 1e-9);
    EXPECT_NEAR(causes[0].evidence.at("rate_percent"), 37.5, 1e-9);
    // Page-locked, there is nothing else to mend: the program is its copies.
    t.pageable = t.pageable_seconds = t.pinned_seconds = 0;
    EXPECT_EQ(names(program_causes(t)), "transfers");
}

TEST(ProgramCauses, copies_that_are_made_again_need_not_be) {
    ProgramTimes t;
    for (int k = 0; k < 10; ++k) {
        ran(t, What::copy, k * 3e-3, k * 3e-3 + 2e-3);
        ran(t, What::kernel, k * 3e-3 + 2e-3, k * 3e-3 + 3e-3);
        if (k > 0) t.repeated_seconds += 2e-3;
    }
    const auto causes = program_causes(t);
    ASSERT_EQ(names(causes), "transfers");
    EXPECT_NEAR(causes[0].share, 20.0 / 30, 0.07);
}

TEST(ProgramCauses, of_two_that_save_about_as_much_the_smaller_change_comes_first) {
    const auto first = [](int rounds) {
        ProgramTimes t;
        for (int k = 0; k < rounds; ++k) {
            ran(t, What::copy, k * 11e-3, k * 11e-3 + 10e-3);
            ran(t, What::kernel, k * 11e-3 + 10e-3, k * 11e-3 + 11e-3);
            if (k > 0) t.repeated_seconds += 10e-3;
            t.pageable_seconds += 10e-3, t.pinned_seconds += 3e-3;
        }
        t.copied = t.pageable = 1e8;
        return names(program_causes(t));
    };
    EXPECT_EQ(first(4), "pageable_copies transfers") << "70 and 75 % of the copies";
    EXPECT_EQ(first(12), "transfers pageable_copies") << "70 and 92 %";
}

TEST(ProgramCauses, a_wait_behind_each_launch_leaves_the_device_idle) {
    ProgramTimes t;
    for (int k = 0; k < 100; ++k) ran(t, What::kernel, k * 20e-6, k * 20e-6 + 15e-6);
    t.waits = 100;
    const auto waiting = program_causes(t);
    ASSERT_EQ(names(waiting), "host_waits");
    EXPECT_NEAR(waiting[0].share, 0.25, 0.01);
    // One wait at the end: nothing is lost to waiting.
    ProgramTimes once;
    for (int k = 0; k < 100; ++k) ran(once, What::kernel, k * 15e-6, k * 15e-6 + 15e-6);
    once.waits = 1;
    EXPECT_EQ(names(program_causes(once)), "");
}

TEST(ProgramCauses, many_launches_of_almost_nothing) {
    ProgramTimes t;
    for (int k = 0; k < 1000; ++k) ran(t, What::kernel, k * 3e-6, k * 3e-6 + 1.5e-6);
    t.waits = 1;
    const auto causes = program_causes(t);
    ASSERT_EQ(names(causes), "launch_overhead");
    EXPECT_EQ(causes[0].way, "program");
    EXPECT_THAT(evidence_english(causes[0]), testing::HasSubstr("1,000 launches, 1.5"));
}

TEST(ProgramCauses, of_a_program_that_ran_nothing_there_are_none) { EXPECT_TRUE(program_causes({}).empty()); }

}  // namespace program_causes_test
}  // namespace warpwright::profile

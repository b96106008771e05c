// Our choice of counters, and (where a real CUPTI is installed, which needs no GPU for this) that chips have them.
#include "cupti/metrics.hpp"

#include <gtest/gtest.h>

#include <set>

#include "profile/cupti.hpp"

namespace warpwright::cupti {
namespace metrics_test {

TEST(Metrics, TheDurationIsAlwaysTaken) {
    const auto m = metrics_for({"flops_f32"});
    ASSERT_EQ(m.size(), 2u);
    EXPECT_EQ(m[0].name, kDuration);
    EXPECT_EQ(m[1].counts, (std::vector{record::Count::flops, record::Count::flops_f32}));
}

TEST(Metrics, ASumTakesAllItsPartsOnce) {
    EXPECT_EQ(metrics_for({"global_atomic_sectors", "global_atomic_sectors"}).size(), 3u);
    EXPECT_EQ(metrics_for({"barriers"}).size(), 1u);  // the hardware has no counter for it
    EXPECT_EQ(metrics_for({"sm__cycles_elapsed.max"})[1].name, "sm__cycles_elapsed.max");
}

TEST(Metrics, EachCounterIsTakenOnceForAllItsCounts) {
    std::set<std::string> names;
    for (const auto& m : metrics_for({})) EXPECT_TRUE(names.insert(m.name).second) << m.name;
    EXPECT_EQ(metrics_for({"flops"}).size(), 4u);
    EXPECT_EQ(metrics_for({"flops", "flops_f16", "flops_f32"}).size(), 4u);
}

TEST(Metrics, WhatIsDerivedTakesAllItsCounts) {
    const auto m = metrics_for({"branch_efficiency"});
    ASSERT_EQ(m.size(), 3u);
    EXPECT_EQ(m[1].counts, std::vector{record::Count::divergent_branches});
    EXPECT_EQ(m[2].counts, std::vector{record::Count::branches});
}

TEST(Metrics, ASynonymIsItsCount) {
    const auto m = metrics_for({"shared_load_excess_wavefronts"});
    ASSERT_EQ(m.size(), 2u);
    EXPECT_EQ(m[1].counts, std::vector{record::Count::shared_load_bank_conflicts});
}

TEST(Metrics, AllAreOnChipsOfEachGeneration) {
    auto library = open_cupti(0);
    if (!library) GTEST_SKIP() << library.error().text();
    if (!library->counts()) GTEST_SKIP() << library->title() << " has no range profiler";
    for (const char* chip : {"TU102", "GA100", "AD102", "GH100", "GB100", "GB202"}) {
        for (const auto& m : metrics_for({})) {
            bool there = false;
            for (const auto& name : m.hardware) {
                auto made = block<HostInitialize>();
                made.chip = chip;
                ASSERT_EQ(library->table.host_initialize(&made), code::success) << chip;
                const char* pointer = name.c_str();
                auto add = block<HostAdd>();
                add.host = made.host, add.metrics = &pointer, add.count = 1;
                there |= library->table.host_add(&add) == code::success;
                auto release = block<HostRelease>();
                release.host = made.host;
                library->table.host_release(&release);
            }
            EXPECT_TRUE(there) << m.name << " on " << chip;
        }
    }
}

}  // namespace metrics_test
}  // namespace warpwright::cupti

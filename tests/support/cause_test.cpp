// The table of causes: one row for each, in order, with names that differ.
#include "support/cause.hpp"

#include <gtest/gtest.h>

#include <set>

namespace cause_test {

using warpwright::Cause;

TEST(Causes, EachHasItsRowAndItsName) {
    std::set<std::string_view> names;
    unsigned place = 0;
    for (const auto& row : warpwright::causes()) {
        EXPECT_EQ(static_cast<unsigned>(row.cause), place++) << row.name;
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_FALSE(row.words.empty()) << row.name;
    }
    EXPECT_EQ(place, static_cast<unsigned>(Cause::missing_source) + 1);
}

TEST(Causes, FaultsHaveTheCodesOfTheRuntime) {
    EXPECT_EQ(warpwright::info(Cause::out_of_bounds).cuda, 700);
    EXPECT_EQ(warpwright::info(Cause::misaligned).cuda, 716);
    EXPECT_EQ(warpwright::info(Cause::assertion).cuda, 710);
    EXPECT_EQ(warpwright::info(Cause::time_limit).cuda, 702);
    EXPECT_EQ(warpwright::info(Cause::trap).cuda, 719);
}

}  // namespace cause_test

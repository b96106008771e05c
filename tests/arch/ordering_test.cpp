#include "arch/ordering.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpwright::arch {
namespace ordering_test {

using testing::HasSubstr;

std::string text_of(const std::string& memory) {
    return "schema = 1\ndevice = \"a GPU\"\nsource = \"a test\"\n[memory]\nrows = [" + memory +
           "]\n[other]\nrows = [{ from = 1.0, pairs = 10, right = 10 }]\n";
}

TEST(Ordering, SaysHowOftenPairsThatFarApartWereRight) {
    const auto table = parse_ordering(text_of("{ from = 1.0, pairs = 100, right = 60 }, "
                                              "{ from = 1.2, pairs = 40, right = 36 }, "
                                              "{ from = 1.5, pairs = 50, right = 48 }"),
                                      "order.toml");
    ASSERT_TRUE(table) << table.error().text();
    EXPECT_EQ(table->row(true, 1), (OrderRow{1, 100, 60}));
    EXPECT_EQ(table->row(true, 1.199), (OrderRow{1, 100, 60}));
    EXPECT_EQ(table->row(true, 1.2), (OrderRow{1.2, 40, 36}));
    EXPECT_EQ(table->row(true, 30), (OrderRow{1.5, 50, 48}));
    EXPECT_EQ(table->margin(true), 1.5) << "36 of 40 are too few";
    EXPECT_EQ(table->margin(false), 1.0);
    EXPECT_EQ(table->device(), "a GPU");
}

TEST(Ordering, NothingIsToldWhereNoDistanceIsEnough) {
    const auto table = parse_ordering(text_of("{ from = 1.0, pairs = 100, right = 94 }"), "order.toml");
    ASSERT_TRUE(table) << table.error().text();
    EXPECT_EQ(table->margin(true), std::nullopt);
}

TEST(Ordering, RefusesRowsThatContradictEachOther) {
    for (const char* rows : {"{ from = 1.1, pairs = 10, right = 9 }", "{ from = 1.0, pairs = 0, right = 0 }",
                             "{ from = 1.0, pairs = 10, right = 11 }", "{ from = 1.0, pairs = 10 }", "7", "",
                             "{ from = 1.0, pairs = 10, right = 9 }, { from = 1.0, pairs = 10, right = 9 }",
                             "{ from = 1.0, pairs = 10, right = 9 }, { from = 1.2, pairs = 10, right = 8 }"}) {
        const auto table = parse_ordering(text_of(rows), "order.toml");
        ASSERT_FALSE(table) << rows;
        EXPECT_THAT(table.error().text(), HasSubstr("order.toml:")) << rows;
    }
}

// The table that comes with the program: enough pairs in each row, and far enough apart they are told.
TEST(Ordering, TheTableOfTheProgram) {
    const auto& table = ordering();
    ASSERT_TRUE(table) << table.error().text();
    for (const bool memory : {true, false}) {
        ASSERT_TRUE(table->margin(memory));
        EXPECT_GT(*table->margin(memory), 1);
        for (const double ratio : {1.0, 1.1, 1.3, 2.0, 5.0}) EXPECT_GE(table->row(memory, ratio).pairs, 20u);
    }
}

}  // namespace ordering_test
}  // namespace warpwright::arch

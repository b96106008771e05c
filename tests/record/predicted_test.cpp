// Predicted times of several launches together, and the table of their figures.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "record/predicted.hpp"
#include "record/record.hpp"

namespace warpwright::record {
namespace predicted_test {

Predicted launch(double seconds, double cycles, double l1_hit) {
    Predicted p;
    p.seconds = seconds, p.method = Predicted::kSimulated;
    p.cycles = cycles, p.l1_hit = l1_hit;
    p.stalls = {{"wait", seconds * 1e6}};
    p.simulated = 1, p.error = 0.1;
    return p;
}

TEST(Predicted, of_launches_one_after_the_other_times_add_up_and_shares_go_by_time) {
    Predicted p = launch(1e-6, 1000, 0.2);
    p.add(launch(3e-6, 5000, 0.6));
    EXPECT_DOUBLE_EQ(p.seconds, 4e-6);
    EXPECT_DOUBLE_EQ(*p.cycles, 6000);
    EXPECT_DOUBLE_EQ(*p.l1_hit, 0.5);
    EXPECT_DOUBLE_EQ(p.stalls.at("wait"), 2.5);
    EXPECT_EQ(p.launches, 2u);
    EXPECT_EQ(p.simulated, 2u);
    EXPECT_FALSE(p.dram_read) << "none of them has it";
}

TEST(Predicted, the_mean_launch_is_no_sum) {
    Predicted p = launch(1e-6, 1000, 0.2);
    for (int i = 0; i < 3; ++i) p.average(launch(5e-6, 5000, 0.2));
    EXPECT_DOUBLE_EQ(p.seconds, 4e-6);
    EXPECT_DOUBLE_EQ(*p.cycles, 4000);
    EXPECT_NEAR(*p.l1_hit, 0.2, 1e-12);
    EXPECT_EQ(p.launches, 4u);
}

TEST(Predicted, lines_are_joined_by_file_and_line) {
    Predicted a = launch(1e-6, 1000, 0.2), b = launch(3e-6, 1000, 0.2);
    a.lines = {{"k.cu", 3, {{"wait", 4.0}}}, {"k.cu", 5, {{"selected", 1.0}}}};
    b.lines = {{"k.cu", 3, {{"wait", 8.0}, {"barrier", 4.0}}}, {"h.cuh", 3, {{"wait", 2.0}}}};
    a.add(b);
    ASSERT_EQ(a.lines.size(), 3u);
    // Means, by the times: a quarter and three quarters.
    EXPECT_DOUBLE_EQ(a.line("k.cu", 3)->stalls.at("wait"), 7.0);
    EXPECT_DOUBLE_EQ(a.line("k.cu", 3)->stalls.at("barrier"), 3.0);
    EXPECT_DOUBLE_EQ(a.line("k.cu", 5)->stalls.at("selected"), 0.25);
    EXPECT_DOUBLE_EQ(a.line("h.cuh", 3)->stalls.at("wait"), 1.5);
    EXPECT_EQ(a.line("k.cu", 4), nullptr);
}

TEST(Predicted, a_part_without_a_figure_or_a_stated_error_leaves_the_whole_without) {
    Predicted p = launch(1e-6, 1000, 0.2), other = launch(1e-6, 1000, 0.2);
    other.cycles.reset(), other.error.reset(), other.outside = "elsewhere";
    p.add(other);
    EXPECT_FALSE(p.cycles);
    EXPECT_FALSE(p.error);
    EXPECT_EQ(p.outside, "elsewhere");
}

TEST(Predicted, comes_back_from_json_whole) {
    RecordSet set;
    set.records.emplace_back();
    set.records[0].predicted = launch(1e-6, 1000, 0.2);
    set.records[0].predicted->peaks = {{"DRAM", 0.5}};
    set.records[0].predicted->lines = {{"k.cu", 3, {{"wait", 4.0}}}, {"", 0, {{"selected", 1.0}}}};
    set.records[0].predicted->outside = "elsewhere";
    set.records[0].unpredicted = "why";
    const auto back = from_json(to_json(set), "set");
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(back->records[0].predicted, set.records[0].predicted);
    EXPECT_EQ(back->records[0].unpredicted, "why");
}

TEST(Predicted, docs_have_the_figures_of_the_table) {
    std::ifstream in(std::string(WARPWRIGHT_SOURCE_DIR) + "/docs/records.md");
    std::stringstream text;
    text << in.rdbuf();
    for (const FigureInfo& f : figures()) {
        std::string row = "| `" + std::string(f.key) + "` | " + std::string(f.unit) + " | " + std::string(f.meaning) +
                          " | " + (f.hardware.empty() ? "" : "`" + std::string(f.hardware) + "` ") + "|\n";
        EXPECT_NE(text.str().find(row), std::string::npos) << row;
    }
}

}  // namespace predicted_test
}  // namespace warpwright::record

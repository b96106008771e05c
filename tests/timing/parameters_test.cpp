// What the simulation takes from a device model: defaults where the table [timing] gives nothing, its figures where it
// does; and the pages that list them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "arch/figures.hpp"
#include "common/made_text.hpp"
#include "timing/parameters.hpp"

namespace warpwright::timing {
namespace parameters_test {

arch::DeviceModel model(const std::string& name) {
    auto m = arch::load_model(name);
    EXPECT_TRUE(m.ok());
    return *m;
}

/// A value that no figure has by itself, and that its range has room for.
double other(std::string_view key) { return key == "dram_efficiency" || key == "farther" ? 0.5 : 13; }

TEST(Parameters, EachFigureOfTheTableReplacesItsDefault) {
    const arch::DeviceModel plain = model("h200");
    for (const TakenFigure& f : taken_figures(plain)) {
        EXPECT_FALSE(f.given) << f.key;
        const std::string key(f.key);
        const std::string text = "schema = 1\ninherit = \"h200\"\n[timing]\nsource = \"a test's\"\n" + key + " = " +
                                 std::to_string(other(key)) + "\n";
        const auto changed = arch::parse_model(text, "m.toml");
        ASSERT_TRUE(changed.ok()) << changed.error().text();
        for (const TakenFigure& now : taken_figures(*changed)) {
            EXPECT_EQ(now.given, now.key == f.key) << now.key;
            double expected = other(key);
            for (const TakenFigure& before : taken_figures(plain))
                if (before.key == now.key && now.key != f.key) expected = before.value;
            EXPECT_NEAR(now.value, expected, 1e-9) << key << ": " << now.key;
        }
    }
}

TEST(Parameters, WhatFollowsFromTheTableFollows) {
    arch::DeviceModel m = model("h200");
    const Parameters before = parameters(m);
    EXPECT_DOUBLE_EQ(before.memory_bytes, 0.92 * m.memory.bandwidth / m.clocks.bound);
    m.timing.dram_efficiency = 0.5;
    m.timing.product_of_warp = 2;
    const Parameters after = parameters(m);
    EXPECT_DOUBLE_EQ(after.memory_bytes, 0.5 * m.memory.bandwidth / m.clocks.bound);
    const auto bf16 = static_cast<std::size_t>(machine::MatrixType::bf16);
    EXPECT_DOUBLE_EQ(after.warp_product[bf16], 2 * after.warpgroup_product[bf16]);
    EXPECT_DOUBLE_EQ(before.warp_product[bf16], 1.54 * before.warpgroup_product[bf16]);
}

std::string table_of_figures() {
    std::string out =
        "| figure of `[timing]` | what it is | unit | default | the group that measures it, and how "
        "|\n|---|---|---|---|---|\n";
    for (const arch::TimingFigure& f : arch::timing_figures())
        out += fmt::format("| {} | {} | {} | {} | {}: {} |\n", f.key, f.meaning, f.unit.empty() ? "ratio" : f.unit,
                           f.otherwise, f.probe.empty() ? "no" : f.probe, f.method);
    return out;
}

TEST(Parameters, ThePageListsEachFigure) {
    test::expect_made("devices.md", "arch/timing_figures.inc", table_of_figures());
}

// Where the words of a default begin with a number, an H200 has it.
TEST(Parameters, TheDefaultsInWordsAreThoseTaken) {
    std::map<std::string_view, double> taken;
    for (const TakenFigure& f : taken_figures(model("h200"))) taken[f.key] = f.value;
    unsigned compared = 0;
    for (const arch::TimingFigure& f : arch::timing_figures()) {
        ASSERT_TRUE(taken.contains(f.key)) << f.key;
        const std::string words(f.otherwise);
        char* end = nullptr;
        const double value = std::strtod(words.c_str(), &end);
        if (end == words.c_str() || (*end != 0 && *end != ';')) continue;
        EXPECT_NEAR(taken[f.key], value, 1e-9) << f.key << ": " << words;
        ++compared;
    }
    EXPECT_GT(compared, 40u);
}

std::vector<std::string> parts(const std::string& list) {
    std::vector<std::string> out;
    for (std::size_t from = 0; from < list.size();) {
        const std::size_t to = std::min(list.find(", ", from), list.size());
        out.push_back(list.substr(from, to - from));
        from = to + 2;
    }
    return out;
}

// docs/timing.md: "| logic, multiply | 4, 4 | ... |", what an H200's model states beside what was measured.
TEST(Parameters, ThePageOfMeasuredFiguresHasWhatTheModelStates) {
    const std::string text = test::text_of(WARPWRIGHT_SOURCE_DIR "/docs/timing.md");
    const std::string begin = "| figure | model | measured |\n|---|---|---|\n";
    const std::size_t from = text.find(begin);
    ASSERT_NE(from, std::string::npos);
    std::istringstream rows(text.substr(from + begin.size(), text.find("\n\n", from) - from - begin.size()));
    std::map<std::string, double, std::less<>> taken;
    for (const TakenFigure& f : taken_figures(model("h200"))) taken[std::string(f.key)] = f.value;
    unsigned compared = 0;
    for (std::string row; std::getline(rows, row);) {
        const std::size_t second = row.find(" | "), third = row.find(" | ", second + 3);
        ASSERT_NE(third, std::string::npos) << row;
        const auto names = parts(row.substr(2, second - 2)), values = parts(row.substr(second + 3, third - second - 3));
        ASSERT_EQ(names.size(), values.size()) << row;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i].find('`') != std::string::npos) continue;  // of another table of the model
            ASSERT_TRUE(taken.contains(names[i])) << names[i];
            const std::size_t dot = values[i].find('.');
            const int digits = dot == std::string::npos ? 0 : static_cast<int>(values[i].size() - dot - 1);
            EXPECT_EQ(fmt::format("{:.{}f}", taken[names[i]], digits), values[i]) << names[i];
            ++compared;
        }
    }
    EXPECT_GT(compared, 20u);
}

}  // namespace parameters_test
}  // namespace warpwright::timing

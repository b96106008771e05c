#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "golden_file.hpp"
#include "record/metrics.hpp"
#include "report/bars.hpp"
#include "report/format.hpp"
#include "report/prediction.hpp"
#include "report/report.hpp"
#include "sample.hpp"

namespace warpwright {
namespace table_test {

using test::expect_golden;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
}

TEST(Table, Golden) { expect_golden("table.txt", report::table(test::sample(), {.width = 140})); }
TEST(Table, GoldenNarrow) { expect_golden("table_narrow.txt", report::table(test::sample(), {.width = 80})); }
TEST(Table, GoldenAscii) {
    expect_golden("table_ascii.txt",
                  report::table(test::sample(), {.unicode = false, .width = 0, .exact = false, .explain = false}));
}
TEST(Table, GoldenColor) {
    expect_golden("table_color.txt", report::table(test::sample(), {.color = true, .width = 100, .explain = false}));
}
TEST(Table, GoldenTimed) { expect_golden("table_timed.txt", report::table(test::timed_sample(), {.width = 100})); }
TEST(Csv, GoldenTimed) { expect_golden("timed.csv", report::csv(test::timed_sample())); }
TEST(Table, ByTheDataSheetTheShareIsThatOfTheBound) {
    record::RecordSet set = test::timed_sample();
    EXPECT_THAT(report::table(set, {.width = 0}), HasSubstr("of ceil."));
    for (record::Record& r : set.records)
        if (r.ceiling) r.ceiling->source = "data sheet";
    const std::string text = report::table(set, {.width = 0});
    EXPECT_THAT(text, Not(HasSubstr("of ceil.")));
    EXPECT_THAT(text, HasSubstr("of 60.0 TFLOP/s reached (fp32, data sheet)"));
}
TEST(Table, GoldenPerLine) {
    const auto source = [](const std::string&, unsigned line) -> std::optional<std::string> {
        if (line == 7)
            return "    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col]; // \x1b]0;evil\x07";
        return std::nullopt;
    };
    expect_golden("per_line.txt", report::line_table(test::sample(), {.width = 90}, source));
}
TEST(Table, LinesSayWhereWarpsStood) {
    record::RecordSet set = test::sample();
    record::Record& r =
        *std::find_if(set.records.begin(), set.records.end(), [](const auto& one) { return !one.lines.empty(); });
    record::Predicted p;
    p.stalls = {{"selected", 1.0}, {"wait", 1.0}, {"barrier", 2.0}};
    p.lines = {{r.lines[0].file, r.lines[0].line, {{"selected", 0.5}, {"wait", 0.5}, {"barrier", 1.0}}}};
    r.predicted = p;
    const std::string text = report::line_table(set, {.width = 0});
    EXPECT_NE(text.find("warps stood"), std::string::npos) << text;
    EXPECT_NE(text.find("50 %: barrier 50 %, wait 25 %"), std::string::npos) << text;
    EXPECT_EQ(report::line_stalls(p, r.lines[0].file, r.lines[0].line + 1000), "");
}

TEST(Csv, LinesSayWhereWarpsStood) {
    record::RecordSet set = test::sample();
    record::Record& r =
        *std::find_if(set.records.begin(), set.records.end(), [](const auto& one) { return !one.lines.empty(); });
    record::Predicted p;
    p.stalls = {{"selected", 1.0}, {"wait", 3.0}};
    p.lines = {{r.lines[0].file, r.lines[0].line, {{"selected", 0.5}, {"wait", 1.5}}}, {"", 0, {{"wait", 1.0}}}};
    r.predicted = p;
    const std::string text = report::csv(set, true);
    EXPECT_THAT(text, HasSubstr(",file,line,predicted_share,stall_selected,stall_wait,instructions"));
    EXPECT_THAT(text, HasSubstr(",naive.cu,7,0.5,0.5,1.5,33554432,"));
    EXPECT_THAT(text, HasSubstr(",naive.cu,9,,,,8192,")) << "nothing is known of it";
    EXPECT_THAT(text, HasSubstr(",,0,0.25,,1,,,")) << "instructions of no line have no counts";
}

TEST(RunLine, SaysWhatCameOfARun) {
    const auto set = test::sample();
    EXPECT_EQ(
        report::run_line(set.records[0]),
        "01_naive                size 512, type f32                  right         at least 4.50 µs, bound by fp32");
    record::Record r = set.records[0];
    r.time = record::Time{0.25, 0.25};
    r.verified = false;
    const std::string timed = report::run_line(r, Words::plain(), false);
    EXPECT_NE(timed.find("WRONG"), std::string::npos);
    EXPECT_TRUE(timed.ends_with("250 ms measured")) << timed;
    r.time->timed_share = 1.0 / 64;
    EXPECT_TRUE(report::run_line(r, Words::plain(), false)
                    .ends_with("250 ms, multiplied up from the measured time of 1.6 % of the work"))
        << report::run_line(r, Words::plain(), false);
    r.left_out = "needs \x1b[31mmore";
    EXPECT_NE(report::run_line(r).find("left out      needs \\x1b[31mmore"), std::string::npos) << report::run_line(r);
}

TEST(RunLine, FitsTheTerminalWithTheTimeWhole) {
    record::Record r = test::sample().records[0];
    record::Predicted p;
    p.seconds = 5.05e-5;
    r.predicted = p;
    const std::string wide = report::run_line(r, Words::plain(), true, 120);
    EXPECT_TRUE(wide.ends_with("50.5 µs predicted, bound 4.50 µs by fp32")) << wide;
    for (const std::size_t width : {100, 80, 72}) {
        const std::string line = report::run_line(r, Words::plain(), true, width);
        EXPECT_TRUE(line.ends_with("  50.5 µs predicted")) << line;
        EXPECT_LE(report::display_width(line), width);
    }
    EXPECT_EQ(report::display_width(report::run_line(r, Words::plain(), true, 40)), 40u);
}

TEST(RunLine, IsInTheWordsLanguage) {
    record::Record r = test::sample().records[0];
    for (const std::string& language : Words::languages()) {
        if (language == "en") continue;
        const auto words = Words::load(language);
        ASSERT_TRUE(words.ok()) << words.error().text();
        for (const bool timed : {false, true}) {
            if (timed) r.time = record::Time{0.25, 0.25};
            const std::string line = report::run_line(r, *words);
            for (const char* english : {"right", "at least", "bound by", "measured"})
                EXPECT_EQ(line.find(english), std::string::npos) << line;
        }
        r.time.reset();
        record::Record out = r;
        out.left_out = "needs compute capability 9.0; the device has 7.0";
        const std::string line = report::run_line(out, *words);
        for (const char* english : {"left out", "needs", "the device has"})
            EXPECT_EQ(line.find(english), std::string::npos) << line;
    }
}

TEST(Table, AnErrorSaysTheWordOnce) {
    record::RecordSet set = test::sample();
    for (record::Record& r : set.records)
        if (r.error) r.error = "kernel.cu:12: error: out-of-bounds read of 4 bytes";
    const std::string text = report::table(set, {.width = 140});
    EXPECT_THAT(text, HasSubstr("    kernel.cu:12: error: out-of-bounds read"));
    EXPECT_THAT(text, Not(HasSubstr("error: kernel.cu")));
}
TEST(Table, WhatWasLeftOutSaysWhy) {
    record::RecordSet set = test::sample();
    set.records.back().verified.reset();
    set.records.back().time.reset();
    set.records.back().left_out = "K must be a multiple of 16";
    const std::string text = report::table(set, {.width = 140});
    EXPECT_THAT(text, HasSubstr("left out"));
    EXPECT_THAT(text, HasSubstr("    left out: K must be a multiple of 16\n"));
    EXPECT_THAT(text, Not(HasSubstr("error: K")));
    EXPECT_THAT(report::csv(set), HasSubstr(",K must be a multiple of 16,"));
}
TEST(Csv, Golden) { expect_golden("records.csv", report::csv(test::sample())); }
TEST(Csv, GoldenPerLine) { expect_golden("lines.csv", report::csv(test::sample(), true)); }

TEST(Table, NoLineIsWiderThanAskedFor) {
    for (const std::size_t width : {72u, 80u, 100u, 120u, 200u})
        for (const std::string& line : lines_of(report::table(test::sample(), {.width = width})))
            EXPECT_LE(report::display_width(line), width) << line;
}

TEST(Table, ColorChangesNothingButColor) {
    const std::string plain = report::table(test::sample(), {.color = false, .width = 120});
    std::string colored = report::table(test::sample(), {.color = true, .width = 120});
    EXPECT_NE(plain, colored);
    for (std::size_t at; (at = colored.find('\x1b')) != std::string::npos;)
        colored.erase(at, colored.find('m', at) - at + 1);
    EXPECT_EQ(plain, colored);
}

TEST(Table, TextFromRecordsCannotSteerTheTerminal) {
    for (const std::string& text : {report::table(test::sample(), {.width = 0}),
                                    report::line_table(test::sample(), {.width = 0}), report::csv(test::sample())}) {
        EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    }
}

TEST(Table, CountedAndMeasuredTimesHaveColumnsOfTheirOwn) {
    auto set = test::sample();
    for (auto& r : set.records) r.predicted = record::Predicted{1e-3, "m"};
    const auto lines = lines_of(report::table(set, {.width = 0, .explain = false}));
    ASSERT_GT(lines.size(), 3u);
    for (const char* group : {"counted", "model h200", "predicted", "measured"})
        EXPECT_THAT(lines[2], HasSubstr(group));
}

TEST(Table, AxesThatVaryBecomeColumns) {
    auto set = test::sample();
    set.records.resize(1);
    EXPECT_THAT(report::table(set), HasSubstr("size 512"));
    auto other = set.records[0];
    other.axes[0].value = std::int64_t{1024};
    set.records.push_back(other);
    const std::string text = report::table(set, {.width = 0});
    EXPECT_THAT(text, HasSubstr("  1024  "));
    // The sentences stand there once, though the rung ran twice.
    EXPECT_EQ(text.find("Each thread computes"), text.rfind("Each thread computes"));
}

TEST(Table, RequestedColumns) {
    const std::string text =
        report::table(test::sample(), {.width = 10, .columns = {"rung", "grid", "error"}, .explain = false});
    EXPECT_THAT(text, HasSubstr("32x32"));
    EXPECT_THAT(text, HasSubstr("5.0e-01"));
    EXPECT_THAT(text, Not(HasSubstr("instr.")));
    EXPECT_TRUE(report::check_columns({"rung", "bound"}).ok());
    const auto bad = report::check_columns({"rung", "speed"});
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().kind, ErrorKind::usage);
    EXPECT_THAT(bad.error().text(), HasSubstr("'speed'"));
    EXPECT_THAT(bad.error().text(), HasSubstr("instructions"));
}

TEST(Table, EveryCountAndDerivedMetricIsAColumnOnRequest) {
    const std::string text = report::table(
        test::sample(),
        {.width = 0, .columns = {"rung", "shared_load_wavefronts", "global_efficiency"}, .explain = false});
    EXPECT_THAT(text, HasSubstr("shared_load_wavefronts"));
    EXPECT_THAT(text, HasSubstr(" %")) << "shares are in percent";
    for (const auto& [key, about] : report::column_names()) EXPECT_FALSE(about.empty()) << key;
    for (const auto& name : record::count_names())
        EXPECT_TRUE(report::check_columns({std::string(name.key)}).ok()) << name.key;
}

// The help said "wavefronts beyond one a request", which is another number: docs/counters.md, "Shared memory", 4.
TEST(Table, TheHelpOfConflictsIsTheirDefinition) {
    std::map<std::string, std::string> about;
    for (const auto& [key, text] : report::column_names()) about[key] = text;
    EXPECT_EQ(about.at("conflicts"), record::info(record::Derived::shared_bank_conflicts).meaning);
    EXPECT_THAT(about.at("conflicts"), HasSubstr("for each group of lanes that is served apart"));
}

TEST(Table, EmptySet) { EXPECT_EQ(report::table({}), ""); }

TEST(Csv, EveryRowHasEveryField) {
    const auto rows = lines_of(report::csv(test::sample()));
    ASSERT_EQ(rows.size(), 7u);  // the name of the fourth record has a line break
    // Nothing in the first row is quoted, so commas are separators.
    const auto commas = std::count(rows[0].begin(), rows[0].end(), ',');
    for (const std::size_t i : {1u, 2u, 3u, 6u})
        EXPECT_EQ(std::count(rows[i].begin(), rows[i].end(), ','), commas) << rows[i];
}

TEST(Csv, Quotes) {
    record::RecordSet set;
    set.records.emplace_back();
    set.records[0].experiment = "a,\"b\"\nc";
    EXPECT_THAT(report::csv(set), HasSubstr("\r\n\"a,\"\"b\"\"\nc\","));
}

TEST(Json, IsTheRecords) { EXPECT_EQ(report::json(test::sample()), record::to_json(test::sample())); }

TEST(Table, FiguresOfADeviceStandBesideTheModels) {
    record::RecordSet set;
    const auto add = [&](std::string name, record::Quantity q) {
        record::Record r;
        r.experiment = "memory";
        r.rung = std::move(name);
        r.quantity = std::move(q);
        set.records.push_back(std::move(r));
    };
    add("dram_read", {4.32e12, 4.4e12, 0.004, 10, "B/s", 4.8e12});
    add("load", {281.5, 281, 0, 7, "cycles", {}});
    add("queued", {2.5e-6, 2.4e-6, 0.01, 25, "s", {}});
    const std::string text = report::table(set, {.unicode = false, .width = 0});
    EXPECT_THAT(text, HasSubstr("4.32 TB/s"));
    EXPECT_THAT(text, HasSubstr("4.80 TB/s"));
    EXPECT_THAT(text, HasSubstr("90 %"));
    EXPECT_THAT(text, HasSubstr("cycles"));
    EXPECT_THAT(text, HasSubstr("2.50 us"));
}

TEST(Bars, AreAsLongAsTheirValues) {
    const std::string text = report::bars("t", {{"1", 10}, {"32", 40}, {"64", 0}}, 50, false);
    EXPECT_THAT(text, testing::StartsWith("t\n"));
    const auto hashes = [&](const std::string& label) {
        const std::string line = text.substr(text.find(label + " |"));
        return std::count(line.begin(), line.begin() + std::ptrdiff_t(line.find('\n')), '#');
    };
    EXPECT_NEAR(hashes("32"), 4 * hashes(" 1"), 2) << "each is rounded to whole characters";
    EXPECT_GT(hashes("32"), 20);
    EXPECT_EQ(hashes("64"), 0);
    for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 50u);
    EXPECT_EQ(report::bars("t", {}, 50, false), "");
    EXPECT_THAT(report::bars("t", {{"1", std::nan("")}}, 50, true), HasSubstr("1"));
}

}  // namespace table_test
}  // namespace warpwright

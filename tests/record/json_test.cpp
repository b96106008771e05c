#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/record.hpp"

namespace warpwright::record {
namespace json_test {

using testing::HasSubstr;
using testing::Not;

/// A set in which every field of every part has a value of its own.
RecordSet full() {
    RecordSet set;
    set.environment = {"0.1.0",       "2025-01-02T03:04:05Z",        "CPU \"x\"", "x86-64-v3", 2, "emulated", "h200",
                       "NVIDIA H200", "CUDA 13.0, driver 580.65.06", 1980,        3201};
    Record r;
    r.experiment = "matmul";
    r.rung = "02_tiled";
    r.kernel = "k";
    r.axes = {{"size", std::int64_t{512}}, {"alpha", 0.5}, {"type", std::string("f32")}, {"a", std::int64_t{-3}}};
    r.device = "emulated";
    r.model = "h200";
    r.grid = Extent{1, 2, 3};
    r.block = Extent{4, 5, 6};
    r.verified = false;
    r.known_incorrect = true;
    r.error = "bad\nthing";
    r.left_out = "too old";
    r.title = "t";
    r.change = "c";
    r.notes = {"n1", "n2"};
    r.flops = 1e12;
    r.bytes = 2.5;
    r.time = Time{0.1, 0.09, 0.01, 7, "cold", 1755, 3201, 698.5, {"power cap", "heat"}};
    r.library = "cublas";
    r.unit = "bf16";
    r.ceiling = Ceiling{"tensor bf16", 9.5e14, 0.75, "measured"};
    r.quantity = Quantity{4.5e12, 4.6e12, 0.003, 10, "B/s", 4.8e12};
    r.speedup = Speedup{2.5, 100, 1.25};
    r.predicted = Predicted{0.2, "model"};
    r.bound = Bound{1e-6, "DRAM", true, {{"DRAM", 1e-6, 1, "b", 2e-6}, {"issue", 1e-7, 0.1, "i", {}}}, {"note"}};
    r.occupancy = OccupancyRecord{32, "estimated", 1024, 8, 64, 1, "warps", 0.5, 0.25};
    r.intensity = Intensity{1, {}, 3};
    r.verification = Verification{10, 2, 0.5, 0.25, 1e-6, "f64", "C[0]", "every element"};
    r.emulation_s = 0.5;
    r.compile_s = 0.25;
    r.counts.emplace();
    for (unsigned i = 0; i < kCounts; ++i) r.counts->values[i] = i + 1;
    r.counts->values[0] = std::numeric_limits<std::uint64_t>::max();
    LineCounts line{"k.cu", 12, {}};
    line.counts[Count::branches] = 9;
    r.lines = {line};
    set.records = {r, Record{}};
    return set;
}

TEST(RecordJson, RoundTrip) {
    const std::string text = to_json(full());
    const auto back = from_json(text, "r.json");
    ASSERT_TRUE(back.ok()) << back.error().text();
    EXPECT_EQ(to_json(*back), text);
    EXPECT_EQ(back->environment, full().environment);
    ASSERT_EQ(back->records.size(), 2u);
    const Record& r = back->records[0];
    const Record want = full().records[0];
    EXPECT_EQ(r.axes, want.axes) << "in their order";
    EXPECT_EQ(r.grid, want.grid);
    EXPECT_EQ(r.verified, want.verified);
    EXPECT_EQ(r.error, want.error);
    EXPECT_EQ(r.time, want.time);
    EXPECT_EQ(r.quantity, want.quantity);
    EXPECT_EQ(r.speedup, want.speedup);
    EXPECT_EQ(r.library, want.library);
    EXPECT_EQ(r.unit, want.unit);
    EXPECT_EQ(r.ceiling, want.ceiling);
    EXPECT_EQ(r.predicted, want.predicted);
    EXPECT_EQ(r.bound, want.bound);
    EXPECT_EQ(r.occupancy, want.occupancy);
    EXPECT_EQ(r.intensity, want.intensity);
    EXPECT_EQ(r.verification, want.verification);
    EXPECT_EQ(r.counts, want.counts) << "64-bit counts exactly";
    ASSERT_EQ(r.lines.size(), 1u);
    EXPECT_EQ(r.lines[0].counts, want.lines[0].counts);
    EXPECT_EQ(r.notes, want.notes);
    EXPECT_FALSE(back->records[1].counts);
    EXPECT_FALSE(back->records[1].verified);
}

/// Every key in its place: programs read this. WARPWRIGHT_UPDATE_GOLDEN=1 writes the file instead.
TEST(RecordJson, Golden) {
    const std::string path = std::string(WARPWRIGHT_SOURCE_DIR) + "/tests/record/golden/records.json";
    const std::string text = to_json(full());
    if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) {
        std::ofstream(path, std::ios::binary) << text;
        return;
    }
    std::ostringstream want;
    want << std::ifstream(path, std::ios::binary).rdbuf();
    EXPECT_EQ(text, want.str()) << "run with WARPWRIGHT_UPDATE_GOLDEN=1 after reading the difference";
}

TEST(RecordJson, Form) {
    const std::string text = to_json(full());
    EXPECT_THAT(text, HasSubstr("\"schema\": 1"));
    EXPECT_THAT(text, HasSubstr("\"global_load_sectors\""));
    EXPECT_THAT(text, HasSubstr("18446744073709551615"));
    EXPECT_EQ(text.back(), '\n');
    RecordSet bare;
    bare.records.emplace_back();
    const std::string empty = to_json(bare);
    EXPECT_THAT(empty, HasSubstr("\"verified\": null"));
    EXPECT_THAT(empty, HasSubstr("\"error\": null"));
    EXPECT_THAT(empty, HasSubstr("\"known_incorrect\": false"));
    for (const char* key : {"\"time\"", "\"counts\"", "\"predicted\"", "\"bound\"", "\"lines\""})
        EXPECT_THAT(empty, Not(HasSubstr(key))) << "absent, not null or zero";
}

TEST(RecordJson, EarlierVersionsSaidOnlyWhetherRegistersAreEstimated) {
    std::string text = to_json(full());
    const std::string line = "\"registers_source\": \"estimated\",";
    const auto at = text.find(line);
    ASSERT_NE(at, std::string::npos);
    text.erase(at, line.size());
    const auto back = from_json(text, "r.json");
    ASSERT_TRUE(back.ok()) << back.error().text();
    EXPECT_EQ(back->records[0].occupancy->registers_source, "estimated");
}

TEST(RecordJson, WhatIsNotFiniteIsNotZero) {
    RecordSet set;
    set.records.emplace_back();
    set.records[0].verification = Verification{1, 1, std::nan(""), INFINITY, 0, "", "", ""};
    const std::string text = to_json(set);
    EXPECT_THAT(text, HasSubstr("\"max_absolute_error\": null"));
    const auto back = from_json(text, "r.json");
    ASSERT_TRUE(back.ok());
    EXPECT_TRUE(std::isnan(back->records[0].verification->max_absolute_error));
    EXPECT_TRUE(std::isnan(back->records[0].verification->max_relative_error));
}

TEST(RecordJson, BytesThatAreNotUtf8) {
    RecordSet set;
    set.records.emplace_back();
    set.records[0].title = "\xff\x1b[31m";
    const std::string text = to_json(set);
    EXPECT_THAT(text, HasSubstr("\xef\xbf\xbd\\u001b[31m"));
    EXPECT_TRUE(from_json(text, "r").ok());
}

void expect_error(const std::string& text, const std::string& what) {
    const auto set = from_json(text, "r.json");
    ASSERT_FALSE(set.ok()) << text;
    EXPECT_EQ(set.error().kind, ErrorKind::input);
    EXPECT_THAT(set.error().text(), HasSubstr("r.json"));
    EXPECT_THAT(set.error().text(), HasSubstr(what));
}

TEST(RecordJson, Errors) {
    expect_error("", "not JSON");
    expect_error("{\"schema\": 1,\n \"x\" 3}", "r.json:2:6");
    expect_error("[]", "must be an object");
    expect_error("{}", "'schema' must be 1");
    expect_error(R"({"schema": 2})", "'schema' must be 1");
    expect_error(R"({"schema": "1"})", "'schema'");
    expect_error(R"({"schema": 1, "records": {}})", "'records' must be a list");
    expect_error(R"({"schema": 1, "records": [{}, {"grid": [1, 2]}]})", "'records[1].grid'");
    expect_error(R"({"schema": 1, "records": [{"grid": [1, 2, -3]}]})", "'records[0].grid'");
    expect_error(R"({"schema": 1, "records": [{"verified": "yes"}]})", "'records[0].verified'");
    expect_error(R"({"schema": 1, "records": [{"counts": {"branches": 1.5}}]})", "'records[0].counts.branches'");
    expect_error(R"({"schema": 1, "records": [{"bound": {"terms": [3]}}]})", "'records[0].bound.terms[0]'");
    expect_error(R"({"schema": 1, "records": [{"axes": {"n": []}}]})", "'records[0].axes.n'");
    expect_error(R"({"schema": 1, "records": [{"time": {"samples": 4294967296}}]})", "'records[0].time.samples'");
}

TEST(RecordJson, UnknownKeysArePassedOver) {
    EXPECT_TRUE(from_json(R"({"schema": 1, "later": [1], "records": [{"more": {"x": 1}}]})", "r").ok());
}

TEST(Axis, Text) {
    EXPECT_EQ((Axis{"n", std::int64_t{12}}).text(), "12");
    EXPECT_EQ((Axis{"n", 0.5}).text(), "0.5");
    EXPECT_EQ((Axis{"n", std::string("f32")}).text(), "f32");
}

TEST(Counts, KeysAreDistinct) {
    std::vector<std::string> keys;
    for (unsigned i = 0; i < kCounts; ++i) keys.emplace_back(count_key(Count(i)));
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

}  // namespace json_test
}  // namespace warpwright::record

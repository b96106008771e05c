// Rungs on the host: verified, timed, or left out with a reason.
#include <gmock/gmock.h>

#include "ladder/cpu.hpp"
#include "measure/cpu_rung.hpp"

namespace warpwright::measure {
namespace cpu_rung_test {

using testing::HasSubstr;

SampleOptions quick() {
    SampleOptions o;
    o.min_samples = o.max_samples = 2;
    o.min_seconds = 0;
    return o;
}

constexpr const char* kProduct = R"toml(schema = 1
name = "product"
[problem]
sizes = ["M", "N", "K"]
default = [8]
[axes]
T = ["f32", "bf16"]
LAYOUT = ["NN", "NT", "TN", "TT"]
[[buffer]]
name = "A"
type = "T"
count = "M*K"
[[buffer]]
name = "B"
type = "T"
count = "K*N"
[[buffer]]
name = "C"
type = "T"
count = "M*N"
role = "output"
[reference]
builtin = "matmul"
inputs = ["A", "B"]
output = "C"
sizes = ["M", "N", "K"]
layout = "LAYOUT"
[tolerance]
relative = "(K + 1) * unit_T"
[[rung]]
name = "blas"
cpu = "blas"
[[rung]]
name = "even"
cpu = "serial"
require = "mod(K, 2) == 0"
)toml";

ladder::RungRun run(const std::string& rung, const std::string& type, const std::string& layout) {
    const ladder::Ladder ladder = *ladder::parse_ladder(kProduct, "ladder.toml");
    const ladder::Rung& r = *ladder::select_rungs(ladder, {rung})->front();
    const ladder::Variant variant = ladder::variants(ladder, r, {{"T", {type}}, {"LAYOUT", {layout}}})->front();
    auto problem = ladder::Problem::make(ladder, {13, 9, 21}, variant, 1);
    EXPECT_TRUE(problem.ok()) << problem.error().text();
    return run_cpu_rung(r, variant, *problem, 1, quick());
}

TEST(CpuRung, every_layout_is_verified_and_timed) {
    for (const char* layout : {"NN", "NT", "TN", "TT"}) {
        const ladder::RungRun r = run("blas", "f32", layout);
        ASSERT_FALSE(r.problem) << r.problem->text();
        EXPECT_EQ(r.record.verified, true) << layout << r.record.verification->first_mismatch;
        EXPECT_TRUE(r.record.time);
        EXPECT_EQ(r.record.device, "cpu");
    }
}

TEST(CpuRung, what_there_is_not_is_left_out) {
    const ladder::RungRun types = run("blas", "bf16", "NN");
    EXPECT_FALSE(types.problem);
    ASSERT_TRUE(types.record.left_out);
    EXPECT_THAT(*types.record.left_out, HasSubstr("only there for f32 and f64"));
    EXPECT_FALSE(types.record.time);
    const ladder::RungRun size = run("even", "f32", "NN");
    EXPECT_EQ(size.record.left_out, "requires mod(K, 2) == 0");
    EXPECT_FALSE(size.record.verified);
}

TEST(CpuRung, a_long_product_is_timed_on_a_part_of_its_rows_and_says_so) {
    const ladder::Ladder ladder = *ladder::parse_ladder(kProduct, "ladder.toml");
    const ladder::Rung& r = *ladder::select_rungs(ladder, {"even"})->front();
    for (const char* layout : {"NN", "NT", "TN"}) {
        const ladder::Variant variant = ladder::variants(ladder, r, {{"T", {"f32"}}, {"LAYOUT", {layout}}})->front();
        const ladder::Variables sizes{{"M", 1024.0}, {"N", 1024.0}, {"K", 1024.0}};
        const ladder::CpuRows rows = ladder::cpu_rows(ladder.reference, "serial", sizes, variant);
        EXPECT_EQ(rows.all, 1024);
        EXPECT_EQ(rows.timed, std::string(layout) == "TN" ? 1024 : 32) << layout;
        EXPECT_FALSE(ladder::cpu_rows(ladder.reference, "blas", sizes, variant).part());
    }
    // Few columns and many rows, so that the test is short: 2^17 multiply-adds a row.
    const ladder::Variant variant = ladder::variants(ladder, r, {{"T", {"f32"}}, {"LAYOUT", {"NT"}}})->front();
    auto problem = ladder::Problem::make(ladder, {1500, 16, 8192}, variant, 1);
    ASSERT_TRUE(problem.ok()) << problem.error().text();
    SampleOptions once = quick();
    once.min_samples = once.max_samples = 1;
    const ladder::RungRun run = run_cpu_rung(r, variant, *problem, 1, once);
    ASSERT_FALSE(run.problem) << run.problem->text();
    EXPECT_EQ(run.record.verified, true) << run.record.verification->first_mismatch;
    EXPECT_EQ(run.record.verification->elements, 256u * 16);
    EXPECT_EQ(run.record.verification->method, "every element of the first 256 of 1500 rows");
    EXPECT_THAT(run.record.notes, testing::Contains(HasSubstr("timed on the first 256 of 1500 rows")));
    EXPECT_DOUBLE_EQ(run.record.time->timed_share.value_or(0), 256.0 / 1500);
    EXPECT_TRUE(run.record.time);
}

}  // namespace cpu_rung_test
}  // namespace warpwright::measure

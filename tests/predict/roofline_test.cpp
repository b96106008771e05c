// The bound of a problem that was timed, from its formulas alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "predict/roofline.hpp"

namespace warpwright::predict {
namespace roofline_test {

using testing::HasSubstr;

arch::DeviceModel h200() {
    auto m = arch::load_model("h200");
    EXPECT_TRUE(m.ok());
    return m ? *m : arch::DeviceModel{};
}

record::Record product(double n, std::string unit, double seconds, double element = 4) {
    record::Record r;
    r.unit = std::move(unit);
    r.flops = 2 * n * n * n;
    r.bytes = 3 * n * n * element;
    r.time = record::Time{seconds, seconds, 0, 10};
    return r;
}

// 2 * 4096^3 FLOP over 132 * 128 * 2 * 1.98 GHz.
TEST(Roofline, ALargeProductIsBoundByItsUnit) {
    auto r = product(4096, "fp32", 2.7e-3);
    annotate_roofline(r, h200());
    ASSERT_TRUE(r.bound && r.ceiling);
    EXPECT_EQ(r.model, "h200");
    EXPECT_EQ(r.bound->binds, "fp32");
    EXPECT_NEAR(r.bound->seconds, 2 * std::pow(4096.0, 3) / 66.9082e12, 1e-8);
    ASSERT_EQ(r.bound->terms.size(), 2u);
    EXPECT_EQ(r.bound->terms[1].resource, "DRAM");
    EXPECT_NEAR(r.bound->terms[1].seconds, 3 * 4096.0 * 4096 * 4 / 4.8e12, 1e-10);
    EXPECT_EQ(r.ceiling->resource, "fp32");
    EXPECT_EQ(r.ceiling->source, "data sheet");
    EXPECT_NEAR(r.ceiling->share, r.bound->seconds / 2.7e-3, 1e-12);
}

TEST(Roofline, EachTypeHasItsRate) {
    const auto bound = [](const char* unit) {
        auto r = product(16384, unit, 1, 1);
        annotate_roofline(r, h200());
        return r.bound ? r.bound->seconds : 0.0;
    };
    // The data sheet's dense 494.7, 989.4 and 1978.9 TFLOP/s, twice that with two zeros in four.
    EXPECT_NEAR(bound("bf16") / (2 * std::pow(16384.0, 3) / 989.4e12), 1, 1e-3);
    EXPECT_NEAR(bound("tf32") / bound("bf16"), 2, 1e-9);
    EXPECT_NEAR(bound("bf16") / bound("fp8"), 2, 1e-9);
    EXPECT_EQ(bound("int8"), bound("fp8"));
    EXPECT_NEAR(bound("bf16") / bound("sparse_bf16"), 2, 1e-9);
    EXPECT_NEAR(bound("fp8") / bound("sparse_fp8"), 2, 1e-9);
}

TEST(Roofline, WhatOnlyMovesIsBoundByMemory) {
    record::Record r;
    r.unit = "none";
    r.flops = 1e9;
    r.bytes = 4.8e9;
    r.time = record::Time{1.25e-3, 1.2e-3, 0, 10};
    annotate_roofline(r, h200());
    ASSERT_TRUE(r.bound && r.ceiling);
    EXPECT_EQ(r.bound->terms.size(), 1u);
    EXPECT_EQ(r.bound->binds, "DRAM");
    EXPECT_NEAR(r.bound->seconds, 1e-3, 1e-12);
    EXPECT_NEAR(r.ceiling->share, 0.8, 1e-9);
}

TEST(Roofline, MeasuredCeilingsAreWhatTheShareIsOf) {
    arch::DeviceModel m = h200();
    m.ceilings.fma_f32 = 60e12;
    auto r = product(4096, "fp32", 2.7e-3);
    annotate_roofline(r, m);
    EXPECT_EQ(r.ceiling->source, "measured");
    EXPECT_EQ(r.ceiling->rate, 60e12);
    EXPECT_NEAR(r.ceiling->share, 2 * std::pow(4096.0, 3) / 2.7e-3 / 60e12, 1e-12);
    EXPECT_NEAR(r.bound->seconds, 2 * std::pow(4096.0, 3) / 66.9082e12, 1e-8) << "the bound stays the data sheet's";
}

TEST(Roofline, WhatTheModelHasNoRateForIsSaid) {
    auto r = product(1024, "sparse_fp8", 1);
    auto old = arch::load_model("v100");
    ASSERT_TRUE(old.ok());
    annotate_roofline(r, *old);
    ASSERT_TRUE(r.bound);
    EXPECT_EQ(r.bound->binds, "DRAM");
    ASSERT_EQ(r.bound->notes.size(), 1u);
    EXPECT_THAT(r.bound->notes[0], HasSubstr("no rate for sparse tensor fp8"));
    record::Record nothing;
    annotate_roofline(nothing, *old);
    EXPECT_FALSE(nothing.bound);
    EXPECT_TRUE(nothing.model.empty());
}

}  // namespace roofline_test
}  // namespace warpwright::predict

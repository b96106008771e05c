// Library rungs of a ladder, from its file to its records.
#include <gmock/gmock.h>

#include <cstdlib>

#include "fake_gpu.hpp"
#include "ladder/ladder.hpp"
#include "measure/interleaved_timing.hpp"

namespace warpwright::measure {
namespace library_rung_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using vendor::test::FakeGpu;
using vendor::test::library;
using vendor::test::MadeUp;

constexpr const char* kProduct = R"toml(
schema = 1
name = "product"
[problem]
sizes = ["M", "N", "K"]
default = [8]
[axes]
LAYOUT = ["NN", "TT"]
[[buffer]]
name = "A"
type = "f32"
count = "M*K"
[[buffer]]
name = "B"
type = "f32"
count = "K*N"
[[buffer]]
name = "C"
type = "f32"
count = "M*N"
role = "output"
[reference]
builtin = "matmul"
inputs = ["A", "B"]
output = "C"
sizes = ["M", "N", "K"]
layout = "LAYOUT"
[tolerance]
relative = "1e-5"
[defaults]
flops = "2*M*N*K"
bytes = "4*(M*K + K*N + M*N)"
[[rung]]
name = "cublas"
title = "the vendor's"
library = "cublas"
[[rung]]
name = "tf32"
library = "cublaslt"
compute_type = "tf32"
[[rung]]
name = "sparse"
library = "cusparselt"
[[rung]]
name = "copy"
library = "memcpy"
)toml";

class LibraryRung : public testing::Test {
protected:
    void SetUp() override {
        library() = MadeUp{};
        library().seconds = {5e-6};
        for (const char* name :
             {"WARPWRIGHT_CUBLAS", "WARPWRIGHT_CUBLASLT", "WARPWRIGHT_CUSPARSELT", "WARPWRIGHT_LIBCUDA"})
            ::setenv(name, WARPWRIGHT_MADE_UP, 1);
        options.warm_seconds = options.rounds.min_seconds = 1e-4;
        options.shortest = 2e-5;
    }
    void TearDown() override {
        for (const char* name :
             {"WARPWRIGHT_CUBLAS", "WARPWRIGHT_CUBLASLT", "WARPWRIGHT_CUSPARSELT", "WARPWRIGHT_LIBCUDA"})
            ::unsetenv(name);
    }
    /// The record of a rung at 5 x 6 x 7 in the second layout.
    record::Record run(const std::string& text, const std::string& name, std::vector<std::int64_t> size = {5, 6, 7}) {
        auto ladder = ladder::parse_ladder(text, "product/ladder.toml");
        EXPECT_TRUE(ladder.ok()) << ladder.error().text();
        if (!ladder) return {};
        auto rungs = ladder::select_rungs(*ladder, {name});
        auto variants = ladder::variants(*ladder, *rungs->front(), {});
        auto problem = ladder::Problem::make(*ladder, std::move(size), variants->back(), 7);
        EXPECT_TRUE(problem.ok()) << problem.error().text();
        vendor::Libraries libraries(gpu);
        ladder::Session session(gpu, {});
        auto out = run_alone(session, &libraries, *rungs->front(), variants->back(), *problem, options);
        EXPECT_EQ(out.problem.has_value(), out.record.error.has_value());
        return out.record;
    }
    FakeGpu gpu;
    TimingOptions options;
};

TEST_F(LibraryRung, is_verified_then_timed_as_ours_are) {
    const record::Record r = run(kProduct, "cublas");
    EXPECT_FALSE(r.error) << *r.error;
    EXPECT_EQ(r.library, "cublas");
    EXPECT_EQ(r.unit, "fp32");
    EXPECT_EQ(r.title, "the vendor's: cuBLAS 13.1.0");
    EXPECT_EQ(r.verified, true);
    EXPECT_EQ(r.verification->elements, 30u);
    ASSERT_TRUE(r.time);
    EXPECT_NEAR(r.time->median_s, 5e-6, 1e-9);
    EXPECT_EQ(r.flops, 420);
    EXPECT_THAT(r.notes, Contains("cuBLAS 13.1.0, gemm, f32, pedantic"));
    EXPECT_TRUE(gpu.memory.empty()) << "all memory goes back";
    EXPECT_EQ(library().handles, 0u);
}

TEST_F(LibraryRung, its_unit_follows_what_it_multiplies_in) {
    const record::Record r = run(kProduct, "tf32");
    EXPECT_EQ(r.verified, true);
    EXPECT_EQ(r.unit, "tf32");
    EXPECT_THAT(r.notes, Contains("cublasLt 13.1.0, tf32, added in f32; the fastest of 1 algorithms, number 1"));
}

TEST_F(LibraryRung, runs_on_sets_of_buffers_in_rotation) {
    gpu.cache = 1000;  // three times the cache: 10 sets of 428 bytes
    const record::Record r = run(kProduct, "cublas");
    ASSERT_TRUE(r.time);
    EXPECT_NEAR(r.time->median_s, 5e-6, 1e-9) << "of one run on one set";
    EXPECT_EQ(r.time->cache, "cold");
    EXPECT_GE(gpu.most, 8 * 3u);
    EXPECT_TRUE(gpu.memory.empty());
}

TEST_F(LibraryRung, a_wrong_result_is_not_timed) {
    library().wrong = true;
    const record::Record r = run(kProduct, "cublas");
    EXPECT_EQ(r.verified, false);
    EXPECT_FALSE(r.time);
    EXPECT_THAT(r.notes, Contains("not timed: the result is wrong"));
}

TEST_F(LibraryRung, what_a_library_does_not_do_or_is_not_there_leaves_the_rung_out) {
    record::Record r = run(kProduct, "sparse");
    EXPECT_FALSE(r.error);
    EXPECT_EQ(r.left_out, "cuSPARSELt multiplies a pruned A only (the reference has no sparse = \"2:4\")");
    library().propose_status = 15;
    r = run(kProduct, "tf32");
    EXPECT_EQ(r.left_out, "cublasLt has no algorithm for this product: CUBLAS_STATUS_NOT_SUPPORTED");
    ::setenv("WARPWRIGHT_CUBLAS", "/nowhere/libcublas.so", 1);
    r = run(kProduct, "cublas");
    EXPECT_FALSE(r.error);
    EXPECT_THAT(*r.left_out, testing::AllOf(HasSubstr("/nowhere/libcublas.so"), HasSubstr("WARPWRIGHT_CUBLAS")));
    EXPECT_FALSE(r.time);
}

TEST_F(LibraryRung, a_copy_is_a_measure_of_the_memory_not_a_solution) {
    const record::Record r = run(kProduct, "copy", {6, 6, 6});
    EXPECT_FALSE(r.error);
    EXPECT_FALSE(r.verified);
    ASSERT_TRUE(r.time);
    EXPECT_NEAR(r.time->median_s, 1e-6, 1e-9);
    EXPECT_THAT(r.notes, Contains(HasSubstr("a copy, bit by bit its input")));
}

TEST_F(LibraryRung, a_transpose_is_geam) {
    const std::string text = R"toml(
schema = 1
name = "transpose"
[problem]
sizes = ["M", "N"]
default = [8]
[[buffer]]
name = "x"
type = "f32"
count = "M*N"
[[buffer]]
name = "y"
type = "f32"
count = "M*N"
role = "output"
[reference]
builtin = "transpose"
inputs = ["x"]
output = "y"
sizes = ["M", "N"]
[tolerance]
relative = "0"
[[rung]]
name = "geam"
library = "cublas"
bytes = "8*M*N"
flops = "0"
)toml";
    const record::Record r = run(text, "geam", {7, 4});
    EXPECT_FALSE(r.error) << *r.error;
    EXPECT_EQ(r.verified, true);
    EXPECT_EQ(r.unit, "none");
    EXPECT_THAT(library().calls, Contains("geam"));
}

}  // namespace library_rung_test
}  // namespace warpwright::measure

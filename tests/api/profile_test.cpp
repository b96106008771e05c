// Profiles and what the verdicts and matchers say of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "warpwright/matchers.hpp"
#include "warpwright/testing.hpp"

namespace profile_test {

using namespace warpwright;
using namespace warpwright::matchers;
using record::Count;
using ::testing::HasSubstr;
using ::testing::Not;
using warpwright::test::Gpu;

/// What a matcher says of a launch.
std::string said(const ProfileMatcher& m, const Profile& p) {
    std::ostringstream out;
    m.MatchAndExplain(p, &out);
    return out.str();
}

const char* const kText = R"(extern "C" __global__ void strided(const float* in, float* out, int n) {
    __shared__ float s[32 * 32];
    int t = threadIdx.x;
    s[t * 32] = in[t * 8];
    __syncthreads();
    if (t % 2) out[t] = s[t * 32] * n;
    else out[t] = s[t * 32];
}
)";

class Profiles : public ::testing::Test {
protected:
    Profile strided(Gpu& gpu) {
        auto in = gpu.buffer(std::vector<float>(256, 1));
        auto out = gpu.buffer<float>(32);
        return gpu.kernel_text(kText, "strided", "strided.cu")({1}, {32}, in, out, 3);
    }
    Gpu gpu_;
};

TEST_F(Profiles, CountsAndFiguresOfOneLaunch) {
    const auto p = strided(gpu_);
    EXPECT_EQ(p.kernel, "strided");
    EXPECT_EQ(p.model, "h200");
    EXPECT_FALSE(p.error);
    EXPECT_EQ(p[Count::global_load_sectors], 32u);
    EXPECT_EQ(p[Count::global_load_requests], 1u);
    EXPECT_EQ(p.occupancy.shared, 4096u);
    EXPECT_GT(p.bound.seconds, 0);
    // The same counts as without checkers.
    Gpu plain("h200", "memory");
    EXPECT_EQ(strided(plain).counts.total, p.counts.total);
    auto unchecked = Device::open();
    ASSERT_TRUE(unchecked);
    auto program = unchecked->compile_text("strided.cu", kText);
    ASSERT_TRUE(program) << program.error().text();
    auto in = unchecked->upload(std::span<const float>(std::vector<float>(256, 1))), out = unchecked->allocate(128);
    auto ran = unchecked->launch(*program, "strided", {1}, {32}, {*in, *out, 3});
    ASSERT_TRUE(ran) << ran.error().text();
    EXPECT_EQ(ran->counts->total, p.counts.total);
}

TEST_F(Profiles, FailuresNameTheLine) {
    const auto p = strided(gpu_);
    EXPECT_THAT(p, HasNoFindings());
    EXPECT_THAT(p, Not(HasNoBankConflicts()));
    auto text = said(HasNoBankConflicts(), p);
    EXPECT_THAT(text, HasSubstr("at strided.cu:4: 31 bank conflicts in 1 requests"));
    EXPECT_THAT(text, HasSubstr("s[t * 32] = in[t * 8];"));
    EXPECT_THAT(p, Not(SectorsPerRequestAtMost(4)));
    text = said(SectorsPerRequestAtMost(4), p);
    EXPECT_THAT(text, HasSubstr("has 32 sectors per load, "));
    EXPECT_THAT(text, HasSubstr("at strided.cu:4: 32 sectors per load, of 1 requests"));
    EXPECT_THAT(p, SectorsPerRequestAtMost(32));
    EXPECT_THAT(said(GlobalBytesAtMost(1000), p), HasSubstr("strided.cu:4: 1024 bytes in 32 sectors"));
    EXPECT_THAT(p, GlobalBytesAtMost(32 * 32 + 2 * 128));
    EXPECT_THAT(p, Not(GlobalEfficiencyAtLeast(0.5)));
    EXPECT_THAT(said(OccupancyAtLeast(1), p), HasSubstr("limited by"));
    EXPECT_THAT(p, OccupancyAtLeast(0.1));
    EXPECT_THAT(p, Not(RegistersAtMost(1)));
    EXPECT_THAT(p, SharedBytesAtMost(4096));
    EXPECT_THAT(p, Not(SharedBytesAtMost(4095)));
    EXPECT_THAT(p, CountAtMost(Count::barriers, 1));
    EXPECT_THAT(p, Not(HasNoneOf(Count::barriers)));
    EXPECT_THAT(said(HasNoneOf(Count::barriers), p), HasSubstr("strided.cu:5: 1"));
    EXPECT_THAT(p, HasNoLocalMemory());
}

TEST_F(Profiles, DivergentBranches) {
    auto kernel = gpu_.kernel_text(R"(
__global__ void half(int* x, int n) {
    int t = threadIdx.x;
    if (t % 32 < 16)
        for (int k = 0; k < n; ++k) atomicAdd(&x[k], t);
    __syncwarp();
})",
                                   "", "half.cu");
    auto x = gpu_.buffer(std::vector<int>(8));
    const auto p = kernel({1}, {64}, x, 8);
    EXPECT_THAT(p, Not(BranchEfficiencyAtLeast(1)));
    EXPECT_THAT(said(BranchEfficiencyAtLeast(1), p), HasSubstr("half.cu:4: 2 of "));
    EXPECT_THAT(p, Not(LaneEfficiencyAtLeast(0.9)));
    EXPECT_THAT(said(LaneEfficiencyAtLeast(0.9), p), HasSubstr("half.cu:5: 16 of 32 lanes active"));
}

TEST_F(Profiles, FindingsAreOfTheLaunch) {
    auto kernel = gpu_.kernel_text("__global__ void shift(int* x, int by) {\n    x[threadIdx.x + by] = 1;\n}\n",
                                   "shift", "shift.cu");
    auto x = gpu_.buffer<int>(32);
    const auto bad = kernel({1}, {32}, x, 1);
    EXPECT_THAT(bad, HasFinding("out-of-bounds", 2));
    EXPECT_THAT(bad, Not(HasFinding("out-of-bounds", 1)));
    EXPECT_THAT(bad, Not(HasNoBadAccesses()));
    EXPECT_THAT(bad, HasNoRaces());
    const auto text = said(HasNoFindings(), bad);
    EXPECT_THAT(text, HasSubstr("error[out-of-bounds]"));
    EXPECT_THAT(text, HasSubstr("at shift.cu:2"));
    EXPECT_THAT(text, HasSubstr("x[threadIdx.x + by] = 1;"));
    EXPECT_THAT(kernel({1}, {32}, x, 0), HasNoFindings());
    EXPECT_THAT(said(HasFinding("out-of-bound"), bad), HasSubstr("not a kind of finding"));
}

TEST_F(Profiles, ALaunchThatEndsBadlyHoldsNothing) {
    auto kernel = gpu_.kernel_text("__global__ void stop(int* x) {\n    x[threadIdx.x] = 1;\n    __trap();\n}\n");
    const auto p = kernel({1}, {32}, gpu_.buffer<int>(32));
    ASSERT_TRUE(p.error);
    EXPECT_THAT(p, HasFinding("fault"));
    for (const auto& m : {HasNoFindings(), HasNoBankConflicts(), SectorsPerRequestAtMost(32),
                          GlobalBytesAtMost(1 << 20), BranchEfficiencyAtLeast(0)})
        EXPECT_THAT(p, Not(m));
    EXPECT_THAT(said(HasNoBankConflicts(), p), HasSubstr("did not complete"));
}

TEST_F(Profiles, WhatWasNotLookedAtDoesNotHold) {
    Gpu gpu("h200", "memory");
    const auto p = strided(gpu);
    EXPECT_THAT(p, HasNoBadAccesses());
    EXPECT_THAT(p, Not(HasNoRaces()));
    EXPECT_THAT(said(HasNoRaces(), p), HasSubstr("without the checker 'race'"));
    EXPECT_THAT(p, Not(HasNoFindings()));
}

TEST_F(Profiles, WhatCannotBeLaunchedIsThrown) {
    auto kernel = gpu_.kernel_text(kText);
    EXPECT_THROW(kernel({1}, {32}, 3), std::runtime_error);
    EXPECT_THROW(gpu_.kernel_text("__global__ void broken( {}"), std::runtime_error);
    EXPECT_THROW(gpu_.kernel("/nowhere/kernel.cu"), std::runtime_error);
    EXPECT_THROW(Gpu("no-such-model"), std::runtime_error);
    EXPECT_THROW(Gpu("h200", "leaks"), std::runtime_error);
    try {
        gpu_.kernel_text("__global__ void f(int* x) {\n    x = y;\n}\n", "f", "f.cu");
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("f.cu:2"));
    }
}

}  // namespace profile_test

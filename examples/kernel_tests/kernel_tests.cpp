// What a kernel's unit tests can ask for: the right result, no races or bad accesses, and that it stays as fast as it was
// made: coalesced, without bank conflicts, with enough warps. No GPU is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>
#include <warpwright/matchers.hpp>
#include <warpwright/testing.hpp>

using namespace warpwright::matchers;
using testing::AllOf;
using testing::Not;
using warpwright::record::Count;
using warpwright::test::Gpu;

namespace {

constexpr int kSize = 128;
const warpwright::Extent kGrid{kSize / 32, kSize / 32}, kBlock{32, 8};

struct Transposition {
    std::vector<float> in, expected;
    Transposition() : in(kSize * kSize), expected(in.size()) {
        std::iota(in.begin(), in.end(), 0.0f);
        for (std::size_t i = 0; i < in.size(); ++i) expected[i % kSize * kSize + i / kSize] = in[i];
    }
};

}  // namespace

TEST(Transpose, IsRightAndStaysFast) {
    Gpu gpu;
    const Transposition problem;
    auto transpose = gpu.kernel(KERNELS, "transpose_padded");
    auto in = gpu.buffer(problem.in);
    auto out = gpu.buffer<float>(problem.in.size());
    auto launch = transpose(kGrid, kBlock, in, out, kSize);
    EXPECT_EQ(out.values(), problem.expected);
    EXPECT_THAT(launch, HasNoFindings());
    EXPECT_THAT(launch, AllOf(HasNoBankConflicts(), SectorsPerRequestAtMost(4), GlobalBytesAtMost(2 * kSize * kSize * 4)));
    EXPECT_THAT(launch, AllOf(OccupancyAtLeast(0.5), BranchEfficiencyAtLeast(1), HasNoLocalMemory()));
}

TEST(Transpose, WithoutPaddingHasBankConflicts) {
    Gpu gpu;
    auto in = gpu.buffer(Transposition().in);
    auto out = gpu.buffer<float>(in.size());
    auto launch = gpu.kernel(KERNELS, "transpose_tiled")(kGrid, kBlock, in, out, kSize);
    EXPECT_THAT(launch, AllOf(HasNoFindings(), SectorsPerRequestAtMost(4), Not(HasNoBankConflicts())));
    // 31 of 32 passes of each load from the tile.
    EXPECT_EQ(launch.bank_conflicts(), 31 * launch[Count::shared_load_requests]);
}

TEST(Transpose, NaiveStoresAreScattered) {
    Gpu gpu;
    auto in = gpu.buffer(Transposition().in);
    auto out = gpu.buffer<float>(in.size());
    auto launch = gpu.kernel(KERNELS, "transpose_naive")(kGrid, kBlock, in, out, kSize);
    EXPECT_THAT(launch, AllOf(HasNoFindings(), Not(SectorsPerRequestAtMost(4)), SectorsPerRequestAtMost(32)));
}

TEST(Sum, HasNoRaces) {
    Gpu gpu;
    const int n = 1000;
    auto in = gpu.buffer(std::vector<int>(n, 3));
    auto out = gpu.buffer(std::vector<int>{0});
    auto launch = gpu.kernel(KERNELS, "sum")({4}, {256}, in, out, n);
    EXPECT_EQ(out.values()[0], 3 * n);
    EXPECT_THAT(launch, AllOf(HasNoRaces(), HasNoBadAccesses(), HasNoUninitialisedReads(), HasNoBarrierMisuse()));
}

TEST(Sum, RacesAreSeenThoughTheResultMayBeRight) {
    Gpu gpu;
    const int n = 1000;
    auto in = gpu.buffer(std::vector<int>(n, 3));
    auto out = gpu.buffer(std::vector<int>{0});
    auto launch = gpu.kernel(KERNELS, "sum", {.defines = {"FORGET_THE_BARRIER"}, .include_folders = {}})({4}, {256}, in, out, n);
    EXPECT_THAT(launch, AllOf(HasFinding("race-shared"), Not(HasNoRaces())));
}

TEST(Text, AKernelMayStandInTheTest) {
    Gpu gpu("a100");
    auto doubled = gpu.kernel_text(R"(
        __global__ void twice(float* x) { x[threadIdx.x] *= 2; }
    )");
    auto x = gpu.buffer(std::vector<float>{1, 2, 3});
    EXPECT_THAT(doubled({1}, {3}, x), HasNoFindings());
    EXPECT_EQ(x.values(), (std::vector<float>{2, 4, 6}));
    // One thread too many.
    EXPECT_THAT(doubled({1}, {4}, x), HasFinding("out-of-bounds", 2));
}

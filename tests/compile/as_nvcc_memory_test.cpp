// What is read again, where elements are found, and what sides of branches write, is as in nvcc's code; the figures are
// those of nvcc 13.0 for the same source.
#include "kernels_of.hpp"

namespace warpwright::compile {
namespace as_nvcc_memory_test {

constexpr const char* kLoad = R"(\tld\.(global|local))";
constexpr const char* kStore = R"(\tst\.(global|local|shared))";

const std::vector<std::string>& lines_of(const std::string& name) {
    static const auto kernels = kernels_of(R"(
#define KERNEL extern "C" __global__ void
typedef unsigned char byte;
KERNEL other_type(float* o, const int* b) { int t = threadIdx.x; o[t] = b[0]; o[t + 32] = b[0]; }
KERNEL stride_signed(float* o, const float* a, int n, int m) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) o[i] = a[i * m + 3];
}
KERNEL stride_long(float* o, const float* a, size_t n, size_t m) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) o[i] = a[i * m];
}
KERNEL quotient_again(float* o, const float* a, int n, int m, int s) {
    for (int j = 0; j < n; j++)
        for (int i = j; i < m; i += s) o[i] += a[i + j];
}
KERNEL quotient_once(float* o, const float* a, int n, int m, int s) {
    for (int j = 0; j < n; j++)
        for (int i = threadIdx.x; i < m; i += s) o[i] += a[i + j];
}
KERNEL may_stand_still(float* o, const float* a, int n, int m, int s) {
    for (int i = 0; i < n; i += s) { o[i] = a[i * 3 + m]; __threadfence(); }
}
KERNEL sums_of_indices(float* o, const float* a, int n, int m) {
    a += blockIdx.x * m; o += blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) o[i] = a[i * 2];
}
KERNEL read_only(float* o, const float* a, int n, int m) {
    for (int i = 0; i < n; i++) o[threadIdx.x] += __ldg(&a[threadIdx.x * m + i]);
}
KERNEL bytes(byte* __restrict__ o, const byte* __restrict__ a) { int t = threadIdx.x; o[t] = a[t] + a[t + 1] + 1; }
KERNEL truth(byte* __restrict__ o, const bool* __restrict__ a, const byte* __restrict__ b) {
    int t = threadIdx.x;
    if (a[t]) o[t] = b[t];
}
KERNEL part_of_bytes(byte* o, const uchar4* a) { int t = threadIdx.x; uchar4 v = a[t]; o[t] = v.x + v.z * 3; }
KERNEL local_array(float* o, const float* a, int n) {
    float x[4]; int t = threadIdx.x;
    for (int i = 0; i < 4; i++) x[i] = a[t + i];
    o[t] = x[n];
}
KERNEL local_pairs(int* o, const int* a, int n) {
    int x[10], t = threadIdx.x;
    for (int i = 0; i < 10; i++) x[i] = a[t + i];
    o[t] = x[n];
}
KERNEL three_sides(float* o, const float* a, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, k = blockIdx.x * n + t;
    s[t] = a[k];
    __syncthreads();
    if (t == 0) o[k] = s[t + 1] - s[t];
    else if (t == n - 1) o[k] = s[t - 1] - s[t];
    else o[k] = s[t + 1] - 2 * s[t] + s[t - 1];
}
KERNEL three_sides_apart(float* o, const float* a, int n) {
    int t = threadIdx.x, k = blockIdx.x * n + t;
    if (t == 0) o[k] = a[k + 1] - a[k];
    else if (t == n - 1) o[k] = a[k - 1] - a[k];
    else o[k] = a[k + 1] - 2 * a[k] + a[k - 1];
}
KERNEL shared_by_some_sides(float* o, float* p, const int* a, volatile int* v, float x, float y, float z) {
    int t = threadIdx.x;
    if (a[t] > 3) {
        float *q = o + t, *r = p + t;
        if (a[t] & 1) { v[1] = 3; *q = x; *r = x; } else { v[2] = 4; *q = y; *r = y; }
    } else {
        if (v[0] == 7) v[1] = 5;
        float *q = o + t, *r = p + t;
        *q = z; *r = z;
    }
    o[t + 100] = 1;
}
KERNEL two_sides_end(float* o, const float* a, int n) {
    int t = threadIdx.x;
    if (t < n) o[t] = a[t] * 2;
    else o[t] = a[t + n] + 1;
}
KERNEL two_indices(float* o, float* p, int n) { int t = threadIdx.x; if (t & 1) o[2 * t] = p[t]; else o[t] = p[t]; }
KERNEL two_arrays(float* o, float* p, int n) { int t = threadIdx.x; if (t & 1) o[t] = t; else p[t] = t; }
KERNEL in_a_loop(int* o, const int* a, int n) {
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        if (a[t + i] > n) o[i] = a[i + 3] / n; else o[i] = a[i + n] % n;
}
)");
    return kernels.at(name);
}
long size_of(const std::string& name) { return static_cast<long>(lines_of(name).size()); }

TEST(AsNvccMemory, WhatAStoreOfAnotherTypeMayHaveChangedIsReadAgain) {
    EXPECT_EQ(count(lines_of("other_type"), kLoad), 2);
}

TEST(AsNvccMemory, CountersThatMayOverflowLeadNoWalk) {
    EXPECT_EQ(size_of("stride_signed"), 25);
    EXPECT_EQ(size_of("stride_long"), 27);
}

TEST(AsNvccMemory, LoopsWhoseRoundsAreAQuotientAreUnrolledWhereItIsComputedOnce) {
    EXPECT_EQ(count(lines_of("quotient_again"), kStore), 1);
    EXPECT_EQ(count(lines_of("quotient_once"), kStore), 7);
    EXPECT_EQ(count(lines_of("may_stand_still"), kStore), 1);
}

TEST(AsNvccMemory, PartsOfAnIndexAreAddedBeforeTheyAreScaled) {
    EXPECT_EQ(size_of("sums_of_indices"), 30);
    EXPECT_EQ(count(lines_of("sums_of_indices"), R"(\tshl\.b64)"), 2);
}

TEST(AsNvccMemory, NoValueIsKeptBesideAReadOnlyLoad) { EXPECT_EQ(count(lines_of("read_only"), kLoad), 10); }

TEST(AsNvccMemory, BytesAndTruthAreWhatWasLoaded) {
    EXPECT_EQ(size_of("bytes"), 14);
    EXPECT_EQ(size_of("truth"), 17);
    EXPECT_EQ(count(lines_of("part_of_bytes"), kLoad), 1);
}

TEST(AsNvccMemory, LocalArraysAreAsAlignedAsTheirSizesAllow) {
    EXPECT_EQ(count(lines_of("local_array"), R"(\tst\.local\.v4)"), 1);
    EXPECT_EQ(count(lines_of("local_pairs"), R"(\tst\.local\.v2)"), 5);
}

TEST(AsNvccMemory, WhatAllSidesEndWithIsDoneOnce) {
    EXPECT_EQ(count(lines_of("three_sides"), R"(\tst\.global)"), 1);
    EXPECT_EQ(count(lines_of("three_sides_apart"), kStore), 3);
    EXPECT_EQ(count(lines_of("two_sides_end"), kStore), 2);
    EXPECT_EQ(count(lines_of("two_indices"), kStore), 1);
    EXPECT_EQ(count(lines_of("two_indices"), kBranch), 0);
    EXPECT_EQ(count(lines_of("two_arrays"), kStore), 2);
    EXPECT_EQ(count(lines_of("in_a_loop"), kStore), 1);
}

/// Of an address that two of three sides share, the third has computed nothing.
TEST(AsNvccMemory, WhatSomeSidesShareIsComputedBehindAllOfThem) {
    const auto& lines = lines_of("shared_by_some_sides");
    const auto is = [&](std::size_t k, const char* what) { return std::regex_search(lines[k], std::regex(what)); };
    std::size_t store = 0;
    while (store < lines.size() && !is(store, R"(\tst\.global\.f32)")) ++store;
    ASSERT_LT(store, lines.size());
    std::smatch address;
    ASSERT_TRUE(std::regex_search(lines[store], address, std::regex(R"(\[(%rd\d+)\])")));
    auto made = store;
    do --made;
    while (made > 0 && !is(made, R"(\tbra|\tst\.)") &&
           lines[made].find("\t" + address[1].str() + ",") == std::string::npos);
    EXPECT_TRUE(lines[made].find("\t" + address[1].str() + ",") != std::string::npos) << lines[store];
}

}  // namespace as_nvcc_memory_test
}  // namespace warpwright::compile

// The counts of small kernels, worked out by hand from the rules of docs/counters.md.
#include "common/processors.hpp"
#include "support.hpp"

namespace counts_test {

using namespace device_tests;

/// c[i] = a[i] + b[i] for i < n. Instructions: 4 index + 1 ld.param n + setp + bra, then 12, then ret.
const std::string kVectorAdd = module("u64 c, u64 a, u64 b, u32 n", R"(
mov.u32 %r2, %tid.x;
mov.u32 %r3, %ctaid.x;
mov.u32 %r4, %ntid.x;
mad.lo.s32 %r1, %r3, %r4, %r2;
ld.param.u32 %r5, [n];
setp.ge.u32 %p1, %r1, %r5;
@%p1 bra END;
ld.param.u64 %rd1, [a];
ld.param.u64 %rd2, [b];
ld.param.u64 %rd3, [c];
mul.wide.u32 %rd4, %r1, 4;
add.s64 %rd5, %rd1, %rd4;
add.s64 %rd6, %rd2, %rd4;
add.s64 %rd7, %rd3, %rd4;
ld.global.f32 %f1, [%rd5];
ld.global.f32 %f2, [%rd6];
add.f32 %f3, %f1, %f2;
st.global.f32 [%rd7], %f3;
END:)");

TEST(Counts, VectorAddWithGuard) {
    // 1000 threads of work in 4 blocks of 256: warp 31 has 8 lanes in bounds, every other warp 32.
    const unsigned n = 1000;
    Gpu gpu;
    auto a = gpu.buffer(std::vector<float>(n, 1.5f)), b = gpu.buffer(std::vector<float>(n, 2.0f)),
         c = gpu.buffer(std::vector<float>(n));
    const auto counts = gpu.counts(kVectorAdd, {4}, {256}, parameters(c, a, b, n));
    EXPECT_EQ(gpu.read<float>(c, n), std::vector<float>(n, 3.5f));
    EXPECT_EQ(counts[Count::instructions], 32u * (7 + 11 + 1));
    EXPECT_EQ(counts[Count::thread_instructions], 1024u * 8 + n * 11);
    EXPECT_EQ(counts[Count::branches], 32u);
    EXPECT_EQ(counts[Count::divergent_branches], 1u);
    EXPECT_EQ(counts[Count::global_load_requests], 64u);
    EXPECT_EQ(counts[Count::global_load_sectors], 2u * n * 4 / 32);
    EXPECT_EQ(counts[Count::global_store_requests], 32u);
    EXPECT_EQ(counts[Count::global_store_sectors], n * 4u / 32);
    EXPECT_EQ(counts[Count::global_bytes_requested], 3u * n * 4);
    EXPECT_EQ(counts[Count::flops], n);
    EXPECT_EQ(counts[Count::flops_f32], n);
    EXPECT_EQ(counts[Count::barriers], 0u);
    EXPECT_EQ(counts[Count::shared_load_requests], 0u);
}

TEST(Counts, DoNotDependOnThreadsNorCpu) {
    const unsigned n = 3001;
    std::optional<Counts> first;
    const auto plainest = warpwright::test::plainest_processor(),
               lesser = warpwright::test::lesser_processors().front();
    const char *plain = plainest.c_str(), *other = lesser.c_str();
    for (auto [threads, cpu] : {std::pair{1u, ""}, {4u, ""}, {1u, plain}, {4u, plain}, {1u, other}, {1u, "native"}}) {
        Gpu gpu(threads, cpu);
        auto a = gpu.buffer(iota<float>(n)), b = gpu.buffer(iota<float>(n)), c = gpu.buffer(std::vector<float>(n));
        const auto counts = gpu.counts(kVectorAdd, {47}, {65}, parameters(c, a, b, n));
        const auto sums = gpu.read<float>(c, n);
        for (unsigned i = 0; i < n; ++i) ASSERT_EQ(sums[i], 2.0f * i) << cpu << " " << threads;
        if (!first) first = counts;
        EXPECT_TRUE(counts == *first) << cpu << " " << threads;
        EXPECT_GT(counts[Count::instructions], 0u);
    }
}

TEST(Counts, OffGivesNone) {
    Gpu gpu;
    auto a = gpu.buffer(std::vector<float>(32, 1)), c = gpu.buffer(std::vector<float>(32));
    LaunchOptions off;
    off.counters = false;
    auto result = gpu.launch(kVectorAdd, {1}, {32}, parameters(c, a, a, 32u), off);
    EXPECT_FALSE(result.counts.has_value());
    EXPECT_EQ(gpu.read<float>(c, 32), std::vector<float>(32, 2.0f));
}

/// out[i] = in[i * stride + offset] for 32 lanes of 4 bytes: sectors of the load.
std::uint64_t sectors(unsigned stride, unsigned offset) {
    Gpu gpu;
    auto in = gpu.buffer(iota(2048)), out = gpu.buffer(std::vector<std::uint32_t>(32));
    const auto ptx = module("u64 out, u64 in, u32 stride, u32 offset", index_into("out") + R"(
ld.param.u64 %rd3, [in];
ld.param.u32 %r5, [stride];
ld.param.u32 %r6, [offset];
mad.lo.u32 %r7, %r1, %r5, %r6;
mul.wide.u32 %rd4, %r7, 4;
add.s64 %rd5, %rd3, %rd4;
ld.global.u32 %r8, [%rd5];
st.global.u32 [%rd2], %r8;)");
    const auto counts = gpu.counts(ptx, {1}, {32}, parameters(out, in, stride, offset));
    const auto values = gpu.read<std::uint32_t>(out, 32);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(values[i], i * stride + offset);
    EXPECT_EQ(counts[Count::global_load_requests], 1u);
    EXPECT_EQ(counts[Count::global_store_sectors], 4u);
    return counts[Count::global_load_sectors];
}

TEST(Counts, SectorsOfShiftedAndStridedLoads) {
    EXPECT_EQ(sectors(1, 0), 4u);
    EXPECT_EQ(sectors(1, 1), 5u);
    EXPECT_EQ(sectors(1, 7), 5u);
    EXPECT_EQ(sectors(1, 8), 4u);
    EXPECT_EQ(sectors(0, 5), 1u);  // broadcast
    EXPECT_EQ(sectors(2, 0), 8u);
    EXPECT_EQ(sectors(3, 0), 12u);
    EXPECT_EQ(sectors(8, 0), 32u);
    EXPECT_EQ(sectors(32, 3), 32u);
}

/// A 32x32 tile written by rows and read by columns with rows of `pitch` words.
Counts transpose(unsigned pitch) {
    Gpu gpu;
    auto in = gpu.buffer(iota(1024)), out = gpu.buffer(std::vector<std::uint32_t>(1024));
    const auto p = std::to_string(pitch);
    const auto ptx = module("u64 out, u64 in", R"(
.shared .align 4 .b8 tile[)" + std::to_string(32 * pitch * 4) +
                                                   R"(];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %tid.y;
mad.lo.u32 %r3, %r2, 32, %r1;
ld.param.u64 %rd1, [in];
ld.param.u64 %rd2, [out];
mul.wide.u32 %rd3, %r3, 4;
add.s64 %rd1, %rd1, %rd3;
add.s64 %rd2, %rd2, %rd3;
ld.global.u32 %r4, [%rd1];
mov.u32 %r5, tile;
mad.lo.u32 %r6, %r2, )" + p + R"(, %r1;
shl.b32 %r6, %r6, 2;
add.u32 %r6, %r5, %r6;
st.shared.u32 [%r6], %r4;
bar.sync 0;
mad.lo.u32 %r7, %r1, )" + p + R"(, %r2;
shl.b32 %r7, %r7, 2;
add.u32 %r7, %r5, %r7;
ld.shared.u32 %r8, [%r7];
st.global.u32 [%rd2], %r8;)");
    const auto counts = gpu.counts(ptx, {1}, {32, 32}, parameters(out, in));
    const auto values = gpu.read<std::uint32_t>(out, 1024);
    for (unsigned y = 0; y < 32; ++y)
        for (unsigned x = 0; x < 32; ++x) EXPECT_EQ(values[y * 32 + x], x * 32 + y);
    return counts;
}

TEST(Counts, TransposeThroughSharedMemory) {
    const auto plain = transpose(32), padded = transpose(33);
    EXPECT_EQ(plain[Count::shared_load_requests], 32u);
    EXPECT_EQ(plain[Count::shared_load_wavefronts], 32u * 32);
    EXPECT_EQ(plain[Count::shared_load_bank_conflicts], 32u * 31);
    EXPECT_EQ(plain[Count::shared_load_excess_wavefronts], 32u * 31);
    EXPECT_EQ(plain[Count::shared_store_wavefronts], 32u);
    EXPECT_EQ(plain[Count::shared_store_bank_conflicts], 0u);
    EXPECT_EQ(padded[Count::shared_load_requests], 32u);
    EXPECT_EQ(padded[Count::shared_load_wavefronts], 32u);
    EXPECT_EQ(padded[Count::shared_load_bank_conflicts], 0u);
    EXPECT_EQ(padded[Count::shared_store_wavefronts], 32u);
    EXPECT_EQ(plain[Count::barriers], 32u);
    EXPECT_EQ(plain[Count::shared_bytes_requested], 2u * 1024 * 4);
    EXPECT_EQ(plain[Count::instructions], padded[Count::instructions]);
    EXPECT_EQ(plain[Count::instructions], 32u * 21);
}

TEST(Counts, SharedBroadcastIsOnePass) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(64));
    const auto counts = gpu.counts(module("u64 out", index_into("out") + R"(
.shared .align 8 .b8 s[512];
mov.u32 %r5, s;
shl.b32 %r6, %r2, 2;
add.u32 %r6, %r5, %r6;
st.shared.u32 [%r6], %r2;
bar.sync 0;
ld.shared.u32 %r7, [s+28];
ld.shared.v2.u32 {%r8, %r9}, [s+32];
add.u32 %r7, %r7, %r8;
add.u32 %r7, %r7, %r9;
st.global.u32 [%rd2], %r7;)"),
                                   {1}, {64}, parameters(out));
    EXPECT_EQ(gpu.read<std::uint32_t>(out, 64), std::vector<std::uint32_t>(64, 7 + 8 + 9));
    EXPECT_EQ(counts[Count::shared_load_requests], 4u);
    EXPECT_EQ(counts[Count::shared_load_wavefronts], 4u);
    EXPECT_EQ(counts[Count::shared_load_bank_conflicts], 0u);
    EXPECT_EQ(counts[Count::shared_bytes_requested], 64u * (4 + 4 + 8));
}

TEST(Counts, DivergentIfElse) {
    // Lanes below `cut` of each warp go one way. Two warps: cut 40 splits the second one only.
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(64));
    const auto ptx = module("u64 out, u32 cut", index_into("out") + R"(
ld.param.u32 %r5, [cut];
setp.lt.u32 %p1, %r2, %r5;
@%p1 bra LOW;
mov.u32 %r6, 7;
st.global.u32 [%rd2], %r6;
ret;
LOW:
mul.lo.u32 %r6, %r2, 3;
st.global.u32 [%rd2], %r6;)");
    for (const unsigned cut : {0u, 1u, 31u, 32u, 40u, 64u}) {
        const auto counts = gpu.counts(ptx, {1}, {64}, parameters(out, cut));
        const auto values = gpu.read<std::uint32_t>(out, 64);
        for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(values[i], i < cut ? i * 3 : 7) << cut;
        const unsigned high_warps = cut == 64 ? 0 : cut >= 32 ? 1 : 2, low_warps = (cut + 31) / 32;
        EXPECT_EQ(counts[Count::divergent_branches], cut % 32 ? 1u : 0u) << cut;
        EXPECT_EQ(counts[Count::branches], 2u) << cut;
        EXPECT_EQ(counts[Count::instructions], 2u * (7 + 3) + (high_warps + low_warps) * 3) << cut;
        EXPECT_EQ(counts[Count::thread_instructions], 64u * (10 + 3)) << cut;
        EXPECT_EQ(counts[Count::global_store_requests], high_warps + low_warps) << cut;
    }
}

TEST(Counts, LoopsAndBarriers) {
    // Each lane loops tid % 4 + 1 times; each warp therefore 4 times, and 3 of its 4 back branches split.
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(96));
    auto counts = gpu.counts(module("u64 out", index_into("out") + R"(
and.b32 %r5, %r2, 3;
mov.u32 %r6, 0;
L:
add.u32 %r6, %r6, 10;
sub.u32 %r5, %r5, 1;
setp.ge.s32 %p1, %r5, 0;
@%p1 bra L;
st.global.u32 [%rd2], %r6;)"),
                             {1}, {96}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 96);
    for (unsigned i = 0; i < 96; ++i) EXPECT_EQ(values[i], (i % 4 + 1) * 10);
    EXPECT_EQ(counts[Count::branches], 3u * 4);
    EXPECT_EQ(counts[Count::divergent_branches], 3u * 3);
    EXPECT_EQ(counts[Count::instructions], 3u * (7 + 2 + 4 * 4 + 2));
    EXPECT_EQ(counts[Count::thread_instructions], 96u * 11 + 24u * 4 * (1 + 2 + 3 + 4));
    counts = gpu.counts(module("u32 n", R"(
ld.param.u32 %r1, [n];
L:
bar.sync 0;
sub.u32 %r1, %r1, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra L;)"),
                        {5}, {80}, parameters(7u));
    EXPECT_EQ(counts[Count::barriers], 5u * 3 * 7);
    EXPECT_EQ(counts[Count::divergent_branches], 0u);
    EXPECT_EQ(counts[Count::instructions], 5u * 3 * (2 + 7 * 4));
}

TEST(Counts, ByLine) {
    const auto ptx = kHeader + ".file 1 \"k.cu\"\n" + kernel("u64 out", R"(
.loc 1 10 3
)" + index_into("out") + R"(
.loc 1 12 5
setp.lt.u32 %p1, %r2, 8;
@!%p1 bra END;
.loc 1 13 7
mul.lo.u32 %r5, %r2, %r2;
st.global.u32 [%rd2], %r5;
.loc 1 15 1
END:)");
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(64));
    LaunchOptions options;
    options.per_line = true;
    const auto result = gpu.launch(ptx, {1}, {64}, parameters(out), options);
    ASSERT_TRUE(result.counts.has_value());
    Counts sum;
    std::map<unsigned, Counts> lines;
    for (const auto& l : result.counts->lines) {
        EXPECT_EQ(l.file, "k.cu");
        lines[l.line] = l.counts;
        sum += l.counts;
    }
    EXPECT_TRUE(sum == result.counts->total);
    EXPECT_EQ(lines[10][Count::instructions], 14u);
    EXPECT_EQ(lines[12][Count::instructions], 4u);
    EXPECT_EQ(lines[12][Count::branches], 2u);
    EXPECT_EQ(lines[12][Count::divergent_branches], 1u);
    EXPECT_EQ(lines[13][Count::instructions], 2u);
    EXPECT_EQ(lines[13][Count::thread_instructions], 16u);
    EXPECT_EQ(lines[13][Count::global_store_sectors], 1u);
    EXPECT_EQ(lines[15][Count::instructions], 2u);
    EXPECT_EQ(result.counts->lines.size(), 4u);
    const auto without = gpu.launch(ptx, {1}, {64}, parameters(out));
    EXPECT_TRUE(without.counts->lines.empty());
    EXPECT_TRUE(without.counts->total == result.counts->total);
}

TEST(Counts, LocalMemoryIsInterleaved) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(32));
    const auto counts = gpu.counts(module("u64 out", R"(
.local .align 8 .b8 stack[64];
)" + index_into("out") + R"(
mov.u64 %rd5, stack;
st.local.u32 [%rd5], %r2;
st.local.u32 [%rd5+8], %r2;
st.local.u32 [%rd5+12], %r2;
and.b32 %r6, %r2, 1;
mul.wide.u32 %rd6, %r6, 8;
add.s64 %rd6, %rd5, %rd6;
ld.local.u32 %r7, [%rd6];
ld.local.u32 %r8, [%rd5+8];
ld.local.u32 %r9, [%rd5+12];
add.u32 %r7, %r7, %r8;
add.u32 %r7, %r7, %r9;
st.global.u32 [%rd2], %r7;)"),
                                   {1}, {32}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 32);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(values[i], 3 * i);
    EXPECT_EQ(counts[Count::local_store_requests], 3u);
    EXPECT_EQ(counts[Count::local_store_sectors], 3u * 4);
    EXPECT_EQ(counts[Count::local_load_requests], 1u + 2);
    EXPECT_EQ(counts[Count::local_load_sectors], 8u + 2 * 4);
    EXPECT_EQ(counts[Count::global_store_requests], 1u);
}

}  // namespace counts_test

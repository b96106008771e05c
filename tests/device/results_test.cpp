// What kernels compute: block shapes, memory spaces and widths, atomics, index arithmetic that wraps.
#include <set>

#include "support.hpp"

namespace results_test {

using namespace device_tests;

TEST(Results, BlockShapes) {
    // out[linear] = tid packed; and the lane and warp that %laneid and tid give.
    const auto ptx = module("u64 out", R"(
mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;
mad.lo.u32 %r7, %r3, %r5, %r2;
mad.lo.u32 %r7, %r7, %r4, %r1;
mul.lo.u32 %r8, %r4, %r5; mul.lo.u32 %r8, %r8, %r6;
mov.u32 %r9, %ctaid.x; mov.u32 %r10, %ctaid.y; mov.u32 %r11, %ctaid.z;
mov.u32 %r12, %nctaid.x; mov.u32 %r13, %nctaid.y;
mad.lo.u32 %r14, %r11, %r13, %r10;
mad.lo.u32 %r14, %r14, %r12, %r9;
mad.lo.u32 %r7, %r14, %r8, %r7;
shl.b32 %r15, %r3, 20; shl.b32 %r16, %r2, 10;
or.b32 %r15, %r15, %r16; or.b32 %r15, %r15, %r1;
mov.u32 %r17, %laneid;
shl.b32 %r18, %r14, 8; or.b32 %r17, %r17, %r18;
ld.param.u64 %rd1, [out];
mul.wide.u32 %rd2, %r7, 8;
add.s64 %rd1, %rd1, %rd2;
st.global.v2.u32 [%rd1], {%r15, %r17};)");
    Gpu gpu(2);
    for (const Extent block : {Extent{1}, Extent{7}, Extent{31}, Extent{33}, Extent{16, 16}, Extent{10, 7, 3},
                               Extent{1024}, Extent{1, 64}, Extent{32, 2, 2}, Extent{5, 1, 13}}) {
        const Extent grid{3, 2, 2};
        const auto n = block.count() * grid.count();
        auto out = gpu.buffer(std::vector<std::uint32_t>(2 * n));
        gpu.launch(ptx, grid, block, parameters(out));
        const auto values = gpu.read<std::uint32_t>(out, 2 * n);
        for (std::uint64_t i = 0; i < n; ++i) {
            const auto t = i % block.count(), b = i / block.count();
            const auto x = t % block.x, y = t / block.x % block.y, z = t / block.x / block.y;
            ASSERT_EQ(values[2 * i], z << 20 | y << 10 | x) << block.x << "x" << block.y << "x" << block.z;
            ASSERT_EQ(values[2 * i + 1], b << 8 | t % 32) << block.x << "x" << block.y << "x" << block.z;
        }
        EXPECT_TRUE(gpu.device->release(out).ok());
    }
}

TEST(Results, GenericAddressesReachEverySpace) {
    // Lanes 0 to 7 read shared, 8 to 15 local, the rest global memory, through one generic load.
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(32)), in = gpu.buffer(iota(32, 300u));
    const auto counts = gpu.counts(module("u64 out, u64 in", R"(
.shared .align 4 .b8 s[128];
.local .align 4 .b8 l[16];
)" + index_into("out") + R"(
ld.param.u64 %rd3, [in]; cvta.to.global.u64 %rd3, %rd3;
mul.wide.u32 %rd4, %r2, 4;
mov.u64 %rd5, s; cvta.shared.u64 %rd5, %rd5; add.s64 %rd5, %rd5, %rd4;
mov.u64 %rd6, l; cvta.local.u64 %rd6, %rd6; add.s64 %rd6, %rd6, 4;
add.s64 %rd7, %rd3, %rd4;
add.u32 %r5, %r2, 100; st.u32 [%rd5], %r5;
add.u32 %r6, %r2, 200; st.u32 [%rd6], %r6;
bar.sync 0;
setp.lt.u32 %p1, %r2, 8; setp.lt.u32 %p2, %r2, 16;
selp.b64 %rd8, %rd6, %rd7, %p2;
selp.b64 %rd8, %rd5, %rd8, %p1;
ld.u32 %r7, [%rd8];
isspacep.shared %p3, %rd8; isspacep.local %p4, %rd8; isspacep.global %p5, %rd8;
selp.u32 %r8, 1000, 0, %p3; selp.u32 %r9, 2000, 0, %p4; selp.u32 %r10, 3000, 0, %p5;
add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9; add.u32 %r7, %r7, %r10;
st.u32 [%rd2], %r7;)"),
                                   {1}, {32}, parameters(out, in));
    const auto values = gpu.read<std::uint32_t>(out, 32);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(values[i], i < 8 ? 1100 + i : i < 16 ? 2200 + i : 3300 + i);
    EXPECT_EQ(counts[Count::shared_store_requests], 1u);
    EXPECT_EQ(counts[Count::local_store_requests], 1u);
    EXPECT_EQ(counts[Count::shared_load_requests], 1u);
    EXPECT_EQ(counts[Count::local_load_requests], 1u);
    EXPECT_EQ(counts[Count::global_load_requests], 1u);
    EXPECT_EQ(counts[Count::global_load_sectors], 2u);
    EXPECT_EQ(counts[Count::global_bytes_requested], (16u + 32) * 4);
}

TEST(Results, LocalArraysBelongToEachThread) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(70));
    gpu.launch(module("u64 out", ".local .align 16 .b8 a[64];\n" + index_into("out") + R"(
mov.u64 %rd5, a;
mov.u32 %r5, 0;
FILL:
mul.wide.u32 %rd6, %r5, 4; add.s64 %rd6, %rd5, %rd6;
mad.lo.u32 %r6, %r5, 100, %r1;
st.local.u32 [%rd6], %r6;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 16;
@%p1 bra FILL;
and.b32 %r7, %r1, 15;
mul.wide.u32 %rd6, %r7, 4; add.s64 %rd6, %rd5, %rd6;
ld.local.u32 %r8, [%rd6];
st.global.u32 [%rd2], %r8;)"),
               {2}, {35}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 70);
    for (unsigned i = 0; i < 70; ++i) EXPECT_EQ(values[i], i % 16 * 100 + i);
}

// A local address in a register of 32 bits, base minus something plus an offset, goes round: tile[34 - threadIdx.x].
TEST(Results, LocalAddressesGoRoundAt32Bits) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(70));
    gpu.launch(module("u64 out", ".local .align 16 .b8 a[256];\n" + index_into("out") + R"(
mov.u64 %rd5, a;
mov.u32 %r5, a;
mov.u32 %r6, %tid.x;
mov.u32 %r9, 34;
sub.u32 %r7, %r9, %r6;
mul.wide.u32 %rd6, %r7, 4; add.s64 %rd6, %rd5, %rd6;
add.u32 %r8, %r6, 1000;
st.local.u32 [%rd6], %r8;
shl.b32 %r7, %r6, 2;
sub.s32 %r7, %r5, %r7;
ld.local.u32 %r8, [%r7+136];
st.global.u32 [%rd2], %r8;)"),
               {2}, {35}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 70);
    for (unsigned i = 0; i < 70; ++i) EXPECT_EQ(values[i], i % 35 + 1000);
}

TEST(Results, VectorAccesses) {
    Gpu gpu;
    auto in = gpu.buffer(iota(256)), out = gpu.buffer(std::vector<std::uint32_t>(256)),
         bytes = gpu.buffer(std::vector<std::uint8_t>(128));
    const auto counts = gpu.counts(module("u64 out, u64 in, u64 bytes", R"(
mov.u32 %r1, %tid.x; mov.u32 %r9, 63;
ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [bytes];
sub.u32 %r2, %r9, %r1;
mul.wide.u32 %rd4, %r1, 16; mul.wide.u32 %rd5, %r2, 16;
add.s64 %rd6, %rd1, %rd4; add.s64 %rd7, %rd2, %rd5;
ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd6];
st.global.v2.u32 [%rd7], {%r7, %r6};
st.global.v2.u32 [%rd7+8], {%r5, %r4};
mul.wide.u32 %rd8, %r1, 2; add.s64 %rd8, %rd3, %rd8;
cvt.u16.u32 %h1, %r1; add.u16 %h2, %h1, 100;
st.global.v2.u8 [%rd8], {%h1, %h2};)"),
                                   {1}, {64}, parameters(out, in, bytes));
    const auto values = gpu.read<std::uint32_t>(out, 256);
    for (unsigned i = 0; i < 256; ++i) EXPECT_EQ(values[i], 255 - i);
    const auto small = gpu.read<std::uint8_t>(bytes, 128);
    for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(small[i], i / 2 + (i % 2 ? 100 : 0));
    EXPECT_EQ(counts[Count::global_load_requests], 2u);
    EXPECT_EQ(counts[Count::global_load_sectors], 32u);
    EXPECT_EQ(counts[Count::global_store_requests], 6u);
    EXPECT_EQ(counts[Count::global_store_sectors], 2u * (16 + 16 + 2));
}

TEST(Results, Atomics) {
    Gpu gpu(2);
    const unsigned n = 5 * 96;
    auto words = gpu.buffer(std::vector<std::uint32_t>{0, 0xffffffff, 0, 0, 0, 0xffff, 0, 7});
    auto wide = gpu.buffer(std::vector<std::uint64_t>{0, 1ull << 40});
    auto floats = gpu.buffer(std::vector<float>(1)), tickets = gpu.buffer(std::vector<std::uint32_t>(n));
    auto doubles = gpu.buffer(std::vector<double>(1));
    const auto counts =
        gpu.counts(module("u64 tickets, u64 words, u64 wide, u64 floats, u64 doubles", index_into("tickets") + R"(
ld.param.u64 %rd3, [words]; ld.param.u64 %rd4, [wide]; ld.param.u64 %rd5, [floats]; ld.param.u64 %rd6, [doubles];
atom.global.add.u32 %r5, [%rd3], 1;
st.global.u32 [%rd2], %r5;
red.global.min.u32 [%rd3+4], %r1;
red.global.max.u32 [%rd3+8], %r1;
red.global.or.b32 [%rd3+12], %r1;
red.global.xor.b32 [%rd3+16], %r1;
red.global.and.b32 [%rd3+20], 0xff0f;
red.global.inc.u32 [%rd3+24], 99;
atom.global.cas.b32 %r6, [%rd3+28], 7, 8;
cvt.u64.u32 %rd7, %r1;
red.global.add.u64 [%rd4], %rd7;
red.global.max.u64 [%rd4+8], %rd7;
red.global.add.f32 [%rd5], 0f3F800000;
red.global.add.f64 [%rd6], 0d3FE0000000000000;)"),
                   {5}, {96}, parameters(tickets, words, wide, floats, doubles));
    unsigned any = 0, odd = 0;
    for (unsigned i = 0; i < n; ++i) any |= i, odd ^= i;
    EXPECT_EQ(gpu.read<std::uint32_t>(words, 8),
              (std::vector<std::uint32_t>{n, 0, n - 1, any, odd, 0xff0f, n % 100, 8}));
    EXPECT_EQ(gpu.read<std::uint64_t>(wide, 2), (std::vector<std::uint64_t>{n * (n - 1) / 2, 1ull << 40}));
    EXPECT_EQ(gpu.read<float>(floats, 1)[0], float(n));
    EXPECT_EQ(gpu.read<double>(doubles, 1)[0], n / 2.0);
    const auto taken = gpu.read<std::uint32_t>(tickets, n);
    EXPECT_EQ(std::set<std::uint32_t>(taken.begin(), taken.end()).size(), n);
    EXPECT_EQ(counts[Count::global_atomic_requests], 15u * 12);
}

TEST(Results, SharedHistogram) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(8));
    const auto counts = gpu.counts(module("u64 out", R"(
.shared .align 4 .b8 bins[32];
)" + index_into("out") + R"(
mov.u32 %r5, bins;
setp.ge.u32 %p1, %r2, 8;
shl.b32 %r6, %r2, 2; add.u32 %r6, %r5, %r6;
@%p1 bra CLEARED;
st.shared.u32 [%r6], 0;
CLEARED:
bar.sync 0;
and.b32 %r7, %r2, 7; shl.b32 %r7, %r7, 2; add.u32 %r7, %r5, %r7;
atom.shared.add.u32 %r8, [%r7], %r2;
bar.sync 0;
@%p1 bra END;
ld.shared.u32 %r9, [%r6];
st.global.u32 [%rd2], %r9;
END:)"),
                                   {1}, {128}, parameters(out));
    const auto bins = gpu.read<std::uint32_t>(out, 8);
    for (unsigned b = 0; b < 8; ++b) {
        unsigned sum = 0;
        for (unsigned i = b; i < 128; i += 8) sum += i;
        EXPECT_EQ(bins[b], sum);
    }
    EXPECT_EQ(counts[Count::shared_atomic_requests], 4u);
    EXPECT_EQ(counts[Count::shared_atomic_wavefronts], 4u * 4);  // 4 lanes in each of 8 banks take turns
}

/// out[i] = in[(extended (tid * scale + base)) - bias]: the 32-bit index wraps inside a warp.
void wrapping(bool is_signed, std::uint32_t scale, std::uint32_t base, std::int64_t bias) {
    Gpu gpu;
    const unsigned n = 64;
    const auto t = std::string(is_signed ? "s32" : "u32");
    auto out = gpu.buffer(std::vector<std::uint64_t>(n));
    gpu.launch(module("u64 out, u32 scale, u32 base", R"(
mov.u32 %r1, %tid.x;
ld.param.u32 %r2, [scale]; ld.param.u32 %r3, [base];
mad.lo.)" + t + R"( %r4, %r1, %r2, %r3;
mul.wide.)" + t + R"( %rd1, %r4, 8;
cvt.)" + std::string(is_signed ? "s64" : "u64") + "." + t +
                                                          R"( %rd2, %r4;
shl.b64 %rd3, %rd2, 3;
sub.s64 %rd4, %rd1, %rd3;
add.s64 %rd5, %rd1, %rd4;
ld.param.u64 %rd6, [out]; mul.wide.u32 %rd7, %r1, 8; add.s64 %rd6, %rd6, %rd7;
st.global.u64 [%rd6], %rd5;)"),
               {1}, {n}, parameters(out, scale, base));
    const auto values = gpu.read<std::uint64_t>(out, n);
    std::vector<std::uint32_t> table(4096);
    for (unsigned i = 0; i < n; ++i) {
        const std::uint32_t index = i * scale + base;
        const auto expected = is_signed ? std::int64_t{static_cast<std::int32_t>(index)} * 8 : std::int64_t{index} * 8;
        ASSERT_EQ(static_cast<std::int64_t>(values[i]), expected) << t << " " << scale << " " << base << " lane " << i;
    }
    // The same index as an address: the element is at `index - bias`.
    auto in = gpu.buffer(iota(4096)), words = gpu.buffer(std::vector<std::uint32_t>(n));
    gpu.launch(module("u64 out, u64 in, u32 scale, u32 base, u64 bias", index_into("out") + R"(
ld.param.u32 %r5, [scale]; ld.param.u32 %r6, [base]; ld.param.u64 %rd3, [bias]; ld.param.u64 %rd4, [in];
mad.lo.)" + t + R"( %r7, %r2, %r5, %r6;
mul.wide.)" + t + R"( %rd5, %r7, 4;
shl.b64 %rd6, %rd3, 2;
sub.s64 %rd4, %rd4, %rd6;
add.s64 %rd4, %rd4, %rd5;
setp.eq.u64 %p1, %rd5, %rd5;
ld.global.u32 %r8, [%rd4];
st.global.u32 [%rd2], %r8;)"),
               {1}, {n}, parameters(words, in, scale, base, bias));
    const auto loaded = gpu.read<std::uint32_t>(words, n);
    for (unsigned i = 0; i < n; ++i) {
        const std::uint32_t index = i * scale + base;
        const auto element = (is_signed ? std::int64_t{static_cast<std::int32_t>(index)} : std::int64_t{index}) - bias;
        ASSERT_EQ(loaded[i], element) << t << " " << scale << " " << base << " lane " << i;
    }
}

TEST(Results, IndexThatDoesNotWrap) {
    wrapping(true, 3, static_cast<std::uint32_t>(-90), -90);
    wrapping(false, 2, 0xfffff000u, 0xfffff000ll);
    wrapping(true, static_cast<std::uint32_t>(-2), 100, -50);
}

/// The unsigned index wraps to 0 in some lane: its element is 2^32 elements before its neighbour's.
TEST(Results, IndexThatWrapsLandsInTheLowElements) {
    Gpu gpu;
    auto in = gpu.buffer(iota(64)), out = gpu.buffer(std::vector<std::uint32_t>(64, 77));
    // base = -20: lanes 20.. of the first warp have wrapped to 0..; the others would be 16 GiB away and stay out.
    gpu.launch(module("u64 out, u64 in, u32 base", index_into("out") + R"(
ld.param.u64 %rd4, [in]; ld.param.u32 %r5, [base];
add.u32 %r7, %r2, %r5;
mul.wide.u32 %rd5, %r7, 4;
add.s64 %rd4, %rd4, %rd5;
setp.lt.u32 %p1, %r7, 64;
@!%p1 bra END;
ld.global.u32 %r8, [%rd4];
st.global.u32 [%rd2], %r8;
END:)"),
               {1}, {64}, parameters(out, in, 0xffffffecu));
    const auto values = gpu.read<std::uint32_t>(out, 64);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(values[i], i < 20 ? 77 : i - 20);
}

TEST(Results, WrappedIndicesGiveExactAddresses) {
    // mul.wide of an index that crosses 2^31 (signed) or 2^32 (unsigned) within the warp; only the values are stored.
    for (const bool is_signed : {true, false})
        for (const std::uint32_t base : {0x7ffffff0u, 0xfffffff0u, 0x80000000u, 0u}) {
            Gpu gpu;
            const auto t = std::string(is_signed ? "s32" : "u32");
            auto out = gpu.buffer(std::vector<std::uint64_t>(32));
            gpu.launch(module("u64 out, u32 base",
                              "mov.u32 %r1, %tid.x; ld.param.u32 %r2, [base];\nadd.u32 %r3, %r1, %r2;\nmul.wide." + t +
                                  " %rd1, %r3, 12;\nadd.s64 %rd1, %rd1, 5;\nld.param.u64 %rd2, [out]; mul.wide.u32 "
                                  "%rd3, %r1, 8; add.s64 %rd2, %rd2, %rd3;\n"
                                  "st.global.u64 [%rd2], %rd1;"),
                       {1}, {32}, parameters(out, base));
            const auto values = gpu.read<std::int64_t>(out, 32);
            for (unsigned i = 0; i < 32; ++i) {
                const std::uint32_t index = i + base;
                ASSERT_EQ(values[i],
                          (is_signed ? std::int64_t{static_cast<std::int32_t>(index)} : std::int64_t{index}) * 12 + 5)
                    << t << " " << base << " " << i;
            }
        }
}

TEST(Results, IntegerDivisionByZeroIsAValue) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(128));
    gpu.launch(module("u64 out", index_into("out") + R"(
and.b32 %r5, %r2, 3;
mov.u32 %r6, 100;
div.u32 %r7, %r6, %r5;
rem.u32 %r8, %r6, %r5;
div.s32 %r9, 0x80000000, -1;
mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd2, %rd3;
st.global.v2.u32 [%rd2], {%r7, %r8};)"),
               {1}, {64}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 128);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(values[2 * i], i % 4 ? 100 / (i % 4) : 0xffffffffu);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(values[2 * i + 1], i % 4 ? 100 % (i % 4) : 0xffffffffu);
}

TEST(Results, DynamicSharedMemoryFollowsTheStatic) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(32));
    const auto ptx = kHeader + ".extern .shared .align 4 .b8 dyn[];\n" + kernel("u64 out", R"(
.shared .align 4 .b8 fixed[128];
)" + index_into("out") + R"(
shl.b32 %r5, %r2, 2;
mov.u32 %r6, fixed; add.u32 %r6, %r6, %r5; st.shared.u32 [%r6], 1;
mov.u32 %r7, dyn; add.u32 %r7, %r7, %r5; add.u32 %r8, %r2, 40; st.shared.u32 [%r7], %r8;
bar.sync 0;
ld.shared.u32 %r9, [%r6]; ld.shared.u32 %r10, [%r7]; add.u32 %r9, %r9, %r10;
mov.u32 %r11, %dynamic_smem_size; add.u32 %r9, %r9, %r11;
st.global.u32 [%rd2], %r9;)");
    gpu.launch(ptx, {1}, {32}, parameters(out), {}, 128);
    const auto values = gpu.read<std::uint32_t>(out, 32);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(values[i], 41 + i + 128);
}

TEST(Results, ModuleVariables) {
    Gpu gpu;
    const auto text = kHeader +
                      ".global .align 4 .u32 table[4] = {10, 20, 30, 40};\n.const .align 4 .u32 factor = 3;\n.global "
                      ".align 4 .u32 seen;\n" +
                      kernel("u64 out", index_into("out") + R"(
and.b32 %r5, %r2, 3; mul.wide.u32 %rd3, %r5, 4; mov.u64 %rd4, table; add.s64 %rd4, %rd4, %rd3;
ld.global.u32 %r6, [%rd4]; ld.const.u32 %r7, [factor]; mul.lo.u32 %r6, %r6, %r7;
st.global.u32 [%rd2], %r6;
red.global.add.u32 [seen], 1;)");
    auto out = gpu.buffer(std::vector<std::uint32_t>(8));
    auto loaded = gpu.device->load("vars.ptx", text);
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    LaunchConfig config;
    config.grid = {1};
    config.block = {8};
    for (int k = 0; k < 2; ++k) ASSERT_TRUE(gpu.device->launch(**loaded, "k", config, parameters(out), {}).ok());
    EXPECT_EQ(gpu.read<std::uint32_t>(out, 8), (std::vector<std::uint32_t>{30, 60, 90, 120, 30, 60, 90, 120}));
    auto seen = (*loaded)->variable("seen");
    ASSERT_TRUE(seen.ok());
    EXPECT_EQ(seen->second, 4u);
    EXPECT_EQ(gpu.read<std::uint32_t>(seen->first, 1)[0], 16u);
    EXPECT_FALSE((*loaded)->variable("nothing").ok());
}

}  // namespace results_test

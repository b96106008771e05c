// Sampled launches against the same launches whole: counts, lines, clusters, and kernels that cannot be sampled.
#include "device/emulated/sampled_launch.hpp"
#include "support.hpp"

namespace sample_test {

using namespace device_tests;

/// c[i] = a[i] + b[i] for i < n.
const std::string kAdd = module("u64 c, u64 a, u32 n", index_into("a") + R"(
ld.param.u32 %r5, [n]; setp.ge.u32 %p1, %r1, %r5; @%p1 bra END;
ld.global.f32 %f1, [%rd2]; add.f32 %f1, %f1, %f1;
ld.param.u64 %rd3, [c]; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd3, %rd3, %rd4; st.global.f32 [%rd3], %f1;
END:)");

/// Loops a[i] times, adding what a strided load gives.
const std::string kLoops = module("u64 c, u64 a, u32 n", index_into("a") + R"(
ld.global.u32 %r6, [%rd2]; mov.u32 %r7, 0; mov.u32 %r8, 0;
L: setp.ge.u32 %p1, %r7, %r6; @%p1 bra END;
mul.lo.u32 %r9, %r7, %r1; and.b32 %r9, %r9, 1023; mul.wide.u32 %rd5, %r9, 4; add.s64 %rd5, %rd1, %rd5; ld.global.u32 %r10, [%rd5];
add.u32 %r8, %r8, %r10; add.u32 %r7, %r7, 1; bra L;
END: ld.param.u64 %rd3, [c]; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd3, %rd3, %rd4; st.global.u32 [%rd3], %r8;)");

/// Of a sample, or whole where `error` is 0.
warpwright::launch::EmulatedResult launch(Gpu& gpu, const std::string& text, const LaunchConfig& config,
                                          const std::vector<std::byte>& with, double error, bool per_line = false) {
    auto m = gpu.device->load("test.ptx", text);
    EXPECT_TRUE(m.ok()) << m.error().text();
    LaunchOptions options;
    options.per_line = per_line;
    options.timeout = std::chrono::seconds(60);
    auto* sampler = gpu.device->sampler();
    EXPECT_NE(sampler, nullptr);
    if (!m || !sampler) return {};
    auto r = sampler->launch_sample(**m, "k", config, with, options, error);
    EXPECT_TRUE(r.ok()) << r.error().text();
    return r ? std::move(*r) : warpwright::launch::EmulatedResult{};
}

LaunchConfig shape(Extent grid, Extent block, Extent cluster = {0, 0, 0}) {
    LaunchConfig c;
    c.grid = grid, c.block = block, c.cluster = cluster;
    return c;
}

struct Pair {
    Counts whole, scaled;
    warpwright::record::Sample sample;
};

template <class... P>
Pair both(Gpu& gpu, const std::string& text, Extent grid, Extent block, double error, P... arguments) {
    Pair out;
    const auto bytes = parameters(arguments...);
    out.whole = launch(gpu, text, shape(grid, block), bytes, 0).result.counts->total;
    auto r = launch(gpu, text, shape(grid, block), bytes, error);
    out.scaled = r.result.counts->total;
    EXPECT_TRUE(r.sample.has_value());
    if (r.sample) out.sample = *r.sample;
    return out;
}

TEST(Sample, AUniformKernelIsExact) {
    const unsigned n = 1 << 20;
    Gpu gpu;
    auto a = gpu.buffer(std::vector<float>(n)), c = gpu.buffer(std::vector<float>(n));
    const auto p = both(gpu, kAdd, {n / 256}, {256}, 0.02, c, a, n);
    EXPECT_TRUE(p.sample.why_all.empty()) << p.sample.why_all;
    EXPECT_EQ(p.sample.blocks, n / 256);
    EXPECT_EQ(p.sample.run, 258u);
    EXPECT_EQ(p.whole, p.scaled);
    for (double w : p.sample.half_width) EXPECT_EQ(w, 0);
}

TEST(Sample, AGuardInTheLastBlockIsExactToo) {
    const unsigned n = (1 << 20) - 77;
    Gpu gpu;
    auto a = gpu.buffer(std::vector<float>(n)), c = gpu.buffer(std::vector<float>(n));
    const auto p = both(gpu, kAdd, {(n + 255) / 256}, {256}, 0.02, c, a, n);
    EXPECT_EQ(p.whole, p.scaled);
    EXPECT_EQ(p.whole[Count::divergent_branches], 1u);
}

TEST(Sample, WorkThatDependsOnDataIsWithinItsInterval) {
    const unsigned blocks = 4096, n = blocks * 64;
    std::vector<std::uint32_t> work(n);
    std::uint32_t state = 12345;
    for (unsigned b = 0; b < blocks; ++b) {
        state = state * 1664525 + 1013904223;
        for (unsigned t = 0; t < 64; ++t) work[b * 64 + t] = 4 + (state >> 24) % 12;
    }
    Gpu gpu;
    auto a = gpu.buffer(work), c = gpu.buffer(std::vector<std::uint32_t>(n));
    const auto p = both(gpu, kLoops, {blocks}, {64}, 0.05, c, a, n);
    ASSERT_TRUE(p.sample.why_all.empty()) << p.sample.why_all;
    EXPECT_LT(p.sample.run, blocks / 4);
    for (auto k :
         {Count::instructions, Count::thread_instructions, Count::global_load_requests, Count::global_load_sectors}) {
        const double truth = static_cast<double>(p.whole[k]), half = p.sample.half_width[static_cast<unsigned>(k)];
        EXPECT_GT(half, 0);
        EXPECT_LE(half, 0.06 * truth);
        EXPECT_NEAR(static_cast<double>(p.scaled[k]), truth, 2 * half) << static_cast<unsigned>(k);
    }
}

TEST(Sample, LinesAreScaledAsTheWholeIs) {
    const unsigned n = 1 << 18;
    Gpu gpu;
    auto a = gpu.buffer(std::vector<float>(n)), c = gpu.buffer(std::vector<float>(n));
    std::string text = kAdd;
    text.insert(text.find("ld.global.f32"), ".loc 1 7 0\n");
    text += ".file 1 \"x.cu\"\n";
    std::vector<warpwright::record::LineCounts> lines[2];
    for (int k = 0; k < 2; ++k)
        lines[k] =
            launch(gpu, text, shape({n / 64}, {64}), parameters(c, a, n), k ? 0.02 : 0, true).result.counts->lines;
    ASSERT_EQ(lines[0].size(), lines[1].size());
    ASSERT_FALSE(lines[0].empty());
    for (std::size_t k = 0; k < lines[0].size(); ++k) EXPECT_EQ(lines[0][k].counts, lines[1][k].counts);
}

TEST(Sample, KernelsThatMayWaitForOtherBlocksRunWhole) {
    // Every block waits until the one before it has set its flag.
    const std::string text = module("u64 c, u32 n", R"(
mov.u32 %r3, %ctaid.x; ld.param.u64 %rd1, [c]; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd1, %rd2;
setp.eq.u32 %p1, %r3, 0; @%p1 bra GO;
W: ld.volatile.global.u32 %r5, [%rd2+-4]; setp.eq.u32 %p2, %r5, 0; @%p2 bra W;
GO: mov.u32 %r6, 1; st.volatile.global.u32 [%rd2], %r6;)");
    Gpu gpu;
    auto c = gpu.buffer(std::vector<std::uint32_t>(400));
    const auto r = launch(gpu, text, shape({400}, {1}), parameters(c, 400u), 0.02);
    ASSERT_TRUE(r.sample);
    EXPECT_THAT(r.sample->why_all, testing::HasSubstr("wait for other blocks"));
    EXPECT_EQ(r.sample->run, 400u);
    EXPECT_EQ(gpu.read<std::uint32_t>(c, 400), std::vector<std::uint32_t>(400, 1));
}

TEST(Sample, SmallGridsRunWholeAndAreRight) {
    Gpu gpu;
    auto a = gpu.buffer(iota<float>(1000)), c = gpu.buffer(std::vector<float>(1000));
    const auto p = both(gpu, kAdd, {4}, {256}, 0.02, c, a, 1000u);
    EXPECT_EQ(p.sample.why_all, "a small grid");
    EXPECT_EQ(p.whole, p.scaled);
    EXPECT_EQ(gpu.read<float>(c, 1000)[999], 2 * iota<float>(1000)[999]);
}

TEST(Sample, ClustersAreDrawnAsAWhole) {
    const std::string text = module("u64 c, u64 a, u32 n", index_into("a") + R"(
mov.u32 %r11, %cluster_ctarank; setp.eq.u32 %p1, %r11, 0; @%p1 bra END;
ld.global.f32 %f1, [%rd2]; add.f32 %f1, %f1, %f1;
END: barrier.cluster.arrive; barrier.cluster.wait;)");
    const unsigned n = 8192 * 32;
    Gpu gpu;
    auto a = gpu.buffer(std::vector<float>(n));
    Counts counts[2];
    std::optional<warpwright::record::Sample> sample;
    for (int k = 0; k < 2; ++k) {
        auto r = launch(gpu, text, shape({8192}, {32}, {4, 1, 1}), parameters(a, a, n), k ? 0.02 : 0);
        ASSERT_TRUE(r.result.counts);
        counts[k] = r.result.counts->total;
        sample = r.sample;
    }
    EXPECT_EQ(counts[0], counts[1]);
    ASSERT_TRUE(sample);
    EXPECT_EQ(sample->run % 4, 0u);
    EXPECT_EQ(sample->blocks, 8192u);
    EXPECT_EQ(sample->run, 258u * 4);
}

}  // namespace sample_test

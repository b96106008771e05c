// The kernels of `device --measure` on the emulated GPU: each does all that it is said to do, and costs what it is said
// to cost, as counted. Their times are a real GPU's.
#include <gmock/gmock.h>

#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "measure_kernels.hpp"

namespace warpwright {
namespace measure_test {

std::vector<std::uint32_t> numbers(std::size_t count) {
    std::vector<std::uint32_t> out(count);
    std::uint32_t x = 7;
    for (auto& v : out) v = x = x * 1664525 + 1013904223;
    return out;
}

std::uint32_t folded(const std::vector<std::uint32_t>& v) {
    return std::accumulate(v.begin(), v.end(), 0u, [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
}

TEST_F(Measure, GlobalReadsSeeEachWordOnceAPass) {
    auto module = load("global.cu");
    ASSERT_TRUE(module);
    const auto words = numbers(64 * 8 * 4 * 7);  // 7 tiles of the largest kind, not a multiple of the grid
    const Address in = buffer(words), out = buffer(std::vector<std::uint32_t>(3 * 64));
    const std::uint64_t pieces = words.size() / 4;
    for (const char* kernel : {"read_1", "read_2", "read_4", "read_8"})
        for (std::uint32_t passes : {1u, 2u, 3u}) {
            const auto c = launch(*module, kernel, 3, 64, 0, in, pieces, passes, out);
            EXPECT_EQ(folded(read<std::uint32_t>(out, 3 * 64)), passes % 2 ? folded(words) : 0u) << kernel;
            EXPECT_EQ(c[Count::global_load_sectors], passes * words.size() * 4 / 32) << kernel;
            EXPECT_EQ(c[Count::global_load_requests], passes * pieces / 32) << kernel;
        }
}

TEST_F(Measure, GlobalWritesAndCopiesReachEachWord) {
    auto module = load("global.cu");
    ASSERT_TRUE(module);
    const auto words = numbers(64 * 8 * 4 * 7);
    const std::uint64_t pieces = words.size() / 4;
    const Address in = buffer(words), out = buffer(std::vector<std::uint32_t>(words.size()));
    for (const char* loads : {"1", "2", "4", "8"}) {
        launch(*module, std::string("write_") + loads, 3, 64, 0, out, pieces, 0xabcd1234u);
        EXPECT_EQ(read<std::uint32_t>(out, words.size()), std::vector<std::uint32_t>(words.size(), 0xabcd1234u))
            << loads;
        launch(*module, std::string("copy_") + loads, 3, 64, 0, in, pieces, out);
        EXPECT_EQ(read<std::uint32_t>(out, words.size()), words) << loads;
    }
}

TEST_F(Measure, WindowsOfL1AreReadByTheirBlocks) {
    auto module = load("global.cu");
    ASSERT_TRUE(module);
    const std::uint32_t window = 4 * 64 * 3;
    const auto words = numbers(window * 4 * 2);
    const Address in = buffer(words), out = buffer(std::vector<std::uint32_t>(2 * 64));
    const auto c = launch(*module, "read_l1", 2, 64, 0, in, window, 3u, out);
    EXPECT_EQ(folded(read<std::uint32_t>(out, 2 * 64)), folded(words));
    EXPECT_EQ(c[Count::global_load_sectors], 3 * words.size() * 4 / 32);
}

TEST_F(Measure, BulkCopiesBringEachPiece) {
    auto module = load("bulk.cu", {"PIECE=512", "STAGES=3"}, "sm_90a");
    ASSERT_TRUE(module);
    for (std::uint64_t pieces : {1u, 2u, 11u, 40u}) {
        const auto words = numbers(pieces * 128);
        const Address in = buffer(words), out = buffer(std::vector<std::uint32_t>(2 * 64));
        launch(*module, "read_bulk", 2, 64, 3 * 512, in, pieces, out);
        EXPECT_EQ(folded(read<std::uint32_t>(out, 2 * 64)), folded(words)) << pieces;
    }
}

TEST_F(Measure, AChaseVisitsEachLineOnceAndComesBack) {
    auto module = load("chase.cu");
    ASSERT_TRUE(module);
    const std::uint32_t lines = 256, stride = 16;
    const Address table = buffer(std::vector<std::uint64_t>(lines * stride)),
                  out = buffer(std::vector<std::uint64_t>(3));
    launch(*module, "chase_fill", 2, 64, 0, table, lines, stride, 1664525u, 1013904223u);
    const auto words = read<std::uint64_t>(table, lines * stride);
    std::set<Address> seen;
    Address p = table;
    for (unsigned i = 0; i < lines; ++i) {
        ASSERT_TRUE(seen.insert(p).second) << "visited twice";
        ASSERT_EQ((p - table) % (stride * 8), 0u);
        ASSERT_LT(p - table, lines * stride * 8);
        p = words[(p - table) / 8];
    }
    EXPECT_EQ(p, table);
    // 3 hops more than a whole turn: the ones that are warm-up count.
    Address expected = table;
    for (unsigned i = 0; i < 3; ++i) expected = words[(expected - table) / 8];
    for (const char* kernel : {"chase_l1", "chase_l2"}) {
        const auto c = launch(*module, kernel, 1, 1, 0, table, 3u, lines, out);
        EXPECT_EQ(read<std::uint64_t>(out, 2)[1], expected) << kernel;
        EXPECT_EQ(c[Count::global_load_requests], lines + 3) << kernel;
    }
}

TEST_F(Measure, ConstantsAreChasedAsTheirTableSays) {
    auto module = load("chase.cu");
    ASSERT_TRUE(module);
    const Address out = buffer(std::vector<std::uint64_t>(3));
    auto table = module->variable("constants");
    ASSERT_TRUE(table.ok()) << table.error().text();
    ASSERT_EQ(table->second, 65536u);
    std::vector<std::uint32_t> next(16384);
    for (std::uint32_t i = 0; i < next.size(); ++i) next[i] = (i + 5) % next.size();
    ASSERT_TRUE(gpu->write(table->first, std::as_bytes(std::span(next))).ok());
    launch(*module, "chase_constant", 1, 1, 0, 10u, 64u, out);
    EXPECT_EQ(read<std::uint64_t>(out, 2)[1], 74u * 5);
}

TEST_F(Measure, AtomicChasesStayWhereTheyAre) {
    auto module = load("chase.cu");
    ASSERT_TRUE(module);
    const Address cell = buffer(std::vector<std::uint64_t>(1)), out = buffer(std::vector<std::uint64_t>(3));
    auto c = launch(*module, "chase_atomic", 1, 1, 0, cell, 64u, out);
    EXPECT_EQ(read<std::uint64_t>(out, 2)[1], cell);
    EXPECT_EQ(c[Count::global_atomic_requests], 64u);
    c = launch(*module, "chase_atomic_shared", 1, 1, 0, 64u, out);
    EXPECT_EQ(read<std::uint64_t>(out, 2)[1], 0u);
    EXPECT_EQ(c[Count::shared_atomic_requests], 64u);
}

TEST_F(Measure, StridesCostTheirWavefronts) {
    auto module = load("shared.cu");
    ASSERT_TRUE(module);
    const Address out = buffer(std::vector<std::uint64_t>(3 * 32));
    for (std::uint32_t stride = 1; stride <= 64; ++stride) {
        const unsigned ways = std::gcd(stride, 32u);
        auto c = launch(*module, "shared_latency", 1, 32, 0, stride, 16u, out);
        EXPECT_EQ(c[Count::shared_load_requests], 16u);
        EXPECT_EQ(c[Count::shared_load_wavefronts], 16u * ways) << stride;
        EXPECT_EQ(read<std::uint64_t>(out, 2)[1], 31u * 32 / 2 * stride) << stride;
        if (stride % 8 > 1) continue;
        c = launch(*module, "shared_throughput", 1, 128, 0, stride, 16u, out);
        EXPECT_EQ(c[Count::shared_load_requests], 4 * 16u);
        EXPECT_EQ(c[Count::shared_load_wavefronts], 4 * 16u * ways) << stride;
        const auto words = read<std::uint64_t>(out, 12);
        for (unsigned w = 8; w < 12; ++w) EXPECT_EQ(words[w], 31u * 32 * stride);
    }
}

TEST_F(Measure, WideSharedAccessesHaveNoConflicts) {
    auto module = load("shared.cu");
    ASSERT_TRUE(module);
    const Address out = buffer(std::vector<std::uint32_t>(2048));
    auto c = launch(*module, "shared_read", 1, 1024, 0, 16u, out);
    // 4 wavefronts a request of 16 bytes per lane; the words are filled without conflicts.
    EXPECT_EQ(c[Count::shared_load_requests], 32u * 16);
    EXPECT_EQ(c[Count::shared_load_wavefronts], 4 * 32u * 16);
    const auto read_back = read<std::uint32_t>(out, 1024);
    for (std::uint32_t t = 0; t < 1024; ++t) {
        std::uint32_t sum = 0;
        for (std::uint32_t i = 0; i < 16; i += 8)
            for (std::uint32_t k = 0; k < 8; ++k) {
                const std::uint32_t w = t * 4 + k * 128;
                sum += w ^ (w + 1) ^ (w + 2) ^ (w + 3) ^ i;
            }
        ASSERT_EQ(read_back[t], sum) << t;
    }
    c = launch(*module, "shared_write", 1, 1024, 0, 16u, out);
    EXPECT_EQ(c[Count::shared_store_requests], 32u * 16);
    EXPECT_EQ(c[Count::shared_store_wavefronts], 4 * 32u * 16);
    const auto written = read<std::uint32_t>(out, 1024);
    for (std::uint32_t t = 0; t < 1024; ++t) ASSERT_EQ(written[t], 8 + t % 4) << t;
}

TEST_F(Measure, ChainsCountTheirMultiplyAdds) {
    auto module = load("arithmetic.cu");
    ASSERT_TRUE(module);
    const std::uint32_t turns = 3, each = turns * 32, all = each * 8;
    const Address out = buffer(std::vector<std::uint64_t>(64));
    auto c = launch(*module, "fma_f32", 1, 64, 0, 1.0f, 1.0f, turns, out);
    EXPECT_THAT(read<float>(out, 64), testing::Each(float(all)));
    EXPECT_GE(c[Count::flops_f32], 64u * all * 2);
    EXPECT_LE(c[Count::flops_f32], 64u * (all * 2 + 8));
    launch(*module, "fma_f64", 1, 64, 0, 1.0, 1.0, turns, out);
    EXPECT_THAT(read<double>(out, 64), testing::Each(double(all)));
    launch(*module, "mad_i32", 1, 64, 0, 1, 1, turns, out);
    EXPECT_THAT(read<int>(out, 64), testing::Each(int(all)));
    launch(*module, "fma_f16x2", 1, 64, 0, 0x3c003c00u, 0x3c003c00u, turns, out);
    EXPECT_THAT(read<std::uint32_t>(out, 64), testing::Each(0x56005600u));  // 96 in halves
    launch(*module, "fma_bf16x2", 1, 64, 0, 0x3f803f80u, 0x3f803f80u, turns, out);
    EXPECT_THAT(read<std::uint32_t>(out, 64), testing::Each(0x42c042c0u));  // 96 in bfloat16
    launch(*module, "fma_latency", 1, 32, 0, 1.0f, 1.0f, turns, out);
    EXPECT_EQ(read<std::uint64_t>(out, 2)[1], __builtin_bit_cast(std::uint32_t, float(turns * 64)));
}

TEST_F(Measure, SpecialFunctionsAreAllThere) {
    auto module = load("arithmetic.cu");
    ASSERT_TRUE(module);
    const Address out = buffer(std::vector<float>(32));
    const std::map<std::string, float> ends{{"special_rsqrt", 1.0f}, {"special_ex2", INFINITY}, {"special_sin", 0.0f}};
    for (const auto& [kernel, end] : ends) {
        const auto c = launch(*module, kernel, 1, 32, 0, kernel == "special_sin" ? 0.0f : 1.0f, 2u, out);
        EXPECT_THAT(read<float>(out, 32), testing::Each(8 * end)) << kernel;
        EXPECT_EQ(c[Count::mix_special], 2 * 256u) << kernel;
    }
    EXPECT_EQ(launch(*module, "special_lg2", 1, 32, 0, 1.0f, 2u, out)[Count::mix_special], 2 * 256u);
}

TEST_F(Measure, AtomicsAddUp) {
    auto module = load("atomic.cu");
    ASSERT_TRUE(module);
    for (std::uint32_t cells : {1u, 32u, 128u}) {
        const Address words = buffer(std::vector<std::uint32_t>(256)), out = buffer(std::vector<std::uint32_t>(128));
        launch(*module, "atomic_global", 2, 128, 0, words, cells, 5u);
        const auto global = read<std::uint32_t>(words, 256);
        for (std::uint32_t i = 0; i < 256; ++i) ASSERT_EQ(global[i], i < cells ? 2 * 128 / cells * 5 : 0) << i;
        launch(*module, "atomic_shared", 1, 128, 0, cells, 5u, out);
        const auto shared = read<std::uint32_t>(out, 128);
        for (std::uint32_t i = 0; i < 128; ++i) ASSERT_EQ(shared[i], i < cells ? 128 / cells * 5 : 0) << i;
    }
}

/// With ones in every place a product of length K adds K to each accumulator.
TEST_F(Measure, TensorProductsOfOnesAddTheirLength) {
    auto module = load("mma.cu", {"FP8", "FP64_WIDE"}, "sm_90a");
    ASSERT_TRUE(module);
    const Address out = buffer(std::vector<std::uint64_t>(64));
    const std::uint32_t turns = 3;
    const auto expect = [&](const char* kernel, std::uint32_t ones, int k, auto type) {
        const auto c = launch(*module, kernel, 1, 64, 0, ones, 0u, turns, out);
        using T = decltype(type);
        EXPECT_THAT(read<T>(out, 64), testing::Each(T(turns * 8 * 4 * k))) << kernel;
        EXPECT_EQ(c[Count::flops_tensor], 2u * turns * 8 * 16 * 8 * k * 2) << kernel;
    };
    expect("mma_f16", 0x3c003c00, 16, 1.0f);
    expect("mma_bf16", 0x3f803f80, 16, 1.0f);
    expect("mma_tf32", 0x3f800000, 8, 1.0f);
    expect("mma_int8", 0x01010101, 32, 1);
    expect("mma_fp8", 0x38383838, 32, 1.0f);
    launch(*module, "mma_f64", 1, 64, 0, 1.0, 1.0, turns, out);
    EXPECT_THAT(read<double>(out, 64), testing::Each(turns * 8 * 2 * 4.0));
    launch(*module, "mma_f64_wide", 1, 64, 0, 1.0, 1.0, turns, out);
    EXPECT_THAT(read<double>(out, 64), testing::Each(turns * 8 * 4 * 16.0));
}

TEST_F(Measure, WarpgroupProductsOfOnesAddTheirLength) {
    auto module = load("wgmma.cu", {}, "sm_90a");
    ASSERT_TRUE(module);
    const Address out = buffer(std::vector<float>(256));
    const auto expect = [&](const char* kernel, std::uint32_t ones, int k, auto type) {
        using T = decltype(type);
        const auto c = launch(*module, kernel, 1, 256, 0, ones, 0u, 3u, out);
        EXPECT_THAT(read<T>(out, 256), testing::Each(T(3 * 4 * 128 * k))) << kernel;
        EXPECT_EQ(c[Count::flops_tensor], 2ull * 3 * 4 * 64 * 256 * k * 2) << kernel;
    };
    expect("wgmma_f16", 0x3c003c00, 16, 1.0f);
    expect("wgmma_bf16", 0x3f803f80, 16, 1.0f);
    expect("wgmma_tf32", 0x3f800000, 8, 1.0f);
    expect("wgmma_fp8", 0x38383838, 32, 1.0f);
    expect("wgmma_int8", 0x01010101, 32, 1);
}

TEST_F(Measure, BarriersArePassedAndClocksRun) {
    auto module = load("launch.cu");
    ASSERT_TRUE(module);
    const Address out = buffer(std::vector<std::uint64_t>(2));
    launch(*module, "empty", 1, 1, 0);
    const auto c = launch(*module, "barrier", 1, 128, 0, 16u, out);
    EXPECT_EQ(read<std::uint64_t>(out, 2)[1], 16u);
    EXPECT_EQ(c[Count::barriers], 4 * 17u);
    launch(*module, "clock_rate", 1, 1, 0, std::uint64_t{1000}, 100000u, out);
    EXPECT_GE(read<std::uint64_t>(out, 2)[0], 1000u);
}

}  // namespace measure_test
}  // namespace warpwright

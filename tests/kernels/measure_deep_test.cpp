// The kernels of `device --measure --deep` on the emulated GPU: each does all that it is said to do.
#include <gmock/gmock.h>

#include <bit>
#include <numeric>

#include "measure_kernels.hpp"

namespace warpwright {
namespace measure_deep_test {

std::uint64_t bits(float v) { return std::bit_cast<std::uint32_t>(v); }

class MeasureDeep : public Measure {
protected:
    /// The second word of a kernel's output.
    template <class... P>
    std::uint64_t result(device::Module& module, const std::string& kernel, unsigned block, P... values) {
        const Address out = buffer(std::vector<std::uint64_t>(8));
        launch(module, kernel, 1, block, 0, values..., out);
        return read<std::uint64_t>(out, 2)[1];
    }
};

TEST_F(MeasureDeep, ChainsDoEachStep) {
    auto module = load("chain.cu");
    ASSERT_TRUE(module);
    constexpr std::uint32_t turns = 2, steps = 256 * turns;
    const auto words = [&](const char* kernel, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
        return result(*module, kernel, 32, 0x1234u, a, b, c, d, turns);
    };
    std::uint32_t logic = 0x1234, add = logic, multiply = logic, both = logic, guard = logic;
    for (std::uint32_t i = 0; i < steps; ++i) {
        logic = (((logic & 0xff0fu) | 0x55u) & 0x7fffu) | 3u;
        add = (5 - add) ^ 9;
        multiply = multiply * 5 + 9;
        both = (both * 5 + 9) ^ 0x7f;
        if (guard != 0x2000) guard ^= 0x3001;
    }
    EXPECT_EQ(words("chain_logic", 0xff0f, 0x55, 0x7fff, 3), logic);
    EXPECT_EQ(words("chain_add_logic", 5, 9, 0, 0), add);
    EXPECT_EQ(words("chain_multiply", 5, 9, 0, 0), multiply);
    EXPECT_EQ(words("chain_multiply_logic", 5, 9, 0x7f, 0), both);
    EXPECT_EQ(words("chain_guard", 0x2000, 0x3001, 0, 0), guard);
    EXPECT_EQ(result(*module, "chain_convert", 32, 2.5f, 0.f, 0.f, 0.f, 0.f, turns), bits(2));
    EXPECT_EQ(words("chain_shuffle", 0, 0, 0, 0), 0x1234u);
    EXPECT_EQ(words("chain_register", 0x55, 0, 0, 0), 0u) << "the first multiprocessor";
    EXPECT_EQ(words("chain_fence", 0, 0, 0, 0), 0x1234u);
    // Multiply-adds of halves with a = 1 and b = 0 keep what they have.
    EXPECT_EQ(words("chain_half", 0x3c003c00, 0, 0, 0), 0x1234u);
    EXPECT_EQ(std::bit_cast<double>(result(*module, "chain_fp64", 32, 0.0, 1.0, 1.0, 0.0, 0.0, turns)), steps);
    EXPECT_EQ(result(*module, "chain_special", 32, 0.5f, 0.f, 0.f, 0.f, 0.f, turns), bits(INFINITY));
}

TEST_F(MeasureDeep, ProductsOfOnesAddTheirLength) {
    auto module = load("product.cu");
    ASSERT_TRUE(module);
    EXPECT_EQ(result(*module, "chain_product", 32, 0x3c003c00u, 2u), bits(4 * 2 * 256 * 16.0f));
    const Address out = buffer(std::vector<std::uint64_t>(6));
    launch(*module, "many_products", 1, 64, 0, 0x3c003c00u, 3u, out);
    const auto sums = read<std::uint64_t>(out, 6);
    EXPECT_EQ(sums[4], bits(4 * 32 * 3 * 16.0f));
    EXPECT_EQ(sums[5], sums[4]);
    launch(*module, "many_products_f64", 1, 64, 0, 1.0, 3u, out);
    EXPECT_EQ(read<std::uint64_t>(out, 6)[5], 32u * 2 * 3 * 4);
}

TEST_F(MeasureDeep, LongCodeHasItsSegments) {
    auto module = load("code.cu");
    ASSERT_TRUE(module);
    for (std::uint32_t segments : {1u, 3u, 20u})
        EXPECT_EQ(result(*module, "long_code", 32, 1.0f, 1.0f, segments),
                  bits(3 * 1024.0f * static_cast<float>(segments)));
}

TEST_F(MeasureDeep, LanesReadTheirConstants) {
    auto module = load("wait.cu");
    ASSERT_TRUE(module);
    auto table = module->variable("spread");
    ASSERT_TRUE(table.ok());
    std::vector<std::uint32_t> own(2048);
    std::iota(own.begin(), own.end(), 1u);  // a word further each hop
    ASSERT_TRUE(gpu->write(table->first, std::as_bytes(std::span(own))).ok());
    const Address out = buffer(std::vector<std::uint64_t>(6));
    for (std::uint32_t places : {1u, 4u, 32u}) {
        launch(*module, "spread_constants", 1, 64, 0, places, 3u, 16u, out);
        const auto words = read<std::uint64_t>(out, 6);
        EXPECT_EQ(words[5], 3 * (places - 1) * 16 + 32 * (8 + 16)) << places;
    }
}

TEST_F(MeasureDeep, BlocksSayWhereTheyRanAndLoopsAddUp) {
    auto module = load("wait.cu");
    ASSERT_TRUE(module);
    const Address out = buffer(std::vector<std::uint64_t>(16, ~0ull));
    launch(*module, "blocks_in_turn", 8, 32, 0, std::uint64_t{100}, 50u, out);
    const auto words = read<std::uint64_t>(out, 16);
    for (unsigned k = 0; k < 16; ++k) EXPECT_NE(words[k], ~0ull) << k;
    for (std::uint32_t warps : {1u, 3u, 8u})
        EXPECT_EQ(result(*module, "compare_loops", 256, 1u, warps, 7u), 32 * warps * 7) << warps;
    EXPECT_EQ(result(*module, "compare_loops", 256, 4u, 2u, 7u), 32u * 2 * 7);
}

TEST_F(MeasureDeep, LoadsInARowAreAllThere) {
    auto module = load("wait.cu");
    ASSERT_TRUE(module);
    EXPECT_EQ(result(*module, "accesses_in_row", 32, 3u), 32u);
}

TEST_F(MeasureDeep, EachBlockGoesItsWayThroughTheLines) {
    auto module = load("traffic.cu"), chase = load("chase.cu");
    ASSERT_TRUE(module && chase);
    const Address table = buffer(std::vector<std::uint64_t>(64 * 16)), out = buffer(std::vector<std::uint64_t>(4));
    launch(*chase, "chase_fill", 1, 64, 0, table, 64u, 16u, 5u, 3u);
    launch(*module, "chase_everywhere", 2, 1, 0, table, 8u, out);
    std::uint64_t at = 0;
    for (int i = 0; i < 8; ++i) at = (at * 5 + 3) % 64;
    EXPECT_EQ(read<std::uint64_t>(out, 4)[2], at);
    EXPECT_EQ(read<std::uint64_t>(out, 4)[3], at);
}

TEST_F(MeasureDeep, BulkCopiesBringTheirPieces) {
    auto module = load("wait.cu", {"BULK"}, "sm_90a");
    ASSERT_TRUE(module);
    std::vector<std::uint32_t> words(16 * 4096);
    std::iota(words.begin(), words.end(), 1u);
    const Address in = buffer(words);
    // 8 places 1 KiB apart: the sixth copy brings the sixth.
    EXPECT_EQ(result(*module, "bulk_chain", 1, in, 16u, std::uint64_t{1024}, 8u, 6u), words[5 * 256]);
    EXPECT_EQ(result(*module, "bulk_chain", 1, in, 0u, std::uint64_t{1024}, 8u, 6u), 0u) << "the mbarrier alone";
    const Address out = buffer(std::vector<std::uint64_t>(8));
    launch(*module, "bulk_row", 4, 1, 4 * 16384, in, 2u, 2u, 9u, out);
    const auto row = read<std::uint64_t>(out, 8);
    EXPECT_EQ(row[4], words[0]) << "the ninth piece of two is the first";
    EXPECT_EQ(row[5], words[0]);
    EXPECT_EQ(row[6], words[2 * 4096]) << "the next two blocks have a region of their own";
    EXPECT_EQ(row[7], row[6]);
}

TEST_F(MeasureDeep, TrafficReachesItsLines) {
    auto module = load("traffic.cu");
    ASSERT_TRUE(module);
    std::vector<std::uint32_t> words(64 * 32);
    for (std::uint32_t line = 0; line < 64; ++line) words[line * 32] = 1u << line % 32;
    const Address in = buffer(words), out = buffer(std::vector<std::uint32_t>(128));
    launch(*module, "read_lines", 2, 64, 0, in, 64u, 8u, out);
    // 8 reads by 128 threads among 64 lines: each thread stays at its line, an even number of times.
    EXPECT_THAT(read<std::uint32_t>(out, 128), testing::Each(0u));
    launch(*module, "read_lines", 1, 8, 0, in, 64u, 8u, out);
    EXPECT_EQ(read<std::uint32_t>(out, 1)[0], 0u) << "lines 0, 8, ... 56: each bit twice";
    launch(*module, "read_lines", 1, 4, 0, in, 64u, 8u, out);
    EXPECT_EQ(read<std::uint32_t>(out, 1)[0], 0x11111111u);
    for (std::uint32_t of_line : {1u, 2u, 4u}) {
        const Address to = buffer(std::vector<std::uint32_t>(64 * 32));
        launch(*module, "write_sectors", 1, 32, 0, to, 64u, of_line, 8u);
        const auto written = read<std::uint32_t>(to, 64 * 32);
        for (std::uint32_t k = 0; k < written.size(); ++k) {
            const std::uint32_t sector = k % 32 / 8;
            ASSERT_EQ(written[k], k % 8 == 0 && sector < of_line ? sector + 1 : 0) << of_line << ' ' << k;
        }
    }
}

TEST_F(MeasureDeep, AtomicsOfFloatsAddUpAndSwapsFindNothing) {
    auto module = load("traffic.cu");
    ASSERT_TRUE(module);
    const Address sums = buffer(std::vector<float>(8)), words = buffer(std::vector<std::uint32_t>(8, 3u)),
                  out = buffer(std::vector<std::uint32_t>(64));
    launch(*module, "atomic_float", 2, 32, 0, sums, 2u, 5u);
    EXPECT_THAT(read<float>(sums, 3), testing::ElementsAre(160, 160, 0));
    launch(*module, "atomic_compare", 2, 32, 0, words, 2u, 5u, out);
    EXPECT_THAT(read<std::uint32_t>(words, 8), testing::Each(3u));
    EXPECT_THAT(read<std::uint32_t>(out, 64), testing::Each(15u));
}

}  // namespace measure_deep_test
}  // namespace warpwright

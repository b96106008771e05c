// Products made of tiles of 16 x 8 x 16, where this CPU has code for them, against the general code.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "engine/tensor/plan.hpp"
#include "engine/tensor/tiles.hpp"
#include "engine/tensor/tiles_avx512.hpp"
#include "engine/tensor/wgmma.hpp"
#include "golden.hpp"

namespace tiles_test {

using namespace warpwright;
using Words = std::vector<std::uint32_t>;

engine::MmaForm form_of(const std::string& name, unsigned a, unsigned b, unsigned c) {
    const auto list = golden::list;
    const auto i = golden::instruction(name + " " + list("f", c) + ", " + list("r", a) + ", " + list("r", b) + ", " +
                                       list("f", c));
    EXPECT_TRUE(i.ok()) << i.error().text();
    const auto form = engine::decode_mma(*i);
    EXPECT_TRUE(form.ok()) << form.error().text();
    return *form;
}

/// Words of 16-bit numbers of one exponent's neighbourhood, and some of all kinds.
class Numbers {
public:
    explicit Numbers(unsigned seed) : random_(seed) {}

    std::uint32_t pair(bool bf16, unsigned kind) { return half(bf16, kind) | half(bf16, kind) << 16; }
    std::uint32_t sum(unsigned kind) {
        if (kind == 0) return std::bit_cast<std::uint32_t>(static_cast<float>(random_() % 2000) / 64 - 15);
        if (kind == 1) return random_() % 4 ? 0x4b000000u + random_() % 0x1000000u : (random_() & 1) << 31;
        return random_();
    }

private:
    std::uint32_t half(bool bf16, unsigned kind) {
        const auto bits = random_() & 0xffff;
        if (kind == 3) return bits;  // subnormal, infinite and NaN ones among them
        if (bits % 16 == 0) return bits & 0x8000;
        if (kind == 2) return (bits & 0x8000) | (bf16 ? 0x3f80u + bits % 0x100u : 0x3c00u + bits % 0x800u);
        return bf16 ? (bits & 0x807f) | (110 + bits / 128 % 30) << 7 : (bits & 0x83ff) | (1 + bits / 1024 % 29) << 10;
    }

    std::mt19937 random_;
};

struct Case {
    const char* name;
    unsigned a, b, c;
    bool bf16;
    std::size_t rows, columns;
};

const Case kCases[] = {
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, true, 1, 1},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, false, 1, 1},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32", 4, 4, 8, true, 1, 2},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 8, 8, 8, false, 1, 2},
    {"wmma.mma.sync.aligned.row.col.m32n8k16.f32.bf16.bf16.f32", 8, 2, 8, true, 2, 1},
};

/// Of products that take the general code alone, nothing could differ.
#define SKIP_WITHOUT_TILES() \
    if (!engine::tiles::available()) GTEST_SKIP() << "this CPU has no AVX-512"

TEST(Tiles, SameAsTheGeneralCode) {
    SKIP_WITHOUT_TILES();
    for (const auto& x : kCases) {
        unsigned taken = 0;
        const auto form = form_of(x.name, x.a, x.b, x.c);
        ASSERT_EQ(form.plan->tiles.a.size(), x.rows) << x.name;
        ASSERT_EQ(form.plan->tiles.b.size(), x.columns) << x.name;
        Numbers numbers(7);
        for (unsigned turn = 0; turn < 400; ++turn) {
            const unsigned kind = turn % 4;
            Words a(x.a * 32), b(x.b * 32), c(x.c * 32), d(x.c * 32), expected(x.c * 32);
            for (auto& w : a) w = numbers.pair(x.bf16, kind);
            for (auto& w : b) w = numbers.pair(x.bf16, kind);
            for (auto& w : c) w = numbers.sum(turn / 4 % 3);
            engine::use_portable_sums(true);
            engine::run_mma(form, a.data(), b.data(), c.data(), expected.data());
            engine::use_portable_sums(false);
            engine::run_mma(form, a.data(), b.data(), c.data(), d.data());
            ASSERT_EQ(d, expected) << x.name << " " << turn;
            taken += engine::tiles::run(form, a.data(), b.data(), c.data(), d.data());
            engine::run_mma(form, a.data(), b.data(), c.data(), c.data());
            ASSERT_EQ(c, expected) << x.name << " " << turn << ", in place";
        }
        EXPECT_GT(taken, 50u) << x.name;
    }
}

/// Sums of many large products of one sign do not fit 32 bits.
TEST(Tiles, SumsBeyondThirtyTwoBits) {
    SKIP_WITHOUT_TILES();
    for (const auto& x : kCases) {
        const auto form = form_of(x.name, x.a, x.b, x.c);
        for (const std::uint32_t sign : {0u, 0x8000u}) {
            const std::uint32_t most = x.bf16 ? 0x3fff : 0x3fff & ~0x0400u;  // just below 2
            const Words a(x.a * 32, (most | sign) * 0x10001u), b(x.b * 32, most * 0x10001u);
            for (const float start : {0.0f, 3.999f, -3.999f, 7.5f, -7.5f}) {
                const Words c(x.c * 32, std::bit_cast<std::uint32_t>(start));
                Words d(x.c * 32), expected(x.c * 32);
                engine::use_portable_sums(true);
                engine::run_mma(form, a.data(), b.data(), c.data(), expected.data());
                engine::use_portable_sums(false);
                engine::run_mma(form, a.data(), b.data(), c.data(), d.data());
                ASSERT_EQ(d, expected) << x.name << " " << start;
            }
        }
    }
}

TEST(Tiles, OtherFormsHaveNone) {
    const auto none = [](const engine::MmaForm& form) { return form.plan->tiles.a.empty(); };
    EXPECT_TRUE(none(form_of("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4)));
    EXPECT_TRUE(none(form_of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4)));
    EXPECT_TRUE(none(form_of("wmma.mma.sync.aligned.row.col.m8n32k16.f32.bf16.bf16.f32", 2, 8, 8)));
}

TEST(Tiles, RowsOfAWarpgroup) {
    SKIP_WITHOUT_TILES();
    Numbers numbers(9);
    for (const bool bf16 : {true, false})
        for (const unsigned n : {8u, 24u, 64u, 256u})
            for (unsigned turn = 0; turn < 24; ++turn) {
                engine::WgmmaForm form;
                form.n = n, form.k = 16, form.d_words = n / 2;
                form.a = form.b = bf16 ? simt::Type::bf16 : simt::Type::f16, form.d = simt::Type::f32;
                form.a_negative = turn & 1, form.b_negative = turn & 2;
                Words a(16 * 8), b(n * 8), d(n * 16), expected;
                for (auto& w : a) w = numbers.pair(bf16, turn % 4);
                for (auto& w : b) w = numbers.pair(bf16, turn % 4);
                for (auto& w : d) w = numbers.sum(turn / 4 % 3);
                expected = d;
                const auto bytes = [](const Words& w) { return reinterpret_cast<const std::uint8_t*>(w.data()); };
                const bool accumulate = turn % 5 != 0;
                engine::use_portable_sums(true);
                engine::run_wgmma(form, bytes(a), bytes(b), accumulate, expected.data());
                engine::use_portable_sums(false);
                engine::run_wgmma(form, bytes(a), bytes(b), accumulate, d.data());
                ASSERT_EQ(d, expected) << n << " " << turn;
            }
}

}  // namespace tiles_test

// Which bytes of a memory range were ever written.
#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "reserved.hpp"

namespace warpwright::shadow {
namespace shadow_written_test {

struct ShadowWrittenTest : testing::Test {
    static constexpr std::uint64_t kStart = kTestedFrom;
    std::unique_ptr<Shadow> shadow = reserved(1 << 16);
};

TEST_F(ShadowWrittenTest, stretchesThatAreUnwritten) {
    using Stretches = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
    EXPECT_EQ(shadow->unwritten(kStart, 10000, 10), (Stretches{{kStart, 10000}}));
    shadow->set_written(kStart, 4100);
    shadow->set_written(kStart + 4200, 4);
    shadow->set_written(kStart + 9999, 1);
    EXPECT_EQ(shadow->unwritten(kStart, 10000, 10), (Stretches{{kStart + 4100, 100}, {kStart + 4204, 5795}}));
    EXPECT_EQ(shadow->unwritten(kStart, 10000, 1).size(), 1u);
    EXPECT_TRUE(shadow->unwritten(kStart + 3, 4097, 10).empty());
}

TEST_F(ShadowWrittenTest, stretchesThatAreUnwrittenByteByByte) {
    using Stretches = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
    std::vector<bool> written(20000);
    const auto set = [&](std::uint64_t from, std::uint64_t n) {
        shadow->set_written(kStart + from, n);
        std::fill_n(written.begin() + std::ptrdiff_t(from), n, true);
    };
    set(3, 1), set(64, 8), set(4095, 2), set(4104, 24), set(8200, 3000), set(16384, 16), set(19999, 1);
    for (const std::uint64_t from : {0, 1, 5, 8, 63, 4096, 8195})
        for (const std::uint64_t bytes : {1, 7, 8, 9, 4096, 8192, 11000}) {
            Stretches expected;
            for (std::uint64_t k = from; k < from + bytes; ++k) {
                if (written[k]) continue;
                if (!expected.empty() && expected.back().first + expected.back().second == kStart + k)
                    ++expected.back().second;
                else
                    expected.emplace_back(kStart + k, 1);
            }
            EXPECT_EQ(shadow->unwritten(kStart + from, bytes, 100), expected) << from << " " << bytes;
        }
}

TEST_F(ShadowWrittenTest, writtenToTheByte) {
    EXPECT_FALSE(shadow->is_written(kStart, 1));
    shadow->set_written(kStart + 3, 7);
    EXPECT_TRUE(shadow->is_written(kStart + 3, 7));
    EXPECT_FALSE(shadow->is_written(kStart + 2, 7));
    EXPECT_FALSE(shadow->is_written(kStart + 4, 7));
    shadow->clear_written(kStart + 5, 1);
    EXPECT_FALSE(shadow->is_written(kStart + 3, 7));
    EXPECT_TRUE(shadow->is_written(kStart + 6, 4));
}

TEST_F(ShadowWrittenTest, writtenAgreesWithAMap) {
    std::mt19937 random(7);
    std::vector<bool> model(600);
    for (int round = 0; round < 3000; ++round) {
        const auto at = random() % 500, n = random() % 90 + 1;
        const auto what = random() % 3;
        if (what == 0) {
            shadow->set_written(kStart + at, n);
            for (auto k = at; k < at + n; ++k) model[k] = true;
        } else if (what == 1) {
            shadow->clear_written(kStart + at, n);
            for (auto k = at; k < at + n; ++k) model[k] = false;
        } else {
            bool all = true;
            for (auto k = at; k < at + n; ++k) all &= model[k];
            ASSERT_EQ(shadow->is_written(kStart + at, n), all) << at << " " << n;
        }
    }
}

/// Words by a mask of 64: those alone are written, and what was written before stays so, also bytes in the middle.
TEST_F(ShadowWrittenTest, wordsThatAMaskNames) {
    constexpr std::uint64_t kAt = kStart + 4096, kFrom = kAt - 16, kBytes = 256 + 32;
    std::mt19937_64 random(3);
    std::vector<std::uint64_t> masks{0, ~std::uint64_t{0}};
    for (unsigned low = 0; low < 64; low += 6)
        for (std::uint64_t bits = 1; bits < 256; ++bits) masks.push_back(bits << low);
    for (unsigned k = 0; k < 300; ++k) masks.push_back(k % 2 ? random() : random() & random() & random());
    for (const auto mask : masks) {
        shadow->clear_written(kFrom, kBytes);
        std::vector<bool> written(kBytes);
        for (unsigned k = 0; mask % 3 && k < 20; ++k) {
            const auto at = random() % (kBytes - 6), bytes = 1 + random() % 6;
            shadow->set_written(kFrom + at, bytes);
            for (auto b = at; b < at + bytes; ++b) written[b] = true;
        }
        shadow->set_words_written(kAt, mask);
        for (unsigned w = 0; w < 64; ++w)
            for (unsigned b = 0; mask >> w & 1 && b < 4; ++b) written[kAt - kFrom + 4 * w + b] = true;
        std::vector<bool> found(kBytes);
        for (std::uint64_t b = 0; b < kBytes; ++b) found[b] = shadow->is_written(kFrom + b, 1);
        ASSERT_EQ(found, written) << std::hex << mask;
    }
}

TEST_F(ShadowWrittenTest, copiesKeepHoles) {
    shadow->set_written(kStart, 10);
    shadow->set_written(kStart + 12, 4);
    shadow->copy_written(kStart + 5001, kStart, 16);
    EXPECT_TRUE(shadow->is_written(kStart + 5001, 10));
    EXPECT_FALSE(shadow->is_written(kStart + 5011, 1));
    EXPECT_TRUE(shadow->is_written(kStart + 5013, 4));
}

}  // namespace shadow_written_test
}  // namespace warpwright::shadow

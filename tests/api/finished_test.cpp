// The finished kernels as a program calls them, on the emulated device.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "warpwright/kernels.hpp"

using namespace warpwright;

namespace finished_test {

std::vector<float> numbers(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> between(-1, 1);
    std::vector<float> out(count);
    for (float& x : out) x = between(generator);
    return out;
}

template <class T>
Buffer upload(Device& gpu, const std::vector<T>& values) {
    auto buffer = gpu.upload(std::span<const T>(values));
    EXPECT_TRUE(buffer) << (buffer ? "" : buffer.error().text());
    return buffer ? *buffer : Buffer{};
}

class Finished : public testing::Test {
protected:
    void SetUp() override {
        auto opened = Device::open();
        ASSERT_TRUE(opened) << opened.error().text();
        gpu.emplace(std::move(*opened));
    }
    std::optional<Device> gpu;
};

TEST_F(Finished, GemmMultipliesAndMayBeCalledAgain) {
    const std::int64_t m = 65, n = 130;
    for (unsigned round = 0; round < 2; ++round) {
        const std::int64_t k = round == 0 ? 40 : 300;  // the second in parts, by two launches
        const auto a = numbers(m * k, round), b = numbers(k * n, round + 10);
        const Buffer da = upload(*gpu, a), db = upload(*gpu, b), dc = upload(*gpu, std::vector<float>(m * n, NAN));
        for (unsigned again = 0; again < 2; ++again) {
            auto done = gemm(*gpu, {.m = m, .n = n, .k = k}, da, db, dc);
            ASSERT_TRUE(done) << done.error().text();
            EXPECT_EQ(done->kernel, round == 0 ? "best_any" : "parts");
            ASSERT_TRUE(done->counts);
            EXPECT_GE(done->counts->total[record::Count::flops], 2u * m * n * k);
            auto c = gpu->download<float>(dc, m * n);
            ASSERT_TRUE(c);
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j) {
                    double sum = 0, scale = 0;
                    for (std::int64_t l = 0; l < k; ++l) {
                        const double term = double(a[i * k + l]) * b[l * n + j];
                        sum += term;
                        scale += std::abs(term);
                    }
                    ASSERT_NEAR((*c)[i * n + j], sum, scale * k * 0x1p-24) << i << ", " << j;
                }
        }
    }
}

TEST_F(Finished, GemmTakesOperandsStoredEitherWay) {
    const std::int64_t m = 33, n = 20, k = 24;
    const auto a = numbers(m * k, 5), b = numbers(k * n, 6);
    for (const bool ta : {false, true})
        for (const bool tb : {false, true}) {
            std::vector<float> sa(a.size()), sb(b.size());
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t l = 0; l < k; ++l) sa[ta ? l * m + i : i * k + l] = a[i * k + l];
            for (std::int64_t l = 0; l < k; ++l)
                for (std::int64_t j = 0; j < n; ++j) sb[tb ? j * k + l : l * n + j] = b[l * n + j];
            const Buffer da = upload(*gpu, sa), db = upload(*gpu, sb),
                         dc = upload(*gpu, std::vector<float>(m * n, NAN));
            auto done = gemm(*gpu, {.m = m, .n = n, .k = k, .transpose_a = ta, .transpose_b = tb}, da, db, dc);
            ASSERT_TRUE(done) << done.error().text();
            auto c = gpu->download<float>(dc, m * n);
            ASSERT_TRUE(c);
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j) {
                    double sum = 0, scale = 0;
                    for (std::int64_t l = 0; l < k; ++l) {
                        sum += double(a[i * k + l]) * b[l * n + j];
                        scale += std::abs(double(a[i * k + l]) * b[l * n + j]);
                    }
                    ASSERT_NEAR((*c)[i * n + j], sum, scale * k * 0x1p-24) << ta << tb << " " << i << ", " << j;
                }
        }
}

TEST_F(Finished, ReduceAddsIntegersExactly) {
    std::vector<int> values(100003);
    std::iota(values.begin(), values.end(), -40000);
    const Buffer in = upload(*gpu, values), out = upload(*gpu, std::vector<int>{-1});
    auto done = reduce(*gpu, {.count = std::int64_t(values.size()), .type = Type::i32}, in, out);
    ASSERT_TRUE(done) << done.error().text();
    auto sum = gpu->download<int>(out, 1);
    ASSERT_TRUE(sum);
    EXPECT_EQ((*sum)[0], std::accumulate(values.begin(), values.end(), 0));
}

TEST_F(Finished, TransposeMovesEveryElement) {
    const std::int64_t rows = 33, columns = 70;
    const auto a = numbers(rows * columns, 3);
    const Buffer in = upload(*gpu, a), out = upload(*gpu, std::vector<float>(a.size(), NAN));
    auto done = transpose(*gpu, {.rows = rows, .columns = columns}, in, out);
    ASSERT_TRUE(done) << done.error().text();
    auto b = gpu->download<float>(out, a.size());
    ASSERT_TRUE(b);
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) ASSERT_EQ((*b)[j * rows + i], a[i * columns + j]) << i << ", " << j;
}

TEST_F(Finished, RefusesWhatMakesNoSense) {
    const Buffer small = upload(*gpu, std::vector<float>(16));
    auto negative = gemm(*gpu, {.m = -1, .n = 4, .k = 4}, small, small, small);
    ASSERT_FALSE(negative);
    EXPECT_EQ(negative.error().kind, ErrorKind::usage);
    auto short_of = gemm(*gpu, {.m = 4, .n = 5, .k = 4}, small, small, small);
    ASSERT_FALSE(short_of);
    EXPECT_EQ(short_of.error().kind, ErrorKind::usage);
    EXPECT_NE(short_of.error().text().find("80 bytes"), std::string::npos) << short_of.error().text();
    auto huge = gemm(*gpu, {.m = INT64_C(1) << 40, .n = INT64_C(1) << 40, .k = 2}, small, small, small);
    ASSERT_FALSE(huge);
    auto type = gemm(*gpu, {.m = 4, .n = 4, .k = 4, .type = Type::f64}, small, small, small);
    ASSERT_FALSE(type);
    EXPECT_EQ(type.error().kind, ErrorKind::limit);
    auto tf32 = gemm(*gpu, {.m = 4, .n = 4, .k = 4, .type = Type::f16, .tf32 = true}, small, small, small);
    ASSERT_FALSE(tf32);
    EXPECT_EQ(tf32.error().kind, ErrorKind::usage);
}

TEST(OpenDevice, NamesWhatThereIs) {
    auto none = Device::open({.device = "opengl"});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::usage);
    auto emulated = Device::open({.device = "emulated"});
    ASSERT_TRUE(emulated);
    EXPECT_EQ(emulated->name(), "emulated");
}

}  // namespace finished_test

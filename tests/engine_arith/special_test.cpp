// Approximate functions against long double, within the errors the PTX ISA states, with the ISA's special cases; and
// bit-identical on every CPU.
#include <gtest/gtest.h>

#include <random>

#include "float_oracle.hpp"

namespace special_test {

using namespace warpwright;
using namespace warpwright::test;
using ptx::Type;
using Reference = std::function<long double(long double)>;

std::vector<Row> sample(double low, double high, unsigned count) {
    std::vector<Row> rows;
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> uniform(low, high);
    for (unsigned i = 0; i < count; ++i) rows.push_back({bits_of(static_cast<float>(uniform(random)))});
    return rows;
}
std::vector<Row> any_float(unsigned count, bool positive) {
    std::vector<Row> rows;
    std::mt19937_64 random(12);
    for (unsigned i = 0; i < count; ++i) rows.push_back({random() & (positive ? 0x7fffffff : 0xffffffff)});
    for (Bits b : edges(Type::f32)) rows.push_back({positive ? b & 0x7fffffff : b});
    return rows;
}

// Every CPU and the scalar form give the same bits; finite references with a normal result are met within
// max(relative * |reference|, absolute).
void within(const std::string& spelling, const std::vector<Row>& rows, const Reference& f, long double relative,
            long double absolute, bool ftz = false) {
    const auto inst = instruction(spelling, "d a");
    const auto got = Kernel(inst, 32, "native").run(rows);
    for (const std::string& cpu : cpus()) ASSERT_EQ(Kernel(inst, 32, cpu).run(rows), got) << spelling << " " << cpu;
    ASSERT_EQ(Kernel(inst, 0, "native").run(rows), got) << spelling << " scalar";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const float x = ftz ? flushed(as_f32(rows[i][0])) : as_f32(rows[i][0]);
        const long double want = f(x);
        const float y = as_f32(got[i][0]);
        if (std::isnan(want)) {
            ASSERT_EQ(got[i][0], 0x7fffffffu) << spelling << " of " << x;
        } else if (std::fabs(want) >= 0x1.fffffep127L) {
            ASSERT_TRUE(std::isinf(y) || std::fabs(y) > 0x1.fffff0p127f) << spelling << " of " << x << ": " << y;
        } else if (std::fabs(want) < 0x1p-126L) {
            if (ftz)
                ASSERT_EQ(y, 0.0f) << spelling << " of " << x;
            else
                ASSERT_LE(std::fabs(y - want), 0x1p-148L) << spelling << " of " << x;
        } else {
            const long double allowed = std::fmax(relative * std::fabs(want), absolute);
            ASSERT_LE(std::fabs(y - want), allowed) << spelling << " of " << x << ": " << y << " for " << double(want);
        }
    }
}

TEST(Special, ReciprocalsAndRoots) {
    const auto all = any_float(200000, false);
    within("rcp.approx.f32", all, [](long double x) { return 1 / x; }, 0x1p-23L, 0);
    within("rcp.approx.ftz.f32", all, [](long double x) { return 1 / x; }, 0x1p-23L, 0, true);
    within("sqrt.approx.f32", all, [](long double x) { return std::sqrt(x); }, 0x1p-23L, 0);
    within("rsqrt.approx.f32", all, [](long double x) { return 1 / std::sqrt(x); }, 0x1.13p-23L, 0);  // 2^-22.9
    within("rsqrt.approx.ftz.f32", all, [](long double x) { return 1 / std::sqrt(x); }, 0x1.13p-23L, 0, true);
}

TEST(Special, ExponentialsAndLogarithms) {
    const Reference ex2 = [](long double x) { return std::exp2(x); };
    const Reference lg2 = [](long double x) { return std::log2(x); };
    within("ex2.approx.f32", sample(-150, 129, 200000), ex2, 0x1p-22L, 0);
    within("ex2.approx.f32", any_float(100000, false), ex2, 0x1p-22L, 0);
    within("ex2.approx.ftz.f32", any_float(100000, false), ex2, 0x1p-22L, 0, true);
    within("lg2.approx.f32", sample(0.5, 2, 200000), lg2, 0, 0x1p-22L);
    within("lg2.approx.f32", any_float(200000, false), lg2, 0x1.5p-23L, 0x1p-22L);  // 2^-22.6
    within("lg2.approx.ftz.f32", any_float(100000, false), lg2, 0x1.5p-23L, 0x1p-22L, true);
    // Whole powers are exact.
    std::vector<Row> powers;
    for (int n = -149; n < 128; ++n) powers.push_back({bits_of(float(n))});
    const auto got = Kernel(instruction("ex2.approx.f32", "d a"), 32, "native").run(powers);
    for (int n = -149; n < 128; ++n) EXPECT_EQ(as_f32(got[std::size_t(n + 149)][0]), std::ldexp(1.0f, n));
}

TEST(Special, SinesAndTangents) {
    const long double pi = 3.14159265358979323846264338327950288L;
    for (bool cosine : {false, true}) {
        const std::string name = cosine ? "cos.approx.f32" : "sin.approx.f32";
        const Reference f = [=](long double x) { return cosine ? std::cos(x) : std::sin(x); };
        within(name, sample(-double(pi), double(pi), 200000), f, 0, 0x1.6ap-21L);              // 2^-20.5
        within(name, sample(-100 * double(pi), 100 * double(pi), 200000), f, 0, 0x1.3ap-15L);  // 2^-14.7
        const auto wild = any_float(100000, false);
        const auto got = Kernel(instruction(name, "d a"), 32, "native").run(wild);
        for (std::size_t i = 0; i < wild.size(); ++i) {
            if (std::isfinite(as_f32(wild[i][0])))
                ASSERT_LE(std::fabs(as_f32(got[i][0])), 1.0f);
            else
                ASSERT_EQ(got[i][0], 0x7fffffffu);
        }
    }
    const Kernel sine(instruction("sin.approx.f32", "d a"), 32, "native");
    EXPECT_EQ(sine.run({{0x80000000}})[0][0], 0x80000000u);
    const Kernel cosine(instruction("cos.approx.ftz.f32", "d a"), 32, "native");
    EXPECT_EQ(cosine.run({{0x80000001}})[0][0], 0x3f800000u);
    within("tanh.approx.f32", sample(-12, 12, 200000), [](long double x) { return std::tanh(x); }, 0x1p-11L, 0);
    within("tanh.approx.f32", any_float(100000, false), [](long double x) { return std::tanh(x); }, 0x1p-11L, 0);
}

TEST(Special, DivisionWithinTwoUlp) {
    for (const char* form : {"div.approx.f32", "div.full.f32", "div.full.ftz.f32"}) {
        const bool ftz = std::string(form).find("ftz") != std::string::npos;
        const bool approx = std::string(form).find("approx") != std::string::npos;
        check(
            form, "d a b", {Type::f32, Type::f32},
            [&](const Row& r) {
                float a = as_f32(r[0]), b = as_f32(r[1]);
                if (ftz) a = flushed(a), b = flushed(b);
                const double m = std::fabs(b);
                float q = approx && m > 0x1p126 && std::isfinite(b) ? a * std::copysign(0.0f, b) : a / b;
                return Row{canonical(ftz ? flushed(q) : q)};
            },
            [](Bits got, Bits want, unsigned) {
                const std::int64_t difference = static_cast<std::int64_t>(got) - static_cast<std::int64_t>(want);
                return got == want || (std::isfinite(as_f32(want)) && std::abs(difference) <= 2);
            });
    }
}

TEST(Special, HalfPrecision) {
    // f16: 2^-9.9 relative (ex2), 2^-10.987 absolute (tanh); bf16: 2^-7 relative, 2^-8 absolute.
    auto close = [](const Small& format, double bound, bool relative, Bits got, double want) {
        const double y = format.value(got);
        if (std::isnan(want)) return std::isnan(y);
        if (std::isinf(want) || std::isinf(y)) return std::fabs(want) > 65000;
        const double subnormal = &format == &f16() ? 0x1p-24 : 0x1p-126;  // ex2.approx.ftz.bf16 flushes
        return std::fabs(y - want) <= std::fmax(relative ? bound * std::fabs(want) : bound, subnormal);
    };
    for (bool bf : {false, true}) {
        const Small& format = bf ? bf16() : f16();
        std::vector<Row> rows;
        for (Bits b = 0; b < 0x10000; ++b) rows.push_back({b});
        const std::string type = bf ? "bf16" : "f16";
        const auto power =
            Kernel(instruction(bf ? "ex2.approx.ftz.bf16" : "ex2.approx.f16", "d a"), 32, "native").run(rows);
        const auto tangent = Kernel(instruction("tanh.approx." + type, "d a"), 32, "native").run(rows);
        const auto pairs = Kernel(instruction("tanh.approx." + type + "x2", "d a"), 32, "native").run(rows);
        for (Bits b = 0; b < 0x10000; ++b) {
            const double x = format.value(b);
            ASSERT_TRUE(close(format, bf ? 0x1p-7 : 0x1.13p-10, true, power[b][0], std::exp2(x))) << type << " " << x;
            ASSERT_TRUE(close(format, bf ? 0x1p-8 : 0x1.02p-11, false, tangent[b][0], std::tanh(x)))
                << type << " " << x;
            ASSERT_EQ(pairs[b][0], tangent[b][0]);
        }
    }
}

TEST(Special, GrossDoubles) {
    for (bool root : {false, true}) {
        const auto rows = [] {
            std::vector<Row> out;
            std::mt19937_64 random(5);
            for (int i = 0; i < 100000; ++i) out.push_back({random() & 0x7fffffffffffffff});
            return out;
        }();
        const auto got =
            Kernel(instruction(root ? "rsqrt.approx.ftz.f64" : "rcp.approx.ftz.f64", "d a"), 32, "native").run(rows);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            ASSERT_EQ(got[i][0] & 0xffffffff, 0u);
            const long double x = as_f64(rows[i][0]), y = as_f64(got[i][0]);
            if (std::isnan(x)) {
                ASSERT_TRUE(std::isnan(y));
                continue;
            }
            const long double want = 1 / (root ? std::sqrt(x) : x);
            if (want < 0x1p-1022L) {
                ASSERT_EQ(y, 0.0L);
            } else if (std::isfinite(y)) {
                ASSERT_LE(std::fabs(y - want), want * 0x1.8p-20L) << double(x);
            }
        }
    }
}

}  // namespace special_test

// f32 and f64 arithmetic in every rounding mode, .ftz and .sat, against the host's operations under fesetround.
#include <gtest/gtest.h>

#include "float_oracle.hpp"

namespace float_test {

using namespace warpwright;
using namespace warpwright::test;
using ptx::Type;

template <class T>
T add(T a, T b) {
    volatile T x = a, y = b, r;
    r = x + y;
    return r;
}
template <class T>
T mul(T a, T b) {
    volatile T x = a, y = b, r;
    r = x * y;
    return r;
}
template <class T>
T div(T a, T b) {
    volatile T x = a, y = b, r;
    r = x / y;
    return r;
}
template <class T>
T fma3(T a, T b, T c) {
    volatile T x = a, y = b, z = c, r;
    r = std::fma(x, y, z);
    return r;
}
template <class T>
T root(T a) {
    volatile T x = a, r;
    r = std::sqrt(x);
    return r;
}

using F32 = std::function<float(const std::vector<float>&)>;

// `op` + mode + [.ftz] + [.sat] + .f32, in each combination.
void check_f32(const std::string& op, unsigned sources, const F32& f, const std::vector<Mode>& modes, bool can_sat) {
    const std::string operands[] = {"d a", "d a b", "d a b c"};
    for (const Mode& mode : modes)
        for (bool ftz : {false, true})
            for (bool sat : {false, true}) {
                if (sat && (!can_sat || ftz)) continue;
                check(op + mode.name + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + ".f32", operands[sources - 1],
                      std::vector<Type>(sources, Type::f32), [&](const Row& row) {
                          std::vector<float> v;
                          for (Bits bits : row) v.push_back(ftz ? flushed(as_f32(bits)) : as_f32(bits));
                          float r = under(mode.host, [&] { return f(v); });
                          // Products and fused sums are flushed by their size with unlimited exponents, which the same
                          // operation on operands times 2^32 has; quotients by their exact size.
                          const bool product = op == "mul" || op.starts_with("fma") || op.starts_with("mad");
                          if (ftz && product) {
                              v[0] *= 0x1p32f;
                              if (v.size() > 2) v[2] *= 0x1p32f;
                              if (std::fabs(under(mode.host, [&] { return f(v); })) < 0x1p-94f)
                                  r = std::copysign(0.0f, r);
                          }
                          const bool exact = !product && (op == "div" || op == "rcp" || mode.host != FE_TONEAREST);
                          if (ftz && exact && std::fabs(under(FE_TOWARDZERO, [&] { return f(v); })) < 0x1p-126f)
                              r = std::copysign(0.0f, r);
                          if (ftz) r = flushed(r);
                          if (sat) r = saturated(r);
                          return Row{canonical(r)};
                      });
            }
}

TEST(Float, SinglePrecisionInEveryMode) {
    check_f32("add", 2, [](auto& v) { return add(v[0], v[1]); }, kModes, true);
    check_f32("sub", 2, [](auto& v) { return add(v[0], -v[1]); }, kModes, true);
    check_f32("mul", 2, [](auto& v) { return mul(v[0], v[1]); }, kModes, true);
    check_f32("fma", 3, [](auto& v) { return fma3(v[0], v[1], v[2]); }, kModes, true);
    check_f32("div", 2, [](auto& v) { return div(v[0], v[1]); }, kModes, false);
    check_f32("rcp", 1, [](auto& v) { return div(1.0f, v[0]); }, kModes, false);
    check_f32("sqrt", 1, [](auto& v) { return root(v[0]); }, kModes, false);
    const std::vector<Mode> unnamed = {{"", FE_TONEAREST}};
    check_f32("add", 2, [](auto& v) { return add(v[0], v[1]); }, unnamed, true);
    check_f32("mul", 2, [](auto& v) { return mul(v[0], v[1]); }, unnamed, true);
    check_f32("mad.rn", 3, [](auto& v) { return fma3(v[0], v[1], v[2]); }, unnamed, true);
}

// What an H200 gives just below 2^-126.
TEST(Float, FlushingGoesByTheExactSize) {
    auto one = [](const char* form, const char* operands, const Row& row) {
        return Kernel(instruction(form, operands), 32, "native").run({row})[0][0];
    };
    for (const char* mode : {".rn", ".rz", ".rm", ".rp"}) {
        const std::string m = mode;
        EXPECT_EQ(one(("div" + m + ".ftz.f32").c_str(), "d a b", {0x3f7fffff, 0x7e800000}), 0u) << m;
        EXPECT_EQ(one(("div" + m + ".ftz.f32").c_str(), "d a b", {0x00800000, 0x3f800001}), 0u) << m;
        EXPECT_EQ(one(("div" + m + ".ftz.f32").c_str(), "d a b", {0xbf7fffff, 0x7e800000}), 0x80000000u) << m;
        EXPECT_EQ(one(("rcp" + m + ".ftz.f32").c_str(), "d a", {0x7e800001}), 0u) << m;
        if (m == ".rn") continue;
        EXPECT_EQ(one(("mul" + m + ".ftz.f32").c_str(), "d a b", {0x3f7fffff, 0x00800000}), 0u) << m;
        EXPECT_EQ(one(("fma" + m + ".ftz.f32").c_str(), "d a b c", {0x3f7fffff, 0x80800000, 0}), 0x80000000u) << m;
    }
    // Conversions round first.
    EXPECT_EQ(one("cvt.rn.ftz.f32.f64", "d a", {0x380fffffffffffff}), 0x00800000u);
    EXPECT_EQ(one("cvt.rm.ftz.f32.f64", "d a", {0x380fffffffffffff}), 0u);
}

TEST(Float, PairsOfSinglePrecision) {
    const std::vector<Type> three(3, Type::u64);
    check(
        "fma.rn.f32x2", "d a b c", three,
        [](const Row& r) {
            auto part = [&](unsigned i, unsigned k) { return as_f32(r[i] >> 32 * k); };
            Bits out = 0;
            for (unsigned k = 0; k < 2; ++k) out |= bits_of(fma3(part(0, k), part(1, k), part(2, k))) << 32 * k;
            return Row{out};
        },
        [](Bits got, Bits want, unsigned) {
            for (unsigned k = 0; k < 2; ++k)
                if (canonical(as_f32(got >> 32 * k)) != canonical(as_f32(want >> 32 * k))) return false;
            return true;
        });
}

TEST(Float, DoublePrecisionInEveryMode) {
    for (const Mode& mode : kModes) {
        auto run = [&](const std::string& op, unsigned sources, auto f) {
            const std::string operands[] = {"d a", "d a b", "d a b c"};
            check(
                op + mode.name + ".f64", operands[sources - 1], std::vector<Type>(sources, Type::f64),
                [&](const Row& r) {
                    auto v = [&](unsigned i) { return i < r.size() ? as_f64(r[i]) : 0.0; };
                    return Row{bits_of(under(mode.host, [&] { return f(v(0), v(1), v(2)); }))};
                },
                same_nan64);
        };
        run("add", 2, [](double a, double b, double) { return add(a, b); });
        run("sub", 2, [](double a, double b, double) { return add(a, -b); });
        run("mul", 2, [](double a, double b, double) { return mul(a, b); });
        run("div", 2, [](double a, double b, double) { return div(a, b); });
        run("fma", 3, [](double a, double b, double c) { return fma3(a, b, c); });
        run("rcp", 1, [](double a, double, double) { return div(1.0, a); });
        run("sqrt", 1, [](double a, double, double) { return root(a); });
    }
}

double min_max(double a, double b, bool maximum, bool propagate) {
    if (std::isnan(a) || std::isnan(b))
        return propagate || (std::isnan(a) && std::isnan(b)) ? NAN : std::isnan(a) ? b : a;
    if (a == b) return std::signbit(a) == maximum ? b : a;  // of zeros, the one of the wanted sign
    return (a < b) != maximum ? a : b;
}

TEST(Float, MinMaxOrderZerosAndDropNaN) {
    for (bool maximum : {false, true}) {
        const std::string op = maximum ? "max" : "min";
        const std::vector<Type> two(2, Type::f32), three(3, Type::f32);
        for (bool propagate : {false, true})
            for (bool ftz : {false, true})
                check(op + (ftz ? ".ftz" : "") + (propagate ? ".NaN" : "") + ".f32", "d a b", two, [&](const Row& r) {
                    auto in = [&](unsigned i) { return ftz ? flushed(as_f32(r[i])) : as_f32(r[i]); };
                    return Row{canonical(float(min_max(in(0), in(1), maximum, propagate)))};
                });
        check(op + ".xorsign.abs.f32", "d a b", two, [&](const Row& r) {
            const float best = float(min_max(std::fabs(as_f32(r[0])), std::fabs(as_f32(r[1])), maximum, false));
            const bool negative = (r[0] ^ r[1]) >> 31 & 1;
            return Row{canonical(std::copysign(best, negative ? -1.0f : 1.0f))};
        });
        check(op + ".f32", "d a b c", three, [&](const Row& r) {
            const double ab = min_max(as_f32(r[0]), as_f32(r[1]), maximum, false);
            return Row{canonical(float(min_max(ab, as_f32(r[2]), maximum, false)))};
        });
        check(
            op + ".f64", "d a b", {Type::f64, Type::f64},
            [&](const Row& r) { return Row{bits_of(min_max(as_f64(r[0]), as_f64(r[1]), maximum, false))}; },
            same_nan64);
    }
}

TEST(Float, Signs) {
    check("abs.f32", "d a", {Type::f32}, [](const Row& r) { return Row{canonical(std::fabs(as_f32(r[0])))}; });
    check("neg.ftz.f32", "d a", {Type::f32}, [](const Row& r) { return Row{canonical(-flushed(as_f32(r[0])))}; });
    // A NaN keeps its sign and becomes quiet.
    const Bits sign = Bits{1} << 63, quiet = Bits{1} << 51;
    check("neg.f64", "d a", {Type::f64},
          [&](const Row& r) { return Row{std::isnan(as_f64(r[0])) ? r[0] | quiet : r[0] ^ sign}; });
    check("abs.f64", "d a", {Type::f64},
          [&](const Row& r) { return Row{std::isnan(as_f64(r[0])) ? r[0] | quiet : r[0] & ~sign}; });
    check("copysign.f32", "d a b", {Type::f32, Type::f32},
          [](const Row& r) { return Row{(r[0] & 0x80000000) | (r[1] & 0x7fffffff)}; });
    check("copysign.f64", "d a b", {Type::f64, Type::f64},
          [](const Row& r) { return Row{(r[0] & Bits{1} << 63) | (r[1] & ~(Bits{1} << 63))}; });
}

TEST(Float, MixedPrecision) {
    for (const Mode& mode : kModes) {
        check(std::string("add") + mode.name + ".f32.f16", "d a b", {Type::f16, Type::f32}, [&](const Row& r) {
            return Row{canonical(under(mode.host, [&] { return add(float(f16().value(r[0])), as_f32(r[1])); }))};
        });
        check(std::string("fma") + mode.name + ".f32.bf16", "d a b c", {Type::bf16, Type::bf16, Type::f32},
              [&](const Row& r) {
                  return Row{canonical(under(mode.host, [&] {
                      return fma3(float(bf16().value(r[0])), float(bf16().value(r[1])), as_f32(r[2]));
                  }))};
              });
    }
}

}  // namespace float_test

// f16 and bf16 against exact double arithmetic rounded once, by table.
#include <gtest/gtest.h>

#include <random>

#include "float_oracle.hpp"

namespace half_test {

using namespace warpwright;
using namespace warpwright::test;
using ptx::Type;

struct Half {
    const char* name;
    Type type, pair;
    const Small& format;
};
const std::vector<Half>& halves() {
    static const std::vector<Half> list = {{"f16", Type::f16, Type::f16x2, f16()},
                                           {"bf16", Type::bf16, Type::bf16x2, bf16()}};
    return list;
}

Bits flush16(Bits b) { return b & 0x7c00 ? b : b & 0x8000; }
double volatile_add(double a, double b) {
    volatile double x = a, y = b, r;
    r = x + y;
    return r;
}

using Exact = std::function<double(double, double, double)>;
const std::string kOperands[] = {"d a", "d a b", "d a b c"};

// The scalar form and the pair form of `op`, both against `f` (exact or to odd) followed by `after` and one rounding.
void check_half(const std::string& op, const Half& half, unsigned sources, const Exact& f, bool ftz = false,
                const std::function<double(double)>& after = {}) {
    auto one = [&](const Row& row, unsigned part) {
        auto in = [&](unsigned i) {
            if (i >= row.size()) return 0.0;
            const Bits b = row[i] >> 16 * part & 0xffff;
            return half.format.value(ftz ? flush16(b) : b);
        };
        double x = f(in(0), in(1), in(2));
        if (after) x = after(x);
        // By the size with unlimited exponents: what 11 bits round up to 2^-14 is not subnormal.
        if (ftz && std::fabs(x) < 0x1p-14 * (1 - 0x1p-12)) x = std::copysign(0.0, x);
        return half.format.round(x);
    };
    check(op + "." + half.name, kOperands[sources - 1], std::vector<Type>(sources, half.type),
          [&](const Row& r) { return Row{one(r, 0)}; });
    check(op + "." + half.name + "x2", kOperands[sources - 1], std::vector<Type>(sources, half.pair),
          [&](const Row& r) { return Row{one(r, 0) | one(r, 1) << 16}; });
}

double sat(double x) { return x > 0 ? std::fmin(x, 1.0) : 0.0; }
double relu(double x) { return std::isnan(x) ? x : x > 0 ? x : 0.0; }

TEST(Half, ArithmeticRoundsOnce) {
    const Exact add = [](double a, double b, double) { return to_odd([=] { return volatile_add(a, b); }); };
    const Exact sub = [](double a, double b, double) { return to_odd([=] { return volatile_add(a, -b); }); };
    const Exact mul = [](double a, double b, double) { return a * b; };
    const Exact fma = [](double a, double b, double c) { return to_odd([=] { return volatile_add(a * b, c); }); };
    for (const Half& half : halves()) {
        check_half("add.rn", half, 2, add);
        check_half("sub.rn", half, 2, sub);
        check_half("mul.rn", half, 2, mul);
        check_half("fma.rn", half, 3, fma);
        check_half("fma.rn.relu", half, 3, fma, false, relu);
    }
    const Half& h = halves()[0];
    check_half("add", h, 2, add);
    check_half("add.ftz", h, 2, add, true);
    check_half("sub.sat", h, 2, sub, false, sat);
    check_half("mul.ftz.sat", h, 2, mul, true, sat);
    check_half("fma.rn.ftz", h, 3, fma, true);
    // (1 - 2^-11) 2^-14 needs no rounding with unlimited exponents, and is flushed.
    EXPECT_EQ(Kernel(instruction("mul.ftz.f16", "d a b"), 32, "native").run({{0x3bff, 0x0400}})[0][0], 0u);
    check_half("fma.rn.sat", h, 3, fma, false, sat);
}

// Operands whose exact result often lies so close to a tie that rounding twice would go wrong.
TEST(Half, NoDoubleRounding) {
    std::mt19937_64 random(3);
    auto draw = [&](int exponent, int spread, unsigned mantissa_bits) {
        const int field = exponent + int(random() % unsigned(2 * spread + 1)) - spread;
        return (random() & 1) << 15 | Bits(std::max(field, 0)) << mantissa_bits |
               (random() & ((1u << mantissa_bits) - 1));
    };
    for (const Half& half : halves()) {
        const bool wide = half.type == Type::bf16;
        const unsigned m = wide ? 7 : 10;
        for (const auto& [where, c_where] : wide ? std::vector<std::pair<int, int>>{{127, 127}, {60, 4}, {190, 250}}
                                                 : std::vector<std::pair<int, int>>{{15, 15}, {8, 4}, {21, 27}}) {
            std::vector<Row> rows;
            for (int i = 0; i < 400000; ++i)
                rows.push_back({draw(where, 3, m), draw(where, 3, m), draw(c_where, wide ? 10 : 6, m)});
            for (Row& row : rows)
                for (Bits& b : row) b = std::isfinite(half.format.value(b)) ? b : b & 0x83ff;
            for (const char* op : {"fma.rn.", "mul.", "add."}) {
                const bool fused = op[0] == 'f', product = op[0] == 'm';
                const auto inst = instruction(op + std::string(half.name), fused ? "d a b c" : "d a b");
                const auto got = Kernel(inst, 32, "native").run(rows);
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    const double a = half.format.value(rows[i][0]), b = half.format.value(rows[i][1]);
                    const double c = half.format.value(rows[i][2]);
                    const double x =
                        product ? a * b : to_odd([=] { return fused ? volatile_add(a * b, c) : volatile_add(a, b); });
                    if (x == 0) continue;  // signs of zeros: elsewhere
                    ASSERT_EQ(got[i][0], half.format.round(x)) << op << half.name << " " << a << " " << b << " " << c;
                }
            }
        }
    }
}

// Zero signs of exact sums depend on the mode, so to_odd's toward-zero mode must give what to-nearest gives.
TEST(Half, MinMaxAbsNeg) {
    for (const Half& half : halves()) {
        for (bool maximum : {false, true})
            for (bool propagate : {false, true})
                check_half(std::string(maximum ? "max" : "min") + (propagate ? ".NaN" : ""), half, 2,
                           [&](double a, double b, double) {
                               if (std::isnan(a) || std::isnan(b))
                                   return propagate || (std::isnan(a) && std::isnan(b)) ? NAN : std::isnan(a) ? b : a;
                               if (a == b) return std::signbit(a) == maximum ? b : a;
                               return (a < b) != maximum ? a : b;
                           });
        check(std::string("abs.") + half.name, "d a", {half.type},
              [&](const Row& r) { return Row{std::isnan(half.format.value(r[0])) ? 0x7fff : r[0] & 0x7fff}; });
        check(std::string("neg.") + half.name + "x2", "d a", {half.pair}, [&](const Row& r) {
            auto one = [&](Bits b) { return std::isnan(half.format.value(b)) ? 0x7fff : b ^ 0x8000; };
            return Row{one(r[0] >> 16) << 16 | one(r[0] & 0xffff)};
        });
    }
}

TEST(Half, Comparisons) {
    for (const Half& half : halves()) {
        auto v = [&](Bits b) { return half.format.value(b & 0xffff); };
        const std::string n = half.name;
        check("setp.lt." + n, "p|q a b", {half.type, half.type}, [&](const Row& r) {
            const bool p = v(r[0]) < v(r[1]);
            return Row{p, !p};
        });
        check("setp.neu.and." + n + "x2", "p|q a b c", {half.pair, half.pair, Type::pred}, [&](const Row& r) {
            return Row{Bits{v(r[0]) != v(r[1]) && r[2]}, Bits{v(r[0] >> 16) != v(r[1] >> 16) && r[2]}};
        });
        const Bits one = half.type == Type::f16 ? 0x3c00 : 0x3f80;
        check("set.gt." + n + "x2." + n + "x2", "d a b", {half.pair, half.pair}, [&](const Row& r) {
            Bits out = 0;
            for (unsigned i : {0u, 16u}) out |= (v(r[0] >> i) > v(r[1] >> i) ? one : 0) << i;
            return Row{out};
        });
        check("set.eq." + n + "." + n, "d a b", {half.type, half.type},
              [&](const Row& r) { return Row{v(r[0]) == v(r[1]) ? one : 0}; });
        check("set.le.u32." + n, "d a b", {half.type, half.type},
              [&](const Row& r) { return Row{v(r[0]) <= v(r[1]) ? 0xffffffff : 0}; });
        check("set.ge.u32." + n + "x2", "d a b", {half.pair, half.pair}, [&](const Row& r) {
            Bits out = 0;
            for (unsigned i : {0u, 16u}) out |= (v(r[0] >> i) >= v(r[1] >> i) ? 0xffffu : 0u) << i;
            return Row{out};
        });
    }
}

}  // namespace half_test

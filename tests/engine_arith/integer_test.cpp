// Integer arithmetic, carry chains and division against 128-bit host arithmetic.
#include <gtest/gtest.h>

#include "harness.hpp"

namespace integer_test {

using namespace warpwright;
using namespace warpwright::test;
using ptx::Type;
__extension__ using Wide = __int128;
__extension__ using UWide = unsigned __int128;

struct Int {
    const char* name;
    Type type;
    unsigned bits;
    bool is_signed;
};
const Int kInts[] = {{"u16", Type::u16, 16, false}, {"s16", Type::s16, 16, true},  {"u32", Type::u32, 32, false},
                     {"s32", Type::s32, 32, true},  {"u64", Type::u64, 64, false}, {"s64", Type::s64, 64, true}};

Bits mask(unsigned bits) { return bits >= 64 ? ~Bits{0} : (Bits{1} << bits) - 1; }
Wide value(Bits x, unsigned bits, bool is_signed) {
    if (!is_signed || !(x >> (bits - 1) & 1)) return static_cast<Wide>(x & mask(bits));
    return static_cast<Wide>(x & mask(bits)) - (static_cast<Wide>(1) << bits);
}
Wide clamp(Wide x, Wide low, Wide high) { return x < low ? low : x > high ? high : x; }

using Operation = std::function<Wide(Wide, Wide, Wide)>;
void check_int(const std::string& op, const Int& t, unsigned sources, const Operation& operation,
               unsigned result_bits = 0) {
    const std::vector<Type> types(sources, t.type);
    const std::string names[] = {"d a", "d a b", "d a b c"};
    check(op + "." + t.name, names[sources - 1], types, [&](const Row& row) {
        auto v = [&](unsigned i) { return i < row.size() ? value(row[i], t.bits, t.is_signed) : 0; };
        return Row{static_cast<Bits>(operation(v(0), v(1), v(2))) & mask(result_bits ? result_bits : t.bits)};
    });
}

TEST(Integer, AddSubMulMinMax) {
    for (const Int& t : kInts) {
        check_int("add", t, 2, [](Wide a, Wide b, Wide) { return a + b; });
        check_int("sub", t, 2, [](Wide a, Wide b, Wide) { return a - b; });
        check_int("min", t, 2, [](Wide a, Wide b, Wide) { return a < b ? a : b; });
        check_int("max", t, 2, [](Wide a, Wide b, Wide) { return a > b ? a : b; });
        check_int("mul.lo", t, 2, [](Wide a, Wide b, Wide) {
            return static_cast<Wide>(static_cast<UWide>(a) * static_cast<UWide>(b));
        });
        check_int("mul.hi", t, 2, [&](Wide a, Wide b, Wide) {
            return static_cast<Wide>(static_cast<UWide>(a) * static_cast<UWide>(b)) >> t.bits;
        });
        check_int("mad.lo", t, 3, [](Wide a, Wide b, Wide c) {
            return static_cast<Wide>(static_cast<UWide>(a) * static_cast<UWide>(b) + static_cast<UWide>(c));
        });
        check_int("mad.hi", t, 3, [&](Wide a, Wide b, Wide c) {
            return (static_cast<Wide>(static_cast<UWide>(a) * static_cast<UWide>(b)) >> t.bits) + c;
        });
        check_int("sad", t, 3, [](Wide a, Wide b, Wide c) { return c + (a < b ? b - a : a - b); });
        if (t.bits < 64) check_int("mul.wide", t, 2, [](Wide a, Wide b, Wide) { return a * b; }, 2 * t.bits);
    }
    check("mad.wide.s32", "d a b c", {Type::s32, Type::s32, Type::s64},
          [](const Row& r) { return Row{static_cast<Bits>(value(r[0], 32, true) * value(r[1], 32, true)) + r[2]}; });
    check("mad.wide.u16", "d a b c", {Type::u16, Type::u16, Type::u32},
          [](const Row& r) { return Row{(r[0] * r[1] + r[2]) & mask(32)}; });
}

TEST(Integer, SignedForms) {
    for (const Int& t : kInts) {
        if (!t.is_signed) continue;
        check_int("abs", t, 1, [](Wide a, Wide, Wide) { return a < 0 ? -a : a; });
        check_int("neg", t, 1, [](Wide a, Wide, Wide) { return -a; });
    }
    const Int s32 = kInts[3];
    auto sat = [](Wide x) { return clamp(x, -(Wide{1} << 31), (Wide{1} << 31) - 1); };
    check_int("add.sat", s32, 2, [&](Wide a, Wide b, Wide) { return sat(a + b); });
    check_int("sub.sat", s32, 2, [&](Wide a, Wide b, Wide) { return sat(a - b); });
    check_int("mad.hi.sat", s32, 3, [&](Wide a, Wide b, Wide c) { return sat(((a * b) >> 32) + c); });
    check_int("min.relu", s32, 2, [](Wide a, Wide b, Wide) { return std::max<Wide>(0, std::min(a, b)); });
    check_int("max.relu", s32, 2, [](Wide a, Wide b, Wide) { return std::max<Wide>(0, std::max(a, b)); });
}

TEST(Integer, TwentyFourBits) {
    auto low24 = [](Wide x, bool is_signed) { return value(static_cast<Bits>(x) & 0xffffff, 24, is_signed); };
    for (const Int& t : {kInts[2], kInts[3]}) {
        check_int("mul24.lo", t, 2,
                  [&](Wide a, Wide b, Wide) { return low24(a, t.is_signed) * low24(b, t.is_signed); });
        check_int("mul24.hi", t, 2,
                  [&](Wide a, Wide b, Wide) { return (low24(a, t.is_signed) * low24(b, t.is_signed)) >> 16; });
        check_int("mad24.lo", t, 3,
                  [&](Wide a, Wide b, Wide c) { return low24(a, t.is_signed) * low24(b, t.is_signed) + c; });
    }
    check_int("mad24.hi.sat", kInts[3], 3, [&](Wide a, Wide b, Wide c) {
        return clamp(value(static_cast<Bits>((low24(a, true) * low24(b, true)) >> 16) & mask(32), 32, true) + c,
                     -(Wide{1} << 31), (Wide{1} << 31) - 1);
    });
}

TEST(Integer, PackedHalves) {
    auto each = [](const Row& r, const std::function<Wide(Wide, Wide)>& f, bool is_signed) {
        Bits out = 0;
        for (unsigned i = 0; i < 2; ++i)
            out |= (static_cast<Bits>(f(value(r[0] >> 16 * i & 0xffff, 16, is_signed),
                                        value(r[1] >> 16 * i & 0xffff, 16, is_signed))) &
                    0xffff)
                   << 16 * i;
        return Row{out};
    };
    const std::vector<Type> u(2, Type::u16x2), s(2, Type::s16x2);
    check("add.u16x2", "d a b", u, [&](const Row& r) { return each(r, [](Wide a, Wide b) { return a + b; }, false); });
    check("min.u16x2", "d a b", u,
          [&](const Row& r) { return each(r, [](Wide a, Wide b) { return std::min(a, b); }, false); });
    check("max.s16x2", "d a b", s,
          [&](const Row& r) { return each(r, [](Wide a, Wide b) { return std::max(a, b); }, true); });
    check("min.relu.s16x2", "d a b", s, [&](const Row& r) {
        return each(r, [](Wide a, Wide b) { return std::max<Wide>(0, std::min(a, b)); }, true);
    });
}

TEST(Integer, CarryChains) {
    for (const Int& t : kInts) {
        if (t.bits < 32) continue;
        const UWide one = UWide{1} << t.bits;
        auto sum = [&](UWide x, bool cc) {
            Row out{static_cast<Bits>(x % one)};
            if (cc) out.push_back(static_cast<Bits>(x / one != 0));
            return out;
        };
        auto difference = [&](Wide x, bool cc) {
            Row out{static_cast<Bits>(x) & mask(t.bits)};
            if (cc) out.push_back(x < 0);
            return out;
        };
        const std::string name = t.name;
        const std::vector<Type> two(2, t.type);
        std::vector<Type> in = two;
        in.push_back(Type::pred);
        check("add.cc." + name, "d a b", two, [&](const Row& r) { return sum(UWide{r[0]} + r[1], true); });
        check("addc." + name, "d a b", in, [&](const Row& r) { return sum(UWide{r[0]} + r[1] + r[2], false); });
        check("addc.cc." + name, "d a b", in, [&](const Row& r) { return sum(UWide{r[0]} + r[1] + r[2], true); });
        check("sub.cc." + name, "d a b", two, [&](const Row& r) { return difference(Wide(r[0]) - Wide(r[1]), true); });
        check("subc.cc." + name, "d a b", in,
              [&](const Row& r) { return difference(Wide(r[0]) - Wide(r[1]) - Wide(r[2]), true); });
        check("subc." + name, "d a b", in,
              [&](const Row& r) { return difference(Wide(r[0]) - Wide(r[1]) - Wide(r[2]), false); });
        auto product = [&](const Row& r, bool high) {
            const Wide p = static_cast<Wide>(static_cast<UWide>(value(r[0], t.bits, t.is_signed)) *
                                             static_cast<UWide>(value(r[1], t.bits, t.is_signed)));
            return static_cast<Bits>(high ? p >> t.bits : p) & mask(t.bits);
        };
        std::vector<Type> three(3, t.type), four = three;
        four.push_back(Type::pred);
        check("mad.lo.cc." + name, "d a b c", three,
              [&](const Row& r) { return sum(UWide{product(r, false)} + r[2], true); });
        check("madc.hi.cc." + name, "d a b c", four,
              [&](const Row& r) { return sum(UWide{product(r, true)} + r[2] + r[3], true); });
        check("madc.lo." + name, "d a b c", four,
              [&](const Row& r) { return sum(UWide{product(r, false)} + r[2] + r[3], false); });
    }
}

TEST(Integer, DivisionNeverTraps) {
    for (const Int& t : kInts) {
        check_int("div", t, 2, [](Wide a, Wide b, Wide) { return b == 0 ? Wide{-1} : a / b; });
        check_int("rem", t, 2, [](Wide a, Wide b, Wide) { return b == 0 ? Wide{-1} : a % b; });
        for (const char* constant : {"1", "3", "7", "16", "641", "0"}) {
            const Wide b = std::stoi(constant);
            check(std::string("div.") + t.name, std::string("d a ") + constant, {t.type}, [&](const Row& r) {
                return Row{static_cast<Bits>(b ? value(r[0], t.bits, t.is_signed) / b : -1) & mask(t.bits)};
            });
            check(std::string("rem.") + t.name, std::string("d a ") + constant, {t.type}, [&](const Row& r) {
                return Row{static_cast<Bits>(b ? value(r[0], t.bits, t.is_signed) % b : -1) & mask(t.bits)};
            });
        }
    }
}

// Quotients next to an integer are where a reciprocal would slip.
TEST(Integer, DivisionNextToMultiples) {
    const Kernel kernel(instruction("div.u32", "d a b"), 32, "native");
    std::vector<Row> rows;
    for (Bits b = 1; b < 0x100000000; b = b * 3 + 1)
        for (Bits k : {Bits{1}, Bits{2}, Bits{3}, Bits{0xffff}, 0xffffffff / b, 0xffffffff / b - 1})
            for (Bits offset : {Bits{0}, ~Bits{0}, Bits{1}}) {
                const Bits a = k * b + offset;
                if (a >> 32 == 0) rows.push_back({a, b});
            }
    const auto got = kernel.run(rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
        ASSERT_EQ(got[i][0], rows[i][0] / rows[i][1]) << rows[i][0] << " / " << rows[i][1];
}

}  // namespace integer_test

// Video instructions against the ISA's pseudo-code, and where an H200 gives something else (docs/arithmetic.md) against
// that.
#include <gtest/gtest.h>

#include "harness.hpp"

namespace video_test {

using namespace warpwright;
using namespace warpwright::test;
using ptx::Type;
using I = std::int64_t;
using Op2 = std::function<I(I, I)>;

I part(Bits word, unsigned bits, unsigned index, bool is_signed) {
    const I field = static_cast<I>(word >> bits * index & ((Bits{1} << bits) - 1));
    return is_signed && field >> (bits - 1) & 1 ? field - (I{1} << bits) : field;
}
I clamp(I x, unsigned bits, bool is_signed) {
    const I top = (I{1} << (is_signed ? bits - 1 : bits)) - 1, bottom = is_signed ? -top - 1 : 0;
    return x < bottom ? bottom : x > top ? top : x;
}
Bits word(I x) { return static_cast<Bits>(x) & 0xffffffff; }
const std::vector<Type> kTwo(2, Type::b32), kThree(3, Type::b32);

const std::vector<std::pair<std::string, Op2>> kScalar = {
    {"vadd", [](I a, I b) { return a + b; }},
    {"vsub", [](I a, I b) { return a - b; }},
    {"vabsdiff", [](I a, I b) { return a < b ? b - a : a - b; }},
    {"vmin", [](I a, I b) { return std::min(a, b); }},
    {"vmax", [](I a, I b) { return std::max(a, b); }},
};

TEST(Video, ScalarOperations) {
    for (const auto& [name, f] : kScalar) {
        const Op2& op = f;
        check(name + ".s32.u32.s32.sat", "d a b", kTwo, [&](const Row& r) {
            return Row{word(clamp(op(part(r[0], 32, 0, false), part(r[1], 32, 0, true)), 32, true))};
        });
        check(name + ".u32.s32.s32", "d a.b3 b.h1", kTwo,
              [&](const Row& r) { return Row{word(op(part(r[0], 8, 3, true), part(r[1], 16, 1, true)))}; });
        check(name + ".s32.s32.u32.add", "d a.h0 b.b1 c", kThree, [&](const Row& r) {
            return Row{word(op(part(r[0], 16, 0, true), part(r[1], 8, 1, false)) + static_cast<I>(r[2]))};
        });
        check(name + ".s32.s32.s32.min", "d a b c", kThree, [&](const Row& r) {
            I x = op(part(r[0], 32, 0, true), part(r[1], 32, 0, true));
            if (name != "vabsdiff") x = part(word(x), 32, 0, true);
            return Row{word(std::min(x, part(r[2], 32, 0, true)))};
        });
        // Measured: .sat cuts an unsigned word at 0 alone, and of two words the second operation takes a sum or a
        // difference with its sign extended and compares without sign.
        check(name + ".u32.u32.u32.sat.max", "d a b c", kThree, [&](const Row& r) {
            Bits x = word(std::max(op(part(r[0], 32, 0, false), part(r[1], 32, 0, false)), I{0}));
            if (name == "vadd" || name == "vsub") x = static_cast<Bits>(part(x, 32, 0, true));
            return Row{word(static_cast<I>(std::max(x, r[2])))};
        });
        // Measured: values below the range of a part become its top.
        check(name + ".s32.s32.s32.sat", "d.b2 a b c", kThree, [&](const Row& r) {
            const I x = op(part(r[0], 32, 0, true), part(r[1], 32, 0, true));
            return Row{(r[2] & 0xff00ffff) | static_cast<Bits>(x < 0 || x > 127 ? 127 : x) << 16};
        });
        // Measured: the upper half is filled from the result's own upper half.
        check(name + ".u32.s32.u32", "d.h1 a b.b0 c", kThree, [&](const Row& r) {
            const I x = op(part(r[0], 32, 0, true), part(r[1], 8, 0, false));
            return Row{(r[2] & 0xffff) | (word(x) & 0xffff0000)};
        });
    }
}

TEST(Video, ShiftsSetsAndMad) {
    check("vshl.u32.u32.u32.clamp", "d a b", kTwo,
          [](const Row& r) { return Row{r[1] >= 32 ? 0 : r[0] << r[1] & 0xffffffff}; });
    check("vshl.s32.s32.u32.sat.wrap", "d a b", kTwo, [](const Row& r) {  // measured: 34 bits before saturation
        const Bits x = static_cast<Bits>(part(r[0], 32, 0, true)) << (r[1] & 31);
        const I wide = static_cast<I>(x << 30) >> 30;
        return Row{word(clamp(wide, 32, true))};
    });
    check("vshr.s32.s32.u32.wrap", "d a b", kTwo,
          [](const Row& r) { return Row{word(part(r[0], 32, 0, true) >> (r[1] & 31))}; });
    check("vset.s32.u32.lt", "d a b.h0", kTwo,
          [](const Row& r) { return Row{part(r[0], 32, 0, true) < part(r[1], 16, 0, false)}; });
    check("vset.u32.u32.ge.add", "d a b c", kThree, [](const Row& r) { return Row{word(I(r[0] >= r[1]) + I(r[2]))}; });
    check("vmad.s32.s32.s32.sat.shr7", "d a.h0 b.h1 c", kThree, [](const Row& r) {
        const I x = part(r[0], 16, 0, true) * part(r[1], 16, 1, true) + part(r[2], 32, 0, true);
        return Row{word(clamp(x >> 7, 32, true))};
    });
    check("vmad.u32.u32.u32.po", "d a.b0 b.b1 c", kThree, [](const Row& r) {
        return Row{word(part(r[0], 8, 0, false) * part(r[1], 8, 1, false) + static_cast<I>(r[2]) + 1)};
    });
    check("vmad.s32.s32.s32", "d -a b c", kThree, [](const Row& r) {
        const I x = part(r[0], 32, 0, true) * part(r[1], 32, 0, true);
        return Row{word(static_cast<I>(static_cast<Bits>(part(r[2], 32, 0, true)) - static_cast<Bits>(x)))};
    });
}

TEST(Video, Simd) {
    auto average = [](I a, I b) {  // half away from zero
        const I s = a + b;
        return s >= 0 ? (s + 1) / 2 : -((-s + 1) / 2);
    };
    auto operations = kScalar;
    operations.emplace_back("vavrg", average);
    for (const auto& [base, f] : operations)
        for (unsigned parts : {2u, 4u}) {
            const Op2& op = f;
            const unsigned bits = 32 / parts;
            const std::string name = base + std::to_string(parts);
            auto each = [&](const Row& r, bool a_signed, bool b_signed, bool sat, bool d_signed) {
                Bits out = 0;
                for (unsigned i = 0; i < parts; ++i) {
                    I x = op(part(r[0], bits, i, a_signed), part(r[1], bits, i, b_signed));
                    if (sat) x = clamp(x, bits, d_signed);
                    out |= (static_cast<Bits>(x) & ((Bits{1} << bits) - 1)) << bits * i;
                }
                return out;
            };
            check(name + ".u32.u32.u32", "d a b c", kThree,
                  [&](const Row& r) { return Row{each(r, false, false, false, false)}; });
            check(name + ".s32.s32.u32.sat", "d a b c", kThree,
                  [&](const Row& r) { return Row{each(r, true, false, true, true)}; });
            check(name + ".s32.u32.s32.add", "d a b c", kThree, [&](const Row& r) {
                I sum = static_cast<I>(r[2]);
                for (unsigned i = 0; i < parts; ++i) sum += op(part(r[0], bits, i, false), part(r[1], bits, i, true));
                return Row{word(sum)};
            });
        }
    check("vadd2.s32.s32.s32", "d.h1 a.h01 b.h32 c", kThree, [](const Row& r) {
        // d.h1 takes a's left digit (a.h0) and b's (b.h1); the rest comes from c.
        const I x = part(r[0], 16, 0, true) + part(r[1], 16, 1, true);
        return Row{(r[2] & 0xffff) | (static_cast<Bits>(x) & 0xffff) << 16};
    });
    check("vset4.u32.u32.eq.add", "d a b c", kThree, [](const Row& r) {
        I sum = static_cast<I>(r[2]);
        for (unsigned i = 0; i < 4; ++i) sum += part(r[0], 8, i, false) == part(r[1], 8, i, false);
        return Row{word(sum)};
    });
}

}  // namespace video_test

// set, setp, selp, slct, testp against C++ comparisons.
#include <gtest/gtest.h>

#include "float_oracle.hpp"

namespace compare_test {

using namespace warpwright;
using namespace warpwright::test;
using ptx::Type;

template <class T>
bool holds(const std::string& cmp, T a, T b) {
    const bool unordered = a != a || b != b;
    if (cmp == "num") return !unordered;
    if (cmp == "nan") return unordered;
    if (cmp.size() == 3) return unordered || holds(cmp.substr(0, 2), a, b);  // equ, neu ...
    if (unordered) return false;
    if (cmp == "eq") return a == b;
    if (cmp == "ne") return a != b;
    if (cmp == "lt" || cmp == "lo") return a < b;
    if (cmp == "le" || cmp == "ls") return a <= b;
    if (cmp == "gt" || cmp == "hi") return a > b;
    return a >= b;
}

const std::vector<std::string> kOrdered = {"eq", "ne", "lt", "le", "gt", "ge"};
const std::vector<std::string> kFloat = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                         "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

std::int64_t signed_value(Bits x, unsigned bits) { return static_cast<std::int64_t>(x << (64 - bits)) >> (64 - bits); }

TEST(Compare, Integers) {
    for (unsigned w : {16u, 32u, 64u}) {
        const std::string n = std::to_string(w);
        const Type type = w == 16 ? Type::b16 : w == 32 ? Type::b32 : Type::b64;
        for (const std::string& cmp : kOrdered) {
            check("setp." + cmp + ".s" + n, "p a b", {type, type},
                  [&](const Row& r) { return Row{holds(cmp, signed_value(r[0], w), signed_value(r[1], w))}; });
            check("setp." + cmp + ".u" + n, "p|q a b", {type, type}, [&](const Row& r) {
                const bool p = holds(cmp, r[0], r[1]);
                return Row{p, !p};
            });
        }
        for (const char* cmp : {"lo", "ls", "hi", "hs"})
            check(std::string("setp.") + cmp + ".u" + n, "p a b", {type, type},
                  [&](const Row& r) { return Row{holds(cmp, r[0], r[1])}; });
        check("setp.eq.b" + n, "p a b", {type, type}, [](const Row& r) { return Row{r[0] == r[1]}; });
    }
}

TEST(Compare, Floats) {
    for (const std::string& cmp : kFloat) {
        check("setp." + cmp + ".f32", "p|q a b", {Type::f32, Type::f32}, [&](const Row& r) {
            const bool p = holds(cmp, as_f32(r[0]), as_f32(r[1]));
            return Row{p, !p};
        });
        check("setp." + cmp + ".ftz.f32", "p a b", {Type::f32, Type::f32},
              [&](const Row& r) { return Row{holds(cmp, flushed(as_f32(r[0])), flushed(as_f32(r[1])))}; });
        check("setp." + cmp + ".f64", "p a b", {Type::f64, Type::f64},
              [&](const Row& r) { return Row{holds(cmp, as_f64(r[0]), as_f64(r[1]))}; });
    }
}

TEST(Compare, CombinedWithAPredicate) {
    const std::vector<Type> in = {Type::s32, Type::s32, Type::pred};
    auto both = [](const Row& r, auto f) {
        const bool p = signed_value(r[0], 32) < signed_value(r[1], 32);
        return Row{Bits(f(p, bool(r[2]))), Bits(f(!p, bool(r[2])))};
    };
    check("setp.lt.and.s32", "p|q a b c", in,
          [&](const Row& r) { return both(r, [](bool x, bool y) { return x && y; }); });
    check("setp.lt.or.s32", "p|q a b c", in,
          [&](const Row& r) { return both(r, [](bool x, bool y) { return x || y; }); });
    check("setp.lt.xor.s32", "p|q a b c", in,
          [&](const Row& r) { return both(r, [](bool x, bool y) { return x != y; }); });
}

TEST(Compare, Set) {
    check("set.lt.u32.s32", "d a b", {Type::s32, Type::s32},
          [](const Row& r) { return Row{signed_value(r[0], 32) < signed_value(r[1], 32) ? 0xffffffff : 0}; });
    check("set.gtu.f32.f64", "d a b", {Type::f64, Type::f64},
          [](const Row& r) { return Row{holds("gtu", as_f64(r[0]), as_f64(r[1])) ? 0x3f800000u : 0u}; });
    check("set.eq.or.ftz.s32.f32", "d a b c", {Type::f32, Type::f32, Type::pred}, [](const Row& r) {
        return Row{holds("eq", flushed(as_f32(r[0])), flushed(as_f32(r[1]))) || r[2] ? 0xffffffff : 0};
    });
}

TEST(Compare, Selections) {
    for (const auto& [name, type] : std::vector<std::pair<std::string, Type>>{
             {"b16", Type::b16}, {"s32", Type::s32}, {"f32", Type::f32}, {"u64", Type::u64}, {"f64", Type::f64}}) {
        check("selp." + name, "d a b c", {type, type, Type::pred},
              [](const Row& r) { return Row{r[2] ? r[0] : r[1]}; });
        check("slct." + name + ".s32", "d a b c", {type, type, Type::s32},
              [](const Row& r) { return Row{signed_value(r[2], 32) >= 0 ? r[0] : r[1]}; });
        check("slct.ftz." + name + ".f32", "d a b c", {type, type, Type::f32},
              [](const Row& r) { return Row{flushed(as_f32(r[2])) >= 0 ? r[0] : r[1]}; });
    }
}

TEST(Compare, Classes) {
    auto of = [](const std::string& test, double x, double smallest) {
        if (test == "finite") return std::isfinite(x);
        if (test == "infinite") return std::isinf(x);
        if (test == "number") return !std::isnan(x);
        if (test == "notanumber") return std::isnan(x);
        const bool subnormal = x != 0 && std::fabs(x) < smallest;
        return test == "subnormal" ? subnormal : std::isfinite(x) && !subnormal;
    };
    for (const char* test : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}) {
        check(std::string("testp.") + test + ".f32", "p a", {Type::f32},
              [&](const Row& r) { return Row{of(test, as_f32(r[0]), 0x1p-126)}; });
        check(std::string("testp.") + test + ".f64", "p a", {Type::f64},
              [&](const Row& r) { return Row{of(test, as_f64(r[0]), 0x1p-1022)}; });
    }
}

}  // namespace compare_test

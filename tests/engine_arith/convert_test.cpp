// cvt between all scalar types and the packed small formats, and cvt.pack.
#include <gtest/gtest.h>

#include "float_oracle.hpp"

namespace convert_test {

using namespace warpwright;
using namespace warpwright::test;
using ptx::Type;
__extension__ using Wide = __int128;

struct Int {
    std::string name;
    Type type;
    unsigned bits;
    bool is_signed;
};
const std::vector<Int> kInts = {{"u8", Type::u8, 8, false},    {"s8", Type::s8, 8, true},
                                {"u16", Type::u16, 16, false}, {"s16", Type::s16, 16, true},
                                {"u32", Type::u32, 32, false}, {"s32", Type::s32, 32, true},
                                {"u64", Type::u64, 64, false}, {"s64", Type::s64, 64, true}};
struct Real {
    std::string name;
    Type type;
};
const std::vector<Real> kReals = {{"f16", Type::f16}, {"bf16", Type::bf16}, {"f32", Type::f32}, {"f64", Type::f64}};

Bits mask(unsigned bits) { return bits >= 64 ? ~Bits{0} : (Bits{1} << bits) - 1; }
Wide value(Bits x, const Int& t) {
    const Wide v = static_cast<Wide>(x & mask(t.bits));
    return t.is_signed && x >> (t.bits - 1) & 1 ? v - (static_cast<Wide>(1) << t.bits) : v;
}
Wide low(const Int& t) { return t.is_signed ? -(static_cast<Wide>(1) << (t.bits - 1)) : 0; }
Wide high(const Int& t) { return (static_cast<Wide>(1) << (t.is_signed ? t.bits - 1 : t.bits)) - 1; }
Bits clamped(Wide x, const Int& t) {
    return static_cast<Bits>(x < low(t) ? low(t) : x > high(t) ? high(t) : x) & mask(t.bits);
}
double real_value(Bits b, Type type) {
    if (type == Type::f16) return f16().value(b);
    if (type == Type::bf16) return bf16().value(b);
    return type == Type::f32 ? static_cast<double>(as_f32(b)) : as_f64(b);
}

// What becomes of a NaN: from f64 its sign and the top of its payload stay, made quiet; f32 and bf16 pass through a
// change of format to f32; elsewhere it is canonical (as an H200 has it).
Bits nan_result(Bits b, Type from, Type to) {
    const unsigned bits = ptx::bits(to), mantissa = to == Type::f16 ? 10 : to == Type::bf16 ? 7 : 23;
    if (from == Type::f64 && to != Type::f64)
        return (b >> 63) << (bits - 1) | mask(bits - 1) >> (mantissa - 1) << (mantissa - 1) |
               (b >> (52 - mantissa) & mask(mantissa));
    if (from == Type::bf16 && to == Type::f32) return b << 16;
    return to == Type::f32 ? 0x7fffffff : to == Type::f64 ? bits_of(double(NAN)) : 0x7fff;
}

// x (exact or to odd) in a float format and mode.
Bits rounded(double x, Type type, int mode, bool satfinite = false) {
    if (type == Type::f16) return f16().round(x, mode, satfinite);
    if (type == Type::bf16) return bf16().round(x, mode, satfinite);
    if (type == Type::f64) return bits_of(x);
    return canonical(under(mode, [&] {
        volatile double v = x;
        volatile float r = static_cast<float>(v);
        return r;
    }));
}
bool same_real(Type type, Bits got, Bits want) { return type == Type::f64 ? same_nan64(got, want, 0) : got == want; }

TEST(Convert, IntegerToInteger) {
    for (const Int& from : kInts)
        for (const Int& to : kInts) {
            check("cvt." + to.name + "." + from.name, "d a", {from.type},
                  [&](const Row& r) { return Row{static_cast<Bits>(value(r[0], from)) & mask(to.bits)}; });
            check("cvt.sat." + to.name + "." + from.name, "d a", {from.type},
                  [&](const Row& r) { return Row{clamped(value(r[0], from), to)}; });
        }
}

TEST(Convert, IntegerToFloat) {
    for (const Int& from : kInts)
        for (const Real& to : kReals)
            for (const Mode& mode : kModes)
                check("cvt" + std::string(mode.name) + "." + to.name + "." + from.name, "d a", {from.type},
                      [&](const Row& r) {
                          const Wide v = value(r[0], from);
                          if (to.type == Type::f64 || to.type == Type::f32)
                              return under(mode.host, [&] {
                                  volatile std::int64_t s = static_cast<std::int64_t>(v);
                                  volatile std::uint64_t u = static_cast<std::uint64_t>(v);
                                  if (to.type == Type::f32) {
                                      volatile float f = v < 0 ? static_cast<float>(s) : static_cast<float>(u);
                                      return Row{bits_of(float(f))};
                                  }
                                  volatile double d = v < 0 ? static_cast<double>(s) : static_cast<double>(u);
                                  return Row{bits_of(double(d))};
                              });
                          // Beyond 53 bits: drop them, keeping a trace.
                          Wide magnitude = v < 0 ? -v : v;
                          int shift = 0;
                          while (magnitude >> 50) magnitude = (magnitude >> 1) | (magnitude & 1), ++shift;
                          const double x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(magnitude)), shift);
                          return Row{rounded(v < 0 ? -x : x, to.type, mode.host)};
                      });
}

TEST(Convert, FloatToInteger) {
    const std::vector<Mode> modes = {
        {".rni", FE_TONEAREST}, {".rzi", FE_TOWARDZERO}, {".rmi", FE_DOWNWARD}, {".rpi", FE_UPWARD}};
    for (const Real& from : kReals)
        for (const Int& to : kInts)
            for (const Mode& mode : modes)
                for (bool ftz : {false, true}) {
                    if (ftz && from.type != Type::f32) continue;
                    check("cvt" + std::string(mode.name) + (ftz ? ".ftz." : ".") + to.name + "." + from.name, "d a",
                          {from.type}, [&](const Row& r) {
                              double x = real_value(r[0], from.type);
                              if (ftz) x = flushed(static_cast<float>(x));
                              if (std::isnan(x))
                                  return Row{from.type != Type::f64 && to.bits < 64 ? 0 : Bits{1} << (to.bits - 1)};
                              const double whole = under(mode.host, [&] {
                                  volatile double v = x;
                                  return std::nearbyint(v);
                              });
                              if (whole < -0x1p64) return Row{clamped(low(to), to)};
                              if (whole > 0x1p65) return Row{clamped(high(to), to)};
                              return Row{clamped(static_cast<Wide>(whole), to)};
                          });
                }
}

TEST(Convert, FloatToFloat) {
    for (const Real& from : kReals)
        for (const Real& to : kReals) {
            if (from.type == to.type) continue;
            auto same = [&](Bits got, Bits want, unsigned) { return same_real(to.type, got, want); };
            for (const Mode& mode : kModes)
                check(
                    "cvt" + std::string(mode.name) + "." + to.name + "." + from.name, "d a", {from.type},
                    [&](const Row& r) {
                        const double x = real_value(r[0], from.type);
                        if (std::isnan(x)) return Row{nan_result(r[0], from.type, to.type)};
                        return Row{rounded(x, to.type, mode.host)};
                    },
                    same);
            check(
                "cvt.rn.sat." + to.name + "." + from.name, "d a", {from.type},
                [&](const Row& r) {
                    const double x = real_value(r[0], from.type);
                    return Row{rounded(x > 0 ? std::fmin(x, 1.0) : 0.0, to.type, FE_TONEAREST)};
                },
                same);
        }
    check("cvt.ftz.f64.f32", "d a", {Type::f32}, [](const Row& r) {
        if (std::isnan(as_f32(r[0]))) return Row{0x7fffffffe0000000};
        return Row{bits_of(double(flushed(as_f32(r[0]))))};
    });
    check("cvt.rn.ftz.f32.f64", "d a", {Type::f64}, [](const Row& r) {
        if (std::isnan(as_f64(r[0]))) return Row{nan_result(r[0], Type::f64, Type::f32)};
        return Row{bits_of(flushed(static_cast<float>(as_f64(r[0]))))};
    });
    check("cvt.f32.f32", "d a", {Type::f32}, [](const Row& r) { return Row{r[0]}; });
    check("cvt.rp.ftz.f16.f32", "d a", {Type::f32},  // .ftz is about f32 results
          [](const Row& r) { return Row{f16().round(as_f32(r[0]), FE_UPWARD)}; });
    check("cvt.rn.relu.f16.f32", "d a", {Type::f32}, [](const Row& r) {
        const float x = as_f32(r[0]);
        return Row{f16().round(std::isnan(x) || x > 0 ? x : 0.0)};
    });
}

TEST(Convert, FloatToIntegralFloat) {
    const std::vector<Mode> modes = {
        {".rni", FE_TONEAREST}, {".rzi", FE_TOWARDZERO}, {".rmi", FE_DOWNWARD}, {".rpi", FE_UPWARD}};
    for (const Real& t : kReals)
        for (const Mode& mode : modes)
            check(
                "cvt" + std::string(mode.name) + "." + t.name + "." + t.name, "d a", {t.type},
                [&](const Row& r) {
                    const double x = real_value(r[0], t.type);
                    return Row{rounded(under(mode.host,
                                             [&] {
                                                 volatile double v = x;
                                                 return std::nearbyint(v);
                                             }),
                                       t.type, FE_TONEAREST)};
                },
                [&](Bits got, Bits want, unsigned) { return same_real(t.type, got, want); });
    check("cvt.sat.f32.f32", "d a", {Type::f32}, [](const Row& r) { return Row{bits_of(saturated(as_f32(r[0])))}; });
}

TEST(Convert, Tf32) {
    auto tf = [](double x, int mode, bool away, bool satfinite) {
        return std::isnan(x) ? Bits{0x7fffe000} : tf32().round(x, mode, satfinite, away) << 13;
    };
    check("cvt.rna.tf32.f32", "d a", {Type::f32}, [&](const Row& r) {
        if (std::isnan(as_f32(r[0]))) return Row{r[0] & 0xffffe000};  // its upper bits as they are (H200)
        return Row{tf(as_f32(r[0]), FE_TONEAREST, true, false)};
    });
    check("cvt.rn.tf32.f32", "d a", {Type::f32},
          [&](const Row& r) { return Row{tf(as_f32(r[0]), FE_TONEAREST, false, false)}; });
    check("cvt.rz.tf32.f32", "d a", {Type::f32},
          [&](const Row& r) { return Row{tf(as_f32(r[0]), FE_TOWARDZERO, false, false)}; });
    check("cvt.rna.satfinite.tf32.f32", "d a", {Type::f32}, [&](const Row& r) {
        if (std::isnan(as_f32(r[0]))) return Row{(r[0] & 0xffffe000) - 0x2000};
        return Row{tf(as_f32(r[0]), FE_TONEAREST, true, true)};
    });
}

TEST(Convert, PackedPairs) {
    struct Pair {
        const char* name;
        const Small& format;
        bool satfinite;
    };
    const std::vector<Type> two(2, Type::f32);
    for (const Pair& p : {Pair{"f16x2", f16(), false}, Pair{"bf16x2", bf16(), false}, Pair{"f16x2", f16(), true},
                          Pair{"e4m3x2", e4m3(), true}, Pair{"e5m2x2", e5m2(), true}})
        for (bool with_relu : {false, true}) {
            auto one = [&](double x, int mode) {
                if (with_relu && !std::isnan(x) && !(x > 0)) x = 0.0;
                return p.format.round(x, mode, p.satfinite);
            };
            const unsigned w = p.format.bits();
            const std::string middle = std::string(p.satfinite ? ".satfinite" : "") + (with_relu ? ".relu." : ".");
            check("cvt.rn" + middle + p.name + ".f32", "d a b", two, [&](const Row& r) {
                return Row{one(as_f32(r[0]), FE_TONEAREST) << w | one(as_f32(r[1]), FE_TONEAREST)};
            });
            if (w == 16)
                check("cvt.rz" + middle + p.name + ".f32", "d a b", two, [&](const Row& r) {
                    return Row{one(as_f32(r[0]), FE_TOWARDZERO) << w | one(as_f32(r[1]), FE_TOWARDZERO)};
                });
            else
                check("cvt.rn" + middle + p.name + ".f16x2", "d a", {Type::f16x2}, [&](const Row& r) {
                    return Row{one(f16().value(r[0] >> 16), FE_TONEAREST) << 8 |
                               one(f16().value(r[0] & 0xffff), FE_TONEAREST)};
                });
        }
    for (const auto& [name, type, format] :
         {std::tuple<const char*, Type, const Small&>{"e4m3x2", Type::e4m3x2, e4m3()},
          std::tuple<const char*, Type, const Small&>{"e5m2x2", Type::e5m2x2, e5m2()}}) {
        const Small& small = format;
        check(std::string("cvt.rn.f16x2.") + name, "d a", {type}, [&](const Row& r) {
            return Row{f16().round(small.value(r[0] >> 8)) << 16 | f16().round(small.value(r[0] & 0xff))};
        });
        check(std::string("cvt.rn.relu.f16x2.") + name, "d a", {type}, [&](const Row& r) {
            auto one = [&](Bits b) {
                const double x = small.value(b);
                return f16().round(std::isnan(x) || x > 0 ? x : 0.0);
            };
            return Row{one(r[0] >> 8) << 16 | one(r[0] & 0xff)};
        });
    }
}

TEST(Convert, PackIntegers) {
    auto part = [](Bits x, const Int& to) {
        return clamped(static_cast<std::int32_t>(static_cast<std::uint32_t>(x)), to);
    };
    for (const Int& to : {kInts[2], kInts[3]})
        check("cvt.pack.sat." + to.name + ".s32", "d a b", {Type::s32, Type::s32},
              [&](const Row& r) { return Row{part(r[0], to) << 16 | part(r[1], to)}; });
    for (const Int& to : {kInts[0], kInts[1]})
        check("cvt.pack.sat." + to.name + ".s32.b32", "d a b c", {Type::s32, Type::s32, Type::b32},
              [&](const Row& r) { return Row{(r[2] << 16 | part(r[0], to) << 8 | part(r[1], to)) & 0xffffffff}; });
}

TEST(Convert, UnknownFormsAreErrorsThatNameThem) {
    for (const char* form : {"cvt.rs.f16x2.f32", "cvt.rn.e4m3x2.f64"})
        EXPECT_NE(why_unsupported(instruction(form, "d a b")).find(form), std::string::npos) << form;
    EXPECT_NE(why_unsupported(instruction("setp.lo.s32", "p a b")), "");
    EXPECT_NE(why_unsupported(instruction("sin.approx.f64", "d a")), "");
    EXPECT_EQ(why_unsupported(instruction("ld.global.u32", "d a")), "not a data instruction");
}

}  // namespace convert_test

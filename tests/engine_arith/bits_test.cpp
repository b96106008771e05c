// Logic, shifts and bit fields against loops over bits, as the ISA's pseudo-code has them.
#include <gtest/gtest.h>

#include "harness.hpp"

namespace bits_test {

using namespace warpwright;
using namespace warpwright::test;
using ptx::Type;

Bits mask(unsigned bits) { return bits >= 64 ? ~Bits{0} : (Bits{1} << bits) - 1; }
bool bit(Bits x, unsigned i) { return x >> i & 1; }

TEST(Logic, BitwiseAndPredicates) {
    const std::pair<const char*, Type> types[] = {
        {"pred", Type::pred}, {"b16", Type::b16}, {"b32", Type::b32}, {"b64", Type::b64}};
    for (const auto& [name, type] : types) {
        const Bits all = mask(ptx::bits(type));
        const std::string n = name;
        check("and." + n, "d a b", {type, type}, [](const Row& r) { return Row{r[0] & r[1]}; });
        check("or." + n, "d a b", {type, type}, [](const Row& r) { return Row{r[0] | r[1]}; });
        check("xor." + n, "d a b", {type, type}, [](const Row& r) { return Row{r[0] ^ r[1]}; });
        check("not." + n, "d a", {type}, [&](const Row& r) { return Row{~r[0] & all}; });
        if (type != Type::pred) check("cnot." + n, "d a", {type}, [](const Row& r) { return Row{r[0] == 0}; });
    }
}

TEST(Logic, EveryLop3Table) {
    const std::vector<Row> rows = {{0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa}, {0x12345678, 0xdeadbeef, 0x0badf00d}};
    for (unsigned table = 0; table < 256; ++table) {
        const Kernel kernel(instruction("lop3.b32", "d a b c " + std::to_string(table)), table % 3 ? 32 : 0, "native");
        const auto got = kernel.run(rows);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            Bits want = 0;
            for (unsigned k = 0; k < 32; ++k) {
                const unsigned row = bit(rows[i][0], k) * 4u + bit(rows[i][1], k) * 2u + bit(rows[i][2], k);
                want |= Bits{bit(table, row)} << k;
            }
            ASSERT_EQ(got[i][0], want) << "table " << table;
        }
    }
    check("lop3.or.b32", "d|p a b c 0x80 q", {Type::b32, Type::b32, Type::b32, Type::pred}, [](const Row& r) {
        const Bits d = r[0] & r[1] & r[2];
        return Row{d, Bits{d != 0 || r[3]}};
    });
    check("lop3.and.b32", "d|p a b c 0xfe q", {Type::b32, Type::b32, Type::b32, Type::pred}, [](const Row& r) {
        const Bits d = r[0] | r[1] | r[2];
        return Row{d, Bits{d != 0 && r[3]}};
    });
}

TEST(Logic, ShiftsClampTheirAmount) {
    for (unsigned w : {16u, 32u, 64u}) {
        const std::string n = std::to_string(w);
        const Type type = w == 16 ? Type::b16 : w == 32 ? Type::b32 : Type::b64;
        check("shl.b" + n, "d a b", {type, Type::u32},
              [&](const Row& r) { return Row{r[1] >= w ? 0 : r[0] << r[1] & mask(w)}; });
        check("shr.u" + n, "d a b", {type, Type::u32}, [&](const Row& r) { return Row{r[1] >= w ? 0 : r[0] >> r[1]}; });
        check("shr.s" + n, "d a b", {type, Type::u32}, [&](const Row& r) {
            Bits out = 0;
            for (unsigned i = 0; i < w; ++i) out |= Bits{bit(r[0], i + r[1] < w ? unsigned(i + r[1]) : w - 1)} << i;
            return Row{out};
        });
        check("shl.b" + n, "d a 5", {type}, [&](const Row& r) { return Row{r[0] << 5 & mask(w)}; });
        check("shr.u" + n, "d a 100", {type}, [&](const Row&) { return Row{0}; });
    }
}

TEST(Logic, FunnelShifts) {
    const std::vector<Type> types(3, Type::b32);
    for (bool clamp : {false, true}) {
        auto amount = [&](Bits c) { return clamp ? std::min<Bits>(c, 32) : c & 31; };
        const std::string mode = clamp ? "clamp" : "wrap";
        check("shf.l." + mode + ".b32", "d a b c", types, [&](const Row& r) {
            const Bits n = amount(r[2]), both = r[1] << 32 | r[0];
            return Row{n == 32 ? r[0] : both << n >> 32 & mask(32)};
        });
        check("shf.r." + mode + ".b32", "d a b c", types, [&](const Row& r) {
            const Bits n = amount(r[2]), both = r[1] << 32 | r[0];
            return Row{both >> n & mask(32)};
        });
    }
}

TEST(BitFields, CountingAndReversing) {
    for (unsigned w : {32u, 64u}) {
        const std::string n = std::to_string(w);
        const Type b = w == 32 ? Type::b32 : Type::b64;
        check("popc.b" + n, "d a", {b}, [&](const Row& r) { return Row{Bits(__builtin_popcountll(r[0]))}; });
        check("clz.b" + n, "d a", {b},
              [&](const Row& r) { return Row{r[0] ? Bits(__builtin_clzll(r[0])) - (64 - w) : w}; });
        check("brev.b" + n, "d a", {b}, [&](const Row& r) {
            Bits out = 0;
            for (unsigned i = 0; i < w; ++i) out |= Bits{bit(r[0], i)} << (w - 1 - i);
            return Row{out};
        });
        for (bool is_signed : {false, true}) {
            auto find = [&](Bits x) {
                const bool sign = is_signed && bit(x, w - 1);
                for (int i = int(w) - 1; i >= 0; --i)
                    if (bit(x, unsigned(i)) != sign) return i;
                return -1;
            };
            const std::string type = (is_signed ? "s" : "u") + n;
            check("bfind." + type, "d a", {b}, [&](const Row& r) { return Row{Bits(std::uint32_t(find(r[0])))}; });
            check("bfind.shiftamt." + type, "d a", {b}, [&](const Row& r) {
                const int at = find(r[0]);
                return Row{at < 0 ? 0xffffffffu : Bits(w - 1 - unsigned(at))};
            });
        }
    }
}

// 32-bit forms take eight bits of position and length (ISA "bfe", "bfi"); 64-bit ones take all, as an H200 does.
Bits field(Bits operand, unsigned w) { return w == 32 ? operand & 0xff : operand; }

TEST(BitFields, ExtractAndInsert) {
    for (unsigned w : {32u, 64u}) {
        const std::string n = std::to_string(w);
        const Type b = w == 32 ? Type::b32 : Type::b64;
        for (bool is_signed : {false, true})
            check(std::string(is_signed ? "bfe.s" : "bfe.u") + n, "d a b c", {b, Type::u32, Type::u32},
                  [&](const Row& r) {
                      const Bits pos = field(r[1], w), len = field(r[2], w), top = w - 1;
                      const bool fill = is_signed && len && bit(r[0], unsigned(std::min(pos + len - 1, top)));
                      Bits out = 0;
                      for (Bits i = 0; i <= top; ++i)
                          out |= Bits{i < len && pos + i <= top ? bit(r[0], unsigned(pos + i)) : fill} << i;
                      return Row{out};
                  });
        check("bfi.b" + n, "d a b c e", {b, b, Type::u32, Type::u32}, [&](const Row& r) {
            const Bits pos = field(r[2], w), len = field(r[3], w);
            Bits out = r[1];
            for (Bits i = 0; i < len && pos + i < w; ++i) {
                out &= ~(Bits{1} << (pos + i));
                out |= Bits{bit(r[0], unsigned(i))} << (pos + i);
            }
            return Row{out};
        });
    }
}

TEST(BitFields, MasksAndExtension) {
    const std::vector<Type> two(2, Type::u32);
    for (bool clamp : {false, true}) {
        const std::string mode = clamp ? "clamp" : "wrap";
        check("bmsk." + mode + ".b32", "d a b", two, [&](const Row& r) {
            const Bits from = clamp ? r[0] : r[0] & 31, count = clamp ? r[1] : r[1] & 31;
            Bits out = 0;
            for (Bits i = 0; i < 32; ++i)
                if (i >= from && i - from < count) out |= Bits{1} << i;
            return Row{out};
        });
        for (bool is_signed : {false, true})
            check("szext." + mode + (is_signed ? ".s32" : ".u32"), "d a b", two, [&](const Row& r) {
                const Bits count = clamp ? r[1] : r[1] & 31;
                if (count >= 32) return r.size() ? Row{r[0]} : Row{};
                Bits out = r[0] & mask(unsigned(count));
                if (is_signed && count && bit(r[0], unsigned(count) - 1)) out |= mask(32) & ~mask(unsigned(count));
                return Row{out};
            });
    }
    check("fns.b32", "d a b c", {Type::b32, Type::u32, Type::s32}, [](const Row& r) {
        const auto offset = std::int32_t(std::uint32_t(r[2]));
        if (std::uint32_t(r[2]) == 0x80000000u) return Row{0};  // as measured, whatever the rest (docs/arithmetic.md)
        if (r[1] > 31) return Row{0xffffffff};
        if (offset == 0) return Row{bit(r[0], unsigned(r[1])) ? r[1] : 0xffffffff};
        int seen = 0;
        for (int at = int(r[1]); at >= 0 && at < 32; at += offset > 0 ? 1 : -1)
            if (bit(r[0], unsigned(at)) && ++seen == std::abs(std::int64_t{offset})) return Row{Bits(at)};
        return Row{0xffffffff};
    });
}

Bits permute(Bits a, Bits b, Bits selector) {
    const Bits pool = b << 32 | a;
    Bits out = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const Bits nibble = selector >> 4 * i & 0xf;
        Bits byte = pool >> 8 * (nibble & 7) & 0xff;
        if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
        out |= byte << 8 * i;
    }
    return out;
}

TEST(Bytes, Permutation) {
    const std::vector<Type> two(2, Type::b32), three(3, Type::b32);
    check("prmt.b32", "d a b c", three, [](const Row& r) { return Row{permute(r[0], r[1], r[2])}; });
    for (const char* selector : {"0x5410", "0x7632", "0x3340", "0x0123", "0xba98", "0x9180", "0xffff1234"})
        check("prmt.b32", std::string("d a b ") + selector, two,
              [&](const Row& r) { return Row{permute(r[0], r[1], std::stoull(selector, nullptr, 0))}; });
    // The fixed modes, byte by byte (ISA "prmt", table of modes): f4e counts up from c, b4e down, and so on.
    auto pool = [](const Row& r, unsigned at) { return ((r[1] << 32 | r[0]) >> 8 * (at & 7)) & 0xff; };
    auto mode = [&](const char* name, const std::function<unsigned(unsigned byte, unsigned c)>& from) {
        check(std::string("prmt.b32.") + name, "d a b c", three, [&](const Row& r) {
            Bits out = 0;
            for (unsigned i = 0; i < 4; ++i) out |= pool(r, from(i, r[2] & 3)) << 8 * i;
            return Row{out};
        });
    };
    mode("f4e", [](unsigned i, unsigned c) { return c + i; });
    mode("b4e", [](unsigned i, unsigned c) { return c - i; });
    mode("rc8", [](unsigned, unsigned c) { return c; });
    mode("ecl", [](unsigned i, unsigned c) { return std::max(i, c); });
    mode("ecr", [](unsigned i, unsigned c) { return std::min(i, c); });
    mode("rc16", [](unsigned i, unsigned c) { return (c & 1) * 2 + i % 2; });
}

TEST(Bytes, DotProducts) {
    const std::vector<Type> three(3, Type::b32);
    auto part = [](Bits x, unsigned bits, unsigned i, bool is_signed) {
        const Bits field = x >> bits * i & mask(bits);
        return is_signed && bit(field, bits - 1) ? std::int64_t(field) - (std::int64_t{1} << bits)
                                                 : std::int64_t(field);
    };
    for (bool sa : {false, true})
        for (bool sb : {false, true}) {
            const std::string types = std::string(sa ? ".s32" : ".u32") + (sb ? ".s32" : ".u32");
            check("dp4a" + types, "d a b c", three, [&](const Row& r) {
                std::int64_t sum = std::int64_t(r[2]);
                for (unsigned i = 0; i < 4; ++i) sum += part(r[0], 8, i, sa) * part(r[1], 8, i, sb);
                return Row{Bits(sum) & mask(32)};
            });
            for (bool high : {false, true})
                check(std::string("dp2a.") + (high ? "hi" : "lo") + types, "d a b c", three, [&](const Row& r) {
                    std::int64_t sum = std::int64_t(r[2]);
                    for (unsigned i = 0; i < 2; ++i)
                        sum += part(r[0], 16, i, sa) * part(r[1], 8, i + (high ? 2 : 0), sb);
                    return Row{Bits(sum) & mask(32)};
                });
        }
}

}  // namespace bits_test

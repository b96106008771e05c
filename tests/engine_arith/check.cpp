#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "harness.hpp"

namespace warpwright::test {

using ptx::Type;

float as_f32(Bits bits) {
    const auto word = static_cast<std::uint32_t>(bits);
    float value;
    std::memcpy(&value, &word, 4);
    return value;
}
double as_f64(Bits bits) {
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
}
Bits bits_of(float value) {
    std::uint32_t word;
    std::memcpy(&word, &value, 4);
    return word;
}
Bits bits_of(double value) {
    Bits word;
    std::memcpy(&word, &value, 8);
    return word;
}
Bits canonical(float value) { return std::isnan(value) ? 0x7fffffffu : bits_of(value); }

std::vector<Bits> edges(Type type) {
    auto doubled = [](std::vector<Bits> low, std::initializer_list<Bits> high, unsigned shift) {
        std::vector<Bits> out;
        for (Bits h : high)
            for (Bits l : low) out.push_back(h << shift | l);
        return out;
    };
    switch (type) {
        case Type::pred:
            return {0, 1};
        case Type::f32:
            return {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
                    0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3f7fffff, 0x3f800001, 0x3fc00000, 0xc0200000,
                    0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff, 0x4effffff,
                    0x4f000000, 0xcf000000, 0xcf000001, 0x4f800000, 0x5f000000, 0x5f7fffff, 0xdf000000, 0x5f800000,
                    0x4b000001, 0x477fe000, 0x477ff000, 0x477fefff, 0x33000000, 0x33000001, 0x387fc000, 0x387fe000,
                    0x43e00000, 0x43f00000, 0x7f7f7fff, 0x7f7f8000, 0x437f8000, 0x3a8d1b72, 0xc2f00001, 0x7e800000,
                    0x7f000001, 0x00000fff, 0x3f801000, 0x3f803000, 0x40490fdb};
        case Type::f64:
            return {0,
                    0x8000000000000000,
                    1,
                    0x8000000000000001,
                    0x000fffffffffffff,
                    0x0010000000000000,
                    0x3ff0000000000000,
                    0xbff0000000000000,
                    0x3fe0000000000000,
                    0xc004000000000000,
                    0x7fefffffffffffff,
                    0xffefffffffffffff,
                    0x7ff0000000000000,
                    0xfff0000000000000,
                    0x7ff8000000000000,
                    0x7ff0000000000001,
                    0xffffffffffffffff,
                    0x41dfffffffc00000,
                    0x41dfffffffe00000,
                    0x41e0000000000000,
                    0xc1e0000000200000,
                    0x41efffffffe00000,
                    0x41f0000000000000,
                    0x43e0000000000000,
                    0xc3e0000000000000,
                    0x43f0000000000000,
                    0x47efffffe0000000,
                    0x47effffff0000000,
                    0x47efffffefffffff,
                    0x3690000000000000,
                    0x36a0000000000001,
                    0x380fffffffffffff,
                    0x3ff0000010000000,
                    0x3ff0000030000001,
                    0x40effe0000000000,
                    0x3fb999999999999a,
                    0x3fefffffffffffff};
        case Type::f16:
            return {0,      0x8000, 1,      0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3800, 0x3e00,
                    0xc100, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xffff, 0x3bff, 0x3c01, 0x0401, 0x1400};
        case Type::bf16:
            return {0,      0x8000, 1,      0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x3f80, 0xbf80, 0x3f00, 0x3fc0,
                    0xc020, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffff, 0x3f7f, 0x3f81, 0x1f80, 0x2000};
        case Type::f16x2:
            return doubled(edges(Type::f16), {0x3c00, 0x0001, 0x7e00, 0xfbff}, 16);
        case Type::bf16x2:
            return doubled(edges(Type::bf16), {0x3f80, 0x0001, 0x7fc0, 0xff7f}, 16);
        case Type::e4m3x2:
        case Type::e5m2x2: {
            std::vector<Bits> all;
            for (Bits b = 0; b < 256; ++b) all.push_back(b << 8 | (255 - b));
            return all;
        }
        case Type::u16x2:
        case Type::s16x2:
            return doubled({0, 1, 0x7fff, 0x8000, 0xffff}, {0, 0x7fff, 0x8000, 0xffff}, 16);
        default:
            break;
    }
    const unsigned w = ptx::bits(type);
    const Bits all = w >= 64 ? ~Bits{0} : (Bits{1} << w) - 1;
    const Bits top = Bits{1} << (w - 1);
    std::vector<Bits> out = {0, 1, 2, 3, 5, 7, all, all - 1, top, top - 1, top + 1, all / 3, w - 1, w, w + 1};
    for (Bits more : {Bits{31},
                      Bits{32},
                      Bits{33},
                      Bits{64},
                      Bits{127},
                      Bits{128},
                      Bits{255},
                      Bits{256},
                      Bits{0x1234},
                      Bits{32767},
                      Bits{32768},
                      Bits{65535},
                      Bits{65536},
                      Bits{0x00ffffff},
                      Bits{0x01000001},
                      Bits{0x7fffffff},
                      Bits{0x80000000},
                      Bits{0xffffffff},
                      Bits{0x80818283},
                      Bits{0x7f807f80},
                      Bits{0x100000000},
                      Bits{0x123456789abcdef0},
                      Bits{0xfffffffffffff000},
                      Bits{0x0020000000000001}})
        out.push_back(more & all);
    return out;
}

namespace {

std::vector<Row> edge_rows(const std::vector<Type>& types) {
    std::vector<Row> rows{{}};
    for (Type type : types) {
        std::vector<Row> next;
        for (const Row& row : rows)
            for (Bits value : edges(type)) {
                next.push_back(row);
                next.back().push_back(value);
            }
        if (next.size() > 6000) {  // three operands and more: a fixed sample of the product
            std::mt19937 shuffle(7);
            std::shuffle(next.begin(), next.end(), shuffle);
            next.resize(6000);
        }
        rows = std::move(next);
    }
    return rows;
}

// Random operands: RapidCheck's sized integers, uniform bits, and neighbours of edges.
std::vector<Row> random_rows(const std::vector<Type>& types, const std::vector<Bits>& seeds) {
    std::vector<Row> rows;
    for (Bits seed : seeds) {
        std::mt19937_64 random(seed);
        Row row;
        for (Type type : types) {
            const unsigned w = ptx::bits(type);
            const Bits all = w >= 64 ? ~Bits{0} : (Bits{1} << w) - 1;
            Bits value = random();
            if (random() % 4 == 0) value = seed;
            if (random() % 4 == 0) {
                const auto list = edges(type);
                value = list[random() % list.size()] + random() % 5 - 2;
            }
            row.push_back(value & all);
        }
        rows.push_back(row);
    }
    return rows;
}

std::string hex(const Row& row) {
    std::ostringstream out;
    for (Bits value : row) out << " 0x" << std::hex << value;
    return out.str();
}

bool agrees(const Kernel& kernel, const std::vector<Row>& rows, const Oracle& oracle, const Same& same,
            const std::string& what) {
    const auto got = kernel.run(rows);
    int shown = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row want = oracle(rows[i]);
        bool equal = got[i].size() == want.size();
        for (std::size_t k = 0; equal && k < want.size(); ++k)
            equal = same ? same(got[i][k], want[k], static_cast<unsigned>(k)) : got[i][k] == want[k];
        if (equal) continue;
        ADD_FAILURE() << what << ":" << hex(rows[i]) << " gives" << hex(got[i]) << ", should be" << hex(want);
        if (++shown == 4) return false;
    }
    return shown == 0;
}

}  // namespace

void check(const std::string& spelling, const std::string& operands, const std::vector<Type>& types,
           const Oracle& oracle, const Same& same) {
    const simt::Details inst = instruction(spelling, operands);
    const auto fixed = edge_rows(types);
    // Many forms on several CPUs: fewer random rounds each, unless RC_PARAMS says otherwise.
    static const int configured = setenv("RC_PARAMS", "max_success=20", 0);
    ASSERT_EQ(configured, 0);
    auto on = [&](unsigned lanes, const std::string& cpu) {
        const std::string what = spelling + " " + operands + " (" + cpu + ", lanes " + std::to_string(lanes) + ")";
        try {
            const Kernel kernel(inst, lanes, cpu);
            ASSERT_EQ(kernel.inputs(), types.size()) << what;
            if (!agrees(kernel, fixed, oracle, same, what)) return;
            const bool held = rc::check(what, [&] {
                const auto seeds = *rc::gen::container<std::vector<Bits>>(64, rc::gen::arbitrary<Bits>());
                RC_ASSERT(agrees(kernel, random_rows(types, seeds), oracle, same, what));
            });
            EXPECT_TRUE(held) << what;
        } catch (const std::runtime_error& error) {
            ADD_FAILURE() << what << ": " << error.what();
        }
    };
    for (const std::string& cpu : cpus()) on(32, cpu);
    on(0, "native");
}

}  // namespace warpwright::test

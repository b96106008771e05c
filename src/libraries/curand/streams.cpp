// Xorwow is linear over bits and MRG32k3a over two moduli, so that any number of steps is a power of a matrix.
// Direction numbers of Sobol sequences are computed from a table of primitive polynomials.
#include "libraries/curand/streams.hpp"

#include <array>

namespace warpwright::libraries {
namespace {

using ww_rand::Mrg32k3a;
using ww_rand::Xorwow;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// A linear map of Xorwow's 160 bits: the picture of each bit.
using Picture = std::array<u32, 5>;
using BitMap = std::vector<Picture>;

Picture image_of(const BitMap& map, const Picture& v) {
    Picture out{};
    for (unsigned bit = 0; bit < 160; ++bit)
        if (v[bit / 32] >> bit % 32 & 1)
            for (unsigned k = 0; k < 5; ++k) out[k] ^= map[bit][k];
    return out;
}
BitMap after(const BitMap& first, const BitMap& second) {
    BitMap out(160);
    for (unsigned bit = 0; bit < 160; ++bit) out[bit] = image_of(second, first[bit]);
    return out;
}
BitMap one_step() {
    BitMap map(160);
    for (unsigned bit = 0; bit < 160; ++bit) {
        Xorwow s{};
        s.v[bit / 32] = u32{1} << bit % 32;
        (void)Xorwow::step(s);
        for (unsigned k = 0; k < 5; ++k) map[bit][k] = s.v[k];
    }
    return map;
}
BitMap identity() {
    BitMap map(160);
    for (unsigned bit = 0; bit < 160; ++bit) map[bit][bit / 32] = u32{1} << bit % 32;
    return map;
}
/// 2^exponent times `steps` steps.
BitMap steps(u64 steps, unsigned exponent) {
    BitMap power = one_step(), out = identity();
    for (unsigned k = 0; k < exponent; ++k) power = after(power, power);
    for (; steps; steps >>= 1) {
        if (steps & 1) out = after(out, power);
        power = after(power, power);
    }
    return out;
}
void move(Xorwow& s, const BitMap& map) {
    Picture v;
    for (unsigned k = 0; k < 5; ++k) v[k] = s.v[k];
    v = image_of(map, v);
    for (unsigned k = 0; k < 5; ++k) s.v[k] = v[k];
}

/// A linear map of three numbers modulo m.
struct Map3 {
    u64 m[3][3];
};
Map3 after(const Map3& a, const Map3& b, u64 modulus) {
    Map3 out{};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) out.m[i][j] = (out.m[i][j] + b.m[i][k] * a.m[k][j] % modulus) % modulus;
    return out;
}
Map3 steps(Map3 power, u64 steps, unsigned exponent, u64 modulus) {
    Map3 out{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (unsigned k = 0; k < exponent; ++k) power = after(power, power, modulus);
    for (; steps; steps >>= 1) {
        if (steps & 1) out = after(out, power, modulus);
        power = after(power, power, modulus);
    }
    return out;
}
void move(u32 (&v)[3], const Map3& map, u64 modulus) {
    u64 out[3] = {};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) out[i] = (out[i] + map.m[i][k] * v[k] % modulus) % modulus;
    for (int i = 0; i < 3; ++i) v[i] = static_cast<u32>(out[i]);
}
constexpr Map3 kStepA{{{0, 1, 0}, {0, 0, 1}, {Mrg32k3a::kM1 - 810728, 1403580, 0}}};
constexpr Map3 kStepB{{{0, 1, 0}, {0, 0, 1}, {Mrg32k3a::kM2 - 1370589, 0, 527612}}};

}  // namespace

// How a seed becomes a state is in no documentation. The form is rocRAND's; the numbers were found from outputs
// (docs/libraries.md).
std::vector<Xorwow> xorwow_streams(u64 seed, u64 offset) {
    const u32 t0 = 1099087573u * (static_cast<u32>(seed) ^ 0xaad26b49u);
    const u32 t1 = 2591861531u * (static_cast<u32>(seed >> 32) ^ 0xf7dcefddu);
    Xorwow s{{123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0}, 6615241u + t0 + t1};
    const u64 turns = offset / Xorwow::kStreams;
    const BitMap stride = steps(1, 67), moved = steps(turns, 0);
    std::vector<Xorwow> out;
    for (u32 k = 0; k < Xorwow::kStreams; ++k) {
        out.push_back(s);
        if (turns) move(out.back(), moved);
        out.back().d += static_cast<u32>(turns) * 362437u;
        if (k < offset % Xorwow::kStreams) (void)Xorwow::step(out.back());
        move(s, stride);  // the counter d comes round 2^35 times on the way
    }
    return out;
}

std::vector<Mrg32k3a> mrg32k3a_streams(u64 seed, u64 offset) {
    Mrg32k3a s{{12345, 12345, 12345}, {12345, 12345, 12345}};
    if (seed != 0) {
        const u64 x = static_cast<u32>(seed) ^ 0x55555555u, y = static_cast<u32>(seed >> 32) ^ 0xaaaaaaaau;
        const auto a = [](u64 z) { return static_cast<u32>(12345 * z % Mrg32k3a::kM1); };
        const auto b = [](u64 z) { return static_cast<u32>(12345 * z % Mrg32k3a::kM2); };
        s = {{a(x), a(y), a(x)}, {b(y), b(x), b(y)}};
    }
    const u64 turns = offset / Mrg32k3a::kStreams;
    const Map3 stride_a = steps(kStepA, 1, 76, Mrg32k3a::kM1), stride_b = steps(kStepB, 1, 76, Mrg32k3a::kM2);
    const Map3 moved_a = steps(kStepA, turns, 0, Mrg32k3a::kM1), moved_b = steps(kStepB, turns, 0, Mrg32k3a::kM2);
    std::vector<Mrg32k3a> out;
    for (u32 k = 0; k < Mrg32k3a::kStreams; ++k) {
        out.push_back(s);
        if (turns) move(out.back().a, moved_a, Mrg32k3a::kM1), move(out.back().b, moved_b, Mrg32k3a::kM2);
        if (k < offset % Mrg32k3a::kStreams) (void)Mrg32k3a::step(out.back());
        move(s.a, stride_a, Mrg32k3a::kM1), move(s.b, stride_b, Mrg32k3a::kM2);
    }
    return out;
}

namespace {

struct Dimension {
    u32 polynomial;
    std::array<u32, 13> first;
};
constexpr Dimension kDimensions[] = {
#define WW_SOBOL(polynomial, ...) {polynomial, {__VA_ARGS__}},
#include "libraries/curand/sobol.inc"
#undef WW_SOBOL
};
static_assert(sizeof kDimensions / sizeof kDimensions[0] == kSobolDimensions - 1);

}  // namespace

std::vector<u32> sobol_directions(unsigned dimensions) {
    std::vector<u32> out;
    for (unsigned bit = 0; bit < 32; ++bit) out.push_back(u32{1} << (31 - bit));  // the first is van der Corput's
    for (unsigned d = 1; d < dimensions; ++d) {
        const Dimension& of = kDimensions[d - 1];
        unsigned degree = 31;
        while (!(of.polynomial >> degree & 1)) --degree;
        out.resize(out.size() + 32);
        u32* const w = out.data() + std::size_t{d} * 32;
        for (unsigned bit = 0; bit < 32; ++bit) {
            if (bit < degree) {
                w[bit] = of.first[bit] << (31 - bit);
                continue;
            }
            w[bit] = w[bit - degree] ^ w[bit - degree] >> degree;
            for (unsigned k = 1; k < degree; ++k)
                if (of.polynomial >> (degree - k) & 1) w[bit] ^= w[bit - k];
        }
    }
    return out;
}

}  // namespace warpwright::libraries

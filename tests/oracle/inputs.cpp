// Input values: every pair of edge cases first (zeros, subnormals, infinities, NaN payloads, extremes, halfway cases,
// powers of two), then seeded random bits, some with exponents close to their neighbour's so that sums cancel.
#include <cctype>

#include "forms.hpp"

namespace oracle {
namespace {

using Words = std::vector<std::uint64_t>;

std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

const Words kF32 = {0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001,
                    0xFFC12345, 0x00000001, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800001, 0x3F7FFFFF,
                    0x3F000000, 0x40200000, 0xC0600000, 0x4B000001, 0x4F000000, 0xCF000000, 0x4F800000, 0x5F000000,
                    0x3DCCCCCD, 0x40490FDB, 0x00000003, 0x477FE000, 0x477FF000, 0x437F8000, 0x33000001, 0x7EFFFFFF};
const Words kF64 = {0x0000000000000000, 0x8000000000000000, 0x3FF0000000000000, 0xBFF0000000000000, 0x7FF0000000000000,
                    0xFFF0000000000000, 0x7FF8000000000000, 0x7FF0000000000001, 0xFFF8123456789ABC, 0x0000000000000001,
                    0x800FFFFFFFFFFFFF, 0x0010000000000000, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x3FF0000000000001,
                    0x3FEFFFFFFFFFFFFF, 0x3FE0000000000000, 0x4004000000000000, 0xC00C000000000000, 0x4330000000000001,
                    0x41E0000000000000, 0xC1E0000000000000, 0x41F0000000000000, 0x43E0000000000000, 0x3FB999999999999A,
                    0x400921FB54442D18, 0x36A0000000000000, 0x380FFFFFF0000000, 0x47EFFFFFF0000000, 0x406FF00000000000,
                    0x3E60000000000001, 0x43F0000000000000};
const Words kF16 = {0x0000, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0xFE55, 0x0001, 0x83FF, 0x0400,
                    0x7BFF, 0xFBFF, 0x3C01, 0x3BFF, 0x3800, 0x4100, 0xC300, 0x6401, 0x5800, 0x2E66, 0x4248, 0x0003};
const Words kBf16 = {0x0000, 0x8000, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7FC0, 0x7F81, 0xFFD5, 0x0001, 0x807F, 0x0080,
                     0x7F7F, 0xFF7F, 0x3F81, 0x3F7F, 0x3F00, 0x4020, 0xC060, 0x4301, 0x4F00, 0x3DCD, 0x4049, 0x0003};
const Words kI16 = {0,  1,  2,  0xFFFF, 0xFFFE, 0x8000, 0x7FFF, 0x8001, 0x5555, 0xAAAA, 7,      8,
                    15, 16, 17, 31,     33,     127,    128,    255,    256,    0xFF80, 0x00F0, 100};
const Words kI32 = {0,          1,          2,          0xFFFFFFFF, 0xFFFFFFFE, 0x80000000, 0x7FFFFFFF, 0x80000001,
                    0x55555555, 0xAAAAAAAA, 7,          8,          15,         16,         31,         32,
                    33,         64,         127,        128,        255,        256,        32767,      32768,
                    65535,      65536,      0xFFFF8000, 0xFFFFFF80, 0x00FFFFFF, 0x01000000, 0x01000001, 100};
const Words kI64 = {0,
                    1,
                    2,
                    0xFFFFFFFFFFFFFFFF,
                    0xFFFFFFFFFFFFFFFE,
                    0x8000000000000000,
                    0x7FFFFFFFFFFFFFFF,
                    0x8000000000000001,
                    0x5555555555555555,
                    0xAAAAAAAAAAAAAAAA,
                    7,
                    31,
                    32,
                    63,
                    64,
                    65,
                    127,
                    128,
                    255,
                    0xFFFFFFFF,
                    0x100000000,
                    0x80000000,
                    0xFFFFFFFF80000000,
                    0x7FFFFFFF,
                    0x20000000000000,
                    0x20000000000001,
                    0x1000000,
                    0x1000001,
                    100,
                    0xFFFF,
                    0x10000,
                    0xFFFFFFFFFFFFFF80};

const Words& edges_of(char letter) {
    switch (letter) {
        case 'f':
            return kF32;
        case 'd':
            return kF64;
        case 'e':
            return kF16;
        case 'g':
            return kBf16;
        case 'h':
            return kI16;
        case 'l':
            return kI64;
        default:
            return kI32;
    }
}

/// A random value near `other` in magnitude: the same exponent, or one next to it.
std::uint64_t near_exponent(char letter, std::uint64_t random, std::uint64_t other) {
    const unsigned fraction = letter == 'd' ? 52 : letter == 'f' ? 23 : letter == 'e' ? 10 : 7;
    const std::uint64_t field = (std::uint64_t{1} << fraction) - 1;
    return (other & ~field) + ((random >> 60) % 3 == 0 ? field + 1 : 0) + (random & field);
}

std::uint64_t value(char letter, std::uint64_t random, std::uint64_t which, std::uint64_t other) {
    switch (letter) {
        case 'p':
            return random & 1;
        case 's':
            return (random & 7) == 0 ? random >> 32 : (random >> 32) % 70;
        case 'S':
            return (random >> 32) & 31;
        case 'M':
            return (random & 3) == 0 ? 0xFFFFFFFFu : (random >> 32) | 1u << ((random >> 8) & 31);
        case 'x':
            return value('e', random, which, other) | value('e', mix(random), which + 1, other >> 16) << 16;
        case 'y':
            return value('g', random, which, other) | value('g', mix(random), which + 1, other >> 16) << 16;
        default:
            break;
    }
    if (std::isupper(static_cast<unsigned char>(letter))) letter = 'i';
    const bool is_float = letter == 'f' || letter == 'd' || letter == 'e' || letter == 'g';
    const std::uint64_t kind = which % 8;
    if (kind < 2) {
        const Words& edges = edges_of(letter);
        return edges[mix(random) % edges.size()];
    }
    const std::uint64_t bits = mix(random + 1);
    if (is_float && kind < 5) return near_exponent(letter, bits, other);
    if (is_float && kind == 5) {  // moderate magnitudes, with few bits set below: exact and halfway results
        const unsigned fraction = letter == 'd' ? 52 : letter == 'f' ? 23 : letter == 'e' ? 10 : 7;
        const std::uint64_t bias = letter == 'd' ? 1023 : letter == 'e' ? 15 : 127;
        const std::uint64_t exponent = bias + bits % 24 - (letter == 'e' ? 8 : 12);
        return (bits >> 63) << (width_of(letter) * 8 - 1) | (exponent << fraction) |
               ((bits >> 20) & 15) << (fraction - 4) | ((bits >> 30) & 1);
    }
    if (!is_float && kind < 4) return bits % 200 - (bits >> 63) * 100;
    return bits;
}

}  // namespace

unsigned width_of(char letter) {
    switch (letter) {
        case 'h':
        case 'e':
        case 'g':
            return 2;
        case 'l':
        case 'd':
            return 8;
        default:
            return 4;
    }
}

std::vector<std::uint64_t> inputs_of(const Form& form) {
    const unsigned n = form.vectors;
    std::vector<std::uint64_t> out(std::size_t{n} * form.inputs.size());
    std::uint64_t seed = 0;
    for (const char letter : form.inputs) seed = mix(seed * 131 + static_cast<unsigned char>(letter));
    for (unsigned v = 0; v < n; ++v) {
        std::uint64_t last = 0x4000400040004000u;
        for (std::size_t j = 0; j < form.inputs.size(); ++j) {
            const char letter = form.inputs[j];
            std::uint64_t word = value(letter, mix(seed + v * 7919u + j * 104729u), mix(v * 31u + j) % 64 + v, last);
            // The first vectors walk the edges of the first input and, beside it, of the second.
            const bool simple = std::string("fdeghil").find(letter) != std::string::npos;
            if (simple && j < 2) {
                const Words& edges = edges_of(letter);
                const std::size_t e = edges.size();
                if (form.inputs.size() == 1 && v < e) word = edges[v];
                // A diagonal walk: after lcm steps every pair of the shorter lists has met.
                if (form.inputs.size() > 1 && v < 256) word = edges[j == 0 ? v % e : (v % e + v / e * 3) % e];
            }
            if (width_of(letter) < 8) word &= (std::uint64_t{1} << (8 * width_of(letter))) - 1;
            out[j * n + v] = word;
            last = word;
        }
    }
    return out;
}

}  // namespace oracle

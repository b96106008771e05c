// Scalar f16 and bf16 addition, minimum and maximum on their bit patterns, for atomics. NaN results are 0x7fff.
#pragma once

#include <cmath>
#include <cstdint>

#include "engine/tensor/float_formats.hpp"

namespace warpwright::engine {

namespace half {

/// A NaN has the payload of NAN.
inline float to_float(std::uint16_t h) {
    const float x = f32_from_f16(h);
    return x == x ? x : h >> 15 ? -NAN : NAN;
}

/// Round to nearest even.
inline std::uint16_t from_float(float x) {
    return x == x ? static_cast<std::uint16_t>(f16_from_f32(__builtin_bit_cast(std::uint32_t, x))) : 0x7fff;
}

// The sum of two f16 is exact in f32 up to its last rounding: both have 11 bits and exponents within 40.
inline std::uint16_t add(std::uint16_t a, std::uint16_t b) {
    const double s = static_cast<double>(to_float(a)) + static_cast<double>(to_float(b));
    return from_float(static_cast<float>(s));
}
inline std::uint16_t min(std::uint16_t a, std::uint16_t b) {
    const float x = to_float(a), y = to_float(b);
    if (x != x) return y != y ? 0x7fff : b;
    if (y != y) return a;
    return x < y || (x == y && std::signbit(x)) ? a : b;
}
inline std::uint16_t max(std::uint16_t a, std::uint16_t b) {
    const float x = to_float(a), y = to_float(b);
    if (x != x) return y != y ? 0x7fff : b;
    if (y != y) return a;
    return x > y || (x == y && !std::signbit(x)) ? a : b;
}

}  // namespace half

namespace brain {

inline float to_float(std::uint16_t h) { return __builtin_bit_cast(float, static_cast<std::uint32_t>(h) << 16); }
inline std::uint16_t add(std::uint16_t a, std::uint16_t b) {
    const double exact = static_cast<double>(to_float(a)) + static_cast<double>(to_float(b));
    if (exact != exact) return 0x7fff;
    // Round to odd in f32, then to nearest in bf16: no double rounding.
    float f = static_cast<float>(exact);
    auto bits = __builtin_bit_cast(std::uint32_t, f);
    if (static_cast<double>(f) != exact && std::isfinite(f)) {
        if (std::fabs(static_cast<double>(f)) > std::fabs(exact)) --bits;
        bits |= 1;
    }
    bits += 0x7fff + (bits >> 16 & 1);
    return static_cast<std::uint16_t>(bits >> 16);
}
inline std::uint16_t min(std::uint16_t a, std::uint16_t b) {
    const float x = to_float(a), y = to_float(b);
    if (x != x) return y != y ? 0x7fff : b;
    if (y != y) return a;
    return x < y || (x == y && std::signbit(x)) ? a : b;
}
inline std::uint16_t max(std::uint16_t a, std::uint16_t b) {
    const float x = to_float(a), y = to_float(b);
    if (x != x) return y != y ? 0x7fff : b;
    if (y != y) return a;
    return x > y || (x == y && !std::signbit(x)) ? a : b;
}

}  // namespace brain

}  // namespace warpwright::engine

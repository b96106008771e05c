// Scalar f16 and bf16 addition, minimum and maximum on their bit patterns, for atomics. NaN results are 0x7fff.
#pragma once

#include <cmath>
#include <cstdint>

namespace warpwright::engine {

namespace half {

inline float to_float(std::uint16_t h) {
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    float magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                      : exponent     ? std::ldexp(static_cast<float>(1024 + fraction), exponent - 25)
                                     : std::ldexp(static_cast<float>(fraction), -24);
    return h >> 15 ? -magnitude : magnitude;
}

/// Round to nearest even.
inline std::uint16_t from_float(float x) {
    if (x != x) return 0x7fff;
    const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
    const float a = std::fabs(x);
    if (a >= 65520.0f) return sign | 0x7c00;
    int exponent;
    std::frexp(a, &exponent);
    if (exponent < -13) exponent = -13;
    // Units of the last place: 2^(exponent - 11).
    const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(a, 11 - exponent)));
    // The hidden bit adds one to the exponent field; 2048 units carry into the next by themselves.
    return static_cast<std::uint16_t>(
        sign | (units < 1024 ? units : ((static_cast<std::uint32_t>(exponent + 13) << 10) + units)));
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

// Bit-level facts and conversions of the small floating-point formats, written so that loops over them vectorise.
// Internal to src/engine/tensor.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "simt/details.hpp"

namespace warpwright::engine {

struct FloatFormat {
    unsigned exponent, mantissa;
};
/// The format of values as unpacked into 32-bit words (tf32: shifted down to its 19 bits).
inline FloatFormat float_format(simt::Type type) {
    switch (type) {
        case simt::Type::f16:
            return {5, 10};
        case simt::Type::bf16:
            return {8, 7};
        case simt::Type::tf32:
            return {8, 10};
        default:
            return {8, 23};
    }
}
inline std::uint32_t magnitude_bits(simt::Type type, std::uint32_t v) {
    const FloatFormat f = float_format(type);
    return v & ((1u << (f.exponent + f.mantissa)) - 1);
}
inline std::uint32_t infinity_bits(simt::Type type) {
    const FloatFormat f = float_format(type);
    return ((1u << f.exponent) - 1) << f.mantissa;
}
inline bool is_nan(simt::Type t, std::uint32_t v) { return magnitude_bits(t, v) > infinity_bits(t); }
inline bool is_infinite(simt::Type t, std::uint32_t v) { return magnitude_bits(t, v) == infinity_bits(t); }
inline bool is_zero(simt::Type t, std::uint32_t v) { return magnitude_bits(t, v) == 0; }
inline bool is_negative(simt::Type t, std::uint32_t v) {
    const FloatFormat f = float_format(t);
    return (v >> (f.exponent + f.mantissa)) & 1;
}

/// Exact.
inline float f32_from_f16(std::uint32_t h) {
    const std::uint32_t sign = (h & 0x8000) << 16, magnitude = (h & 0x7fff) << 13;
    const std::uint32_t special = magnitude >= (0x7c00u << 13) ? 0x7f800000u : 0;
    // as f32 bits the exponent is too small by 112: one exact multiplication, subnormals included
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign | special);
}

/// Round to nearest even; the argument is not a NaN. f32 subnormals need not be exact (they become 0).
inline std::uint32_t f16_from_f32(std::uint32_t bits) {
    const std::uint32_t sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
    const std::uint32_t normal = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
    // adding 0.5 leaves the multiple of 2^-24 in the low bits, rounded by the addition
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
    std::uint32_t r = magnitude < 0x38800000u ? subnormal : normal;
    r = magnitude >= 0x477ff000u ? 0x7c00 : r;  // 65520 and above
    return r | sign;
}
/// The same, but values that round to zero give +0, as tensor cores round.
inline std::uint32_t f16_from_f32_positive_zero(std::uint32_t bits) {
    const std::uint32_t r = f16_from_f32(bits);
    return (r & 0x7fff) == 0 ? 0 : r;
}

/// Exact: every fp8 value is an f16 value.
inline std::uint32_t f16_from_fp8(simt::Type type, std::uint8_t v) {
    if (type == simt::Type::e5m2) return std::uint32_t(v) << 8;
    const std::uint32_t sign = std::uint32_t(v & 0x80) << 8, magnitude = v & 0x7f;
    if (magnitude == 0x7f) return 0x7fff;
    // as f16 bits (mantissa 3 -> 10) the exponent is too small by 8
    const float value = f32_from_f16(magnitude << 7) * 256.0f;
    return f16_from_f32(std::bit_cast<std::uint32_t>(value)) | sign;
}

/// IEEE additions to nearest even with the GPU's NaN.
inline std::uint32_t add_f32(std::uint32_t a, std::uint32_t b) {
    const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
    return sum != sum ? 0x7fffffffu : std::bit_cast<std::uint32_t>(sum);
}
inline std::uint32_t add_f16(std::uint32_t a, std::uint32_t b) {
    // the sum of two f16 rounded to f32 and then to f16 is rounded as if once: 24 >= 2 * 11 + 2
    const float sum = f32_from_f16(a) + f32_from_f16(b);
    return sum != sum ? 0x7fffu : f16_from_f32(std::bit_cast<std::uint32_t>(sum));
}

/// Stores f32 results [element][lane] to D's registers: unchanged, or as two rounded f16 per word.
inline void store_result(simt::Type type, const std::uint32_t* result, unsigned words, std::uint32_t* d) {
    if (type != simt::Type::f16) {
        std::memcpy(d, result, words * 128);
        return;
    }
    const auto convert = [](std::uint32_t v) { return (v & 0x7fffffff) > 0x7f800000 ? 0x7fffu : f16_from_f32(v); };
    for (unsigned w = 0; w < words; ++w)
        for (unsigned lane = 0; lane < 32; ++lane)
            d[w * 32 + lane] = convert(result[w * 64 + lane]) | convert(result[w * 64 + 32 + lane]) << 16;
}

}  // namespace warpwright::engine

#include "ladder/element.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace warpwright::ladder {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "long double must hold 64-bit integers exactly");

struct Entry {
    std::string_view text;
    Element element;
};

// The first name of each element is the one that is printed.
constexpr Entry kNames[] = {
    {"i8", Element::i8},        {"u8", Element::u8},       {"i16", Element::i16},     {"u16", Element::u16},
    {"i32", Element::i32},      {"u32", Element::u32},     {"i64", Element::i64},     {"u64", Element::u64},
    {"f16", Element::f16},      {"bf16", Element::bf16},   {"f32", Element::f32},     {"f64", Element::f64},
    {"s8", Element::i8},        {"int8", Element::i8},     {"char", Element::i8},     {"uint8", Element::u8},
    {"b8", Element::u8},        {"uchar", Element::u8},    {"s16", Element::i16},     {"int16", Element::i16},
    {"short", Element::i16},    {"uint16", Element::u16},  {"b16", Element::u16},     {"s32", Element::i32},
    {"int32", Element::i32},    {"int", Element::i32},     {"uint32", Element::u32},  {"b32", Element::u32},
    {"unsigned", Element::u32}, {"s64", Element::i64},     {"int64", Element::i64},   {"uint64", Element::u64},
    {"b64", Element::u64},      {"float16", Element::f16}, {"half", Element::f16},    {"bfloat16", Element::bf16},
    {"float32", Element::f32},  {"float", Element::f32},   {"float64", Element::f64}, {"double", Element::f64},
};

template <class T>
T read_as(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
void write_as(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof value);
}

double half_to_double(std::uint16_t bits) {
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023;
    double sign = bits & 0x8000 ? -1.0 : 1.0;
    if (exponent == 31) return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * INFINITY;
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(1024 + fraction, exponent - 25);
}

std::uint16_t double_to_half(double value) {
    std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    double size = std::fabs(value);
    if (std::isnan(value)) return 0x7fff;
    if (size == 0) return sign;
    if (size >= 65520.0) return sign | 0x7c00;
    int exponent;
    std::frexp(size, &exponent);                             // size = m 2^exponent, m in [0.5, 1)
    int unit = std::max(exponent - 11, -24);                 // the weight of the last bit
    double count = std::nearbyint(std::ldexp(size, -unit));  // exact scaling; round to nearest even
    // Adding the exponent field and the fraction lets a carry from rounding move up by itself.
    unsigned field = unit == -24 ? 0 : static_cast<unsigned>(unit + 24) << 10;
    return static_cast<std::uint16_t>(sign | (field + static_cast<unsigned>(count)));
}

std::uint16_t double_to_bfloat(double value) {
    if (std::isnan(value)) return 0x7fff;
    // Through float would round twice; take the bits a bfloat16 needs straight from the double.
    std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    double size = std::fabs(value);
    if (size == 0) return sign;
    int exponent;
    std::frexp(size, &exponent);
    int unit = std::max(exponent - 8, -133);
    double rounded = std::ldexp(std::nearbyint(std::ldexp(size, -unit)), unit);
    float exact = static_cast<float>(rounded);  // 8 significant bits: exact, or infinite
    return static_cast<std::uint16_t>(sign | std::bit_cast<std::uint32_t>(exact) >> 16);
}

}  // namespace

std::optional<Element> parse_element(std::string_view text) {
    for (const Entry& e : kNames)
        if (e.text == text) return e.element;
    return std::nullopt;
}

std::string_view element_name(Element element) {
    for (const Entry& e : kNames)
        if (e.element == element) return e.text;
    return "?";
}

unsigned element_size(Element element) {
    switch (element) {
        case Element::i8:
        case Element::u8:
            return 1;
        case Element::i16:
        case Element::u16:
        case Element::f16:
        case Element::bf16:
            return 2;
        case Element::i32:
        case Element::u32:
        case Element::f32:
            return 4;
        case Element::i64:
        case Element::u64:
        case Element::f64:
            return 8;
    }
    return 0;
}

bool is_floating(Element element) {
    return element == Element::f16 || element == Element::bf16 || element == Element::f32 || element == Element::f64;
}

bool is_signed(Element element) {
    return is_floating(element) || element == Element::i8 || element == Element::i16 || element == Element::i32 ||
           element == Element::i64;
}

long double load_element(Element element, const std::byte* from) {
    switch (element) {
        case Element::i8:
            return read_as<std::int8_t>(from);
        case Element::u8:
            return read_as<std::uint8_t>(from);
        case Element::i16:
            return read_as<std::int16_t>(from);
        case Element::u16:
            return read_as<std::uint16_t>(from);
        case Element::i32:
            return read_as<std::int32_t>(from);
        case Element::u32:
            return read_as<std::uint32_t>(from);
        case Element::i64:
            return read_as<std::int64_t>(from);
        case Element::u64:
            return read_as<std::uint64_t>(from);
        case Element::f16:
            return half_to_double(read_as<std::uint16_t>(from));
        case Element::bf16:
            return std::bit_cast<float>(std::uint32_t{read_as<std::uint16_t>(from)} << 16);
        case Element::f32:
            return read_as<float>(from);
        case Element::f64:
            return read_as<double>(from);
    }
    return 0;
}

void store_element(Element element, std::byte* to, long double value) {
    if (!is_floating(element)) {
        // Wrap through __int128 so that every signed and unsigned 64-bit value keeps its bits.
        auto wide = static_cast<__int128>(std::truncl(value));
        auto bits = static_cast<std::uint64_t>(wide);
        std::memcpy(to, &bits, element_size(element));  // little-endian hosts only; checked below
        static_assert(std::endian::native == std::endian::little);
        return;
    }
    switch (element) {
        case Element::f16:
            write_as(to, double_to_half(static_cast<double>(value)));
            break;
        case Element::bf16:
            write_as(to, double_to_bfloat(static_cast<double>(value)));
            break;
        case Element::f32:
            write_as(to, static_cast<float>(value));
            break;
        default:
            write_as(to, static_cast<double>(value));
            break;
    }
}

}  // namespace warpwright::ladder

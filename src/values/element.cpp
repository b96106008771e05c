// Conversion of each element type to and from doubles and long doubles, in bulk for buffers. The formats narrower than
// float have one description each, from which rounding and the table of all their values follow.
#include "values/element.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace warpwright::values {
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
    {"e4m3", Element::e4m3},    {"e5m2", Element::e5m2},   {"float32", Element::f32}, {"float", Element::f32},
    {"float64", Element::f64},  {"double", Element::f64},
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

/// A floating format narrower than f32: 1 sign, some exponent and `mantissa` bits.
struct Narrow {
    int mantissa, least;      ///< bits of the fraction; the least exponent of a normal number
    std::uint32_t last;       ///< magnitude bits of the largest finite value
    std::uint32_t over, nan;  ///< magnitude bits of what is too large, and of a NaN
    std::uint32_t infinity;   ///< magnitude bits; 0: there is none
    int bits;
};
constexpr Narrow kHalf{10, -14, 0x7bff, 0x7c00, 0x7fff, 0x7c00, 16};
constexpr Narrow kBfloat{7, -126, 0x7f7f, 0x7f80, 0x7fff, 0x7f80, 16};
constexpr Narrow kE4m3{3, -6, 0x7e, 0x7e, 0x7f, 0, 8}, kE5m2{2, -14, 0x7b, 0x7b, 0x7f, 0x7c, 8};

/// Rounds straight from double (through float would round twice), to nearest even.
inline std::uint32_t narrow(const Narrow& f, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint32_t>(bits >> 63) << (f.bits - 1);
    const double size = std::fabs(value);
    const int exponent = std::max(static_cast<int>(bits >> 52 & 2047) - 1023, f.least);
    if (exponent > 1000) return sign | (size == size ? f.over : f.nan);
    // The value in units of the last place: a whole number below 2^(mantissa + 1) once 2^52 was added and taken away.
    const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + f.mantissa - exponent) << 52);
    const double count = size * scale + 0x1p52 - 0x1p52;
    // A normal number's leading bit adds one to the exponent field, and so does a carry from rounding.
    const auto field =
        (static_cast<std::uint32_t>(exponent - f.least) << f.mantissa) + static_cast<std::uint32_t>(count);
    return sign | (field > f.last ? f.over : field);
}

float widen(const Narrow& f, std::uint32_t bits) {
    const std::uint32_t size = bits & ((1u << (f.bits - 1)) - 1), fraction = size & ((1u << f.mantissa) - 1);
    const int field = static_cast<int>(size >> f.mantissa);
    const double sign = bits >> (f.bits - 1) & 1 ? -1.0 : 1.0;
    if (size > f.last) return static_cast<float>(size == f.infinity ? sign * INFINITY : std::nan(""));
    if (field == 0) return static_cast<float>(sign * std::ldexp(fraction, f.least - f.mantissa));
    return static_cast<float>(sign * std::ldexp((1u << f.mantissa) + fraction, field - 1 + f.least - f.mantissa));
}

/// Every value of a format.
template <const Narrow& kFormat>
const float* table() {
    static const std::vector<float> values = [] {
        std::vector<float> v(std::size_t{1} << kFormat.bits);
        for (std::uint32_t i = 0; i < v.size(); ++i) v[i] = widen(kFormat, i);
        return v;
    }();
    return values.data();
}

template <class T, class Convert>
void load_all(const std::byte* from, std::size_t count, double* to, Convert convert) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<double>(convert(read_as<T>(from + i * sizeof(T))));
}

template <class T, class Convert>
void store_all(const double* from, std::size_t count, std::byte* to, Convert convert) {
    for (std::size_t i = 0; i < count; ++i) write_as(to + i * sizeof(T), static_cast<T>(convert(from[i])));
}

float bfloat_to_float(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

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
        case Element::e4m3:
        case Element::e5m2:
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

bool is_floating(Element element) { return unit_roundoff(element) > 0; }

double unit_roundoff(Element element) {
    switch (element) {
        case Element::e4m3:
            return 0x1p-4;
        case Element::e5m2:
            return 0x1p-3;
        case Element::f16:
            return 0x1p-11;
        case Element::bf16:
            return 0x1p-8;
        case Element::f32:
            return 0x1p-24;
        case Element::f64:
            return 0x1p-53;
        default:
            return 0;
    }
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
        case Element::e4m3:
            return table<kE4m3>()[read_as<std::uint8_t>(from)];
        case Element::e5m2:
            return table<kE5m2>()[read_as<std::uint8_t>(from)];
        case Element::f16:
            return table<kHalf>()[read_as<std::uint16_t>(from)];
        case Element::bf16:
            return bfloat_to_float(read_as<std::uint16_t>(from));
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
    if (element == Element::f32) return write_as(to, static_cast<float>(value));
    const auto narrower = static_cast<double>(value);
    store_doubles(element, &narrower, 1, to);
}

void load_doubles(Element element, const std::byte* from, std::size_t count, double* to) {
    const auto same = [](auto v) { return v; };
    switch (element) {
        case Element::i8:
            return load_all<std::int8_t>(from, count, to, same);
        case Element::u8:
            return load_all<std::uint8_t>(from, count, to, same);
        case Element::i16:
            return load_all<std::int16_t>(from, count, to, same);
        case Element::u16:
            return load_all<std::uint16_t>(from, count, to, same);
        case Element::i32:
            return load_all<std::int32_t>(from, count, to, same);
        case Element::u32:
            return load_all<std::uint32_t>(from, count, to, same);
        case Element::i64:
            return load_all<std::int64_t>(from, count, to, same);
        case Element::u64:
            return load_all<std::uint64_t>(from, count, to, same);
        case Element::e4m3:
            return load_all<std::uint8_t>(from, count, to, [t = table<kE4m3>()](std::uint8_t v) { return t[v]; });
        case Element::e5m2:
            return load_all<std::uint8_t>(from, count, to, [t = table<kE5m2>()](std::uint8_t v) { return t[v]; });
        case Element::f16:
            return load_all<std::uint16_t>(from, count, to, [t = table<kHalf>()](std::uint16_t v) { return t[v]; });
        case Element::bf16:
            return load_all<std::uint16_t>(from, count, to, bfloat_to_float);
        case Element::f32:
            return load_all<float>(from, count, to, same);
        case Element::f64:
            return load_all<double>(from, count, to, same);
    }
}

void store_doubles(Element element, const double* from, std::size_t count, std::byte* to) {
    switch (element) {
        case Element::e4m3:
            return store_all<std::uint8_t>(from, count, to, [](double v) { return narrow(kE4m3, v); });
        case Element::e5m2:
            return store_all<std::uint8_t>(from, count, to, [](double v) { return narrow(kE5m2, v); });
        case Element::f16:
            return store_all<std::uint16_t>(from, count, to, [](double v) { return narrow(kHalf, v); });
        case Element::bf16:
            return store_all<std::uint16_t>(from, count, to, [](double v) { return narrow(kBfloat, v); });
        case Element::f32:
            return store_all<float>(from, count, to, [](double v) { return v; });
        default:
            return store_all<double>(from, count, to, [](double v) { return v; });
    }
}

}  // namespace warpwright::values

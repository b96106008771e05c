// Element types of buffers, and how one element is read from and written to memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpwright::values {

/// e4m3 and e5m2 are the 8-bit floating types of OCP's OFP8: e4m3 has no infinities, 448 is its largest value.
enum class Element { i8, u8, i16, u16, i32, u32, i64, u64, e4m3, e5m2, f16, bf16, f32, f64 };

/// Parses "f32", "float32", "float", "i32", "s32", "int32", "int", "u64", "uint64", "b8", ...
std::optional<Element> parse_element(std::string_view text);

/// "f32", "i32", ...
std::string_view element_name(Element element);
/// Bytes of one element.
unsigned element_size(Element element);
bool is_floating(Element element);
bool is_signed(Element element);
/// Half the distance between 1 and the next larger value; 0 for integers, whose results are compared exactly.
double unit_roundoff(Element element);

/// An element as a long double, which holds every value of every type here exactly (64-bit significand or more).
long double load_element(Element element, const std::byte* from);
/// Stores a value: floating types round to nearest even, integers wrap to their width (the value is truncated first). A
/// value that is too large becomes infinite, but the largest value in an 8-bit floating type, as with the hardware's
/// conversions.
void store_element(Element element, std::byte* to, long double value);

/// `count` elements as doubles, fast; 64-bit integers are rounded.
void load_doubles(Element element, const std::byte* from, std::size_t count, double* to);
/// The same the other way, for floating types.
void store_doubles(Element element, const double* from, std::size_t count, std::byte* to);

}  // namespace warpwright::values

// Element types of buffers, and how one element is read from and written to memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpwright::ladder {

enum class Element { i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64 };

/// Understands "f32", "float32", "float", "i32", "s32", "int32", "int", "u64", "uint64", "b8", ...
std::optional<Element> parse_element(std::string_view text);

/// "f32", "i32", ...
std::string_view element_name(Element element);
/// Bytes of one element.
unsigned element_size(Element element);
bool is_floating(Element element);
bool is_signed(Element element);

/// An element as a long double, which holds every value of every type here exactly (64-bit significand or more).
long double load_element(Element element, const std::byte* from);
/// Stores a value: floating types round to nearest even, integers wrap to their width (value is truncated first).
void store_element(Element element, std::byte* to, long double value);

}  // namespace warpwright::ladder

// The type suffixes of PTX (ISA section "Types") and their sizes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace warpwright::ptx {

enum class Type : std::uint8_t {
    none,
#define TYPE(name, ...) name,
#include "ptx/types.inc"
#undef TYPE
};

/// Some of the types.
class TypeSet {
public:
    constexpr TypeSet() = default;
    constexpr TypeSet(std::initializer_list<Type> types) {
        for (const Type t : types) members_ |= std::uint64_t{1} << static_cast<unsigned>(t);
    }
    constexpr bool has(Type t) const { return members_ >> static_cast<unsigned>(t) & 1; }
    constexpr bool empty() const { return members_ == 0; }
    constexpr TypeSet operator|(TypeSet other) const {
        other.members_ |= members_;
        return other;
    }

private:
    std::uint64_t members_ = 0;
};
static_assert(static_cast<unsigned>(Type::surfref) < 64, "a set has a bit for each type");

/// Width in bits (b1 and pred: 1).
unsigned bits(Type type);
/// Size in memory in bytes (pred: 1).
unsigned bytes(Type type);
/// Spelling without the dot.
std::string_view spelling(Type type);
/// Type::none when the text (without dot) is no type.
Type type_from(std::string_view text);
/// True for the s8..s64 types.
bool is_signed(Type type);
/// True for the types that say nothing but a width (b1 to b1024): they agree with every type of that width.
bool is_untyped(Type type);
/// True for every floating-point type, packed ones and tf32 included.
bool is_float(Type type);
/// Of a packed type (f16x2) what it consists of, and how many; of any other type itself, and 1.
Type element(Type type);
unsigned elements(Type type);
/// f16, bf16 and their pairs.
inline bool is_half(Type type) { return element(type) == Type::f16 || element(type) == Type::bf16; }
/// bf16 and its pair.
inline bool is_bf16(Type type) { return element(type) == Type::bf16; }
/// Two numbers of 16 bits.
inline bool is_packed16(Type type) { return elements(type) == 2 && bits(element(type)) == 16; }

enum class Space : std::uint8_t { generic, reg, sreg, param, global, shared, local, constant };

}  // namespace warpwright::ptx

// The type suffixes of PTX (ISA section "Types") and their sizes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace warpwright::ptx {

// X(enumerator, spelling, bits)
#define WARPWRIGHT_PTX_TYPES(X)                                                                                       \
    X(pred, "pred", 1)                                                                                                \
    X(b1, "b1", 1)                                                                                                    \
    X(u2, "u2", 2) X(s2, "s2", 2) X(u4, "u4", 4) X(s4, "s4", 4) X(b8, "b8", 8) X(b16, "b16", 16) X(b32, "b32", 32)    \
        X(b64, "b64", 64) X(b128, "b128", 128) X(u8, "u8", 8) X(u16, "u16", 16) X(u32, "u32", 32) X(u64, "u64", 64)   \
            X(s8, "s8", 8) X(s16, "s16", 16) X(s32, "s32", 32) X(s64, "s64", 64) X(f16, "f16", 16)                    \
                X(f16x2, "f16x2", 32) X(bf16, "bf16", 16) X(bf16x2, "bf16x2", 32) X(f32, "f32", 32) X(f64, "f64", 64) \
                    X(tf32, "tf32", 32) X(f32x2, "f32x2", 64) X(u16x2, "u16x2", 32) X(s16x2, "s16x2", 32)             \
                        X(e4m3, "e4m3", 8) X(e5m2, "e5m2", 8) X(e4m3x2, "e4m3x2", 16) X(e5m2x2, "e5m2x2", 16)         \
                            X(e2m1, "e2m1", 4) X(e2m3, "e2m3", 6) X(e3m2, "e3m2", 6) X(ue8m0, "ue8m0", 8)             \
                                X(ue4m3, "ue4m3", 8) X(e2m1x2, "e2m1x2", 8) X(e2m3x2, "e2m3x2", 16)                   \
                                    X(e3m2x2, "e3m2x2", 16) X(ue8m0x2, "ue8m0x2", 16) X(e4m3x4, "e4m3x4", 32)         \
                                        X(e5m2x4, "e5m2x4", 32) X(e2m1x4, "e2m1x4", 16) X(e2m3x4, "e2m3x4", 32)       \
                                            X(e3m2x4, "e3m2x4", 32) X(b1024, "b1024", 1024) X(b8x16, "b8x16", 128)    \
                                                X(b6x16_p32, "b6x16_p32", 128) X(b4x16_p64, "b4x16_p64", 128)         \
                                                    X(texref, "texref", 64) X(samplerref, "samplerref", 64)           \
                                                        X(surfref, "surfref", 64)

enum class Type : std::uint8_t {
    none,
#define WARPWRIGHT_PTX_TYPE_ENUM(name, text, bits) name,
    WARPWRIGHT_PTX_TYPES(WARPWRIGHT_PTX_TYPE_ENUM)
#undef WARPWRIGHT_PTX_TYPE_ENUM
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

enum class Space : std::uint8_t { generic, reg, sreg, param, global, shared, local, constant };

}  // namespace warpwright::ptx

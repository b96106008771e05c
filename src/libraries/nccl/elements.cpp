// Each type is combined in a type of its own arithmetic. A mean is the sum over the number of ranks: of whole numbers,
// cut.
#include "libraries/nccl/elements.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace warpwright::libraries::nccl {
namespace {

/// Of a half: the float of the same value.
float from_half(std::uint16_t h) {
    const std::uint32_t sign = std::uint32_t{h} >> 15 << 31, exponent = h >> 10 & 31, fraction = h & 1023;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0) {
        const float small = std::ldexp(static_cast<float>(fraction), -24);
        return sign ? -small : small;
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

/// The nearest half, the even one of two.
std::uint16_t to_half(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const auto sign = static_cast<std::uint16_t>(bits >> 31 << 15);
    const float size = std::fabs(x);
    if (std::isnan(x)) return static_cast<std::uint16_t>(sign | 0x7fff);
    if (size >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7c00);
    if (size < 6.103515625e-5f) {  // in steps of 2^-24
        return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(std::ldexp(size, 24))));
    }
    const std::uint32_t rest = bits & 0x1fff, up = rest > 0x1000 || (rest == 0x1000 && (bits >> 13 & 1));
    return static_cast<std::uint16_t>(sign | (((bits & 0x7fffffffu) >> 13) - (112u << 10) + up));
}

float from_bfloat(std::uint16_t b) { return std::bit_cast<float>(std::uint32_t{b} << 16); }

std::uint16_t to_bfloat(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    if (std::isnan(x)) return static_cast<std::uint16_t>(bits >> 16 | 64);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <class T>
T same(T x) {
    return x;
}

template <class A>
A combined(A a, A b, ncclRedOp_t op) {
    switch (op) {
        case ncclProd:
            return static_cast<A>(a * b);
        case ncclMax:
            return a < b ? b : a;
        case ncclMin:
            return b < a ? b : a;
        default:
            return static_cast<A>(a + b);
    }
}

/// `T`: an element in memory; `Load` and `Store` lead to and from the type of the arithmetic.
template <class T, auto Load, auto Store>
void reduce_as(void* to, const std::vector<const void*>& from, std::size_t count, ncclRedOp_t op) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto element = [&](std::size_t rank) {
            T x;
            std::memcpy(&x, static_cast<const std::byte*>(from[rank]) + i * sizeof x, sizeof x);
            return Load(x);
        };
        auto all = element(0);
        for (std::size_t rank = 1; rank < from.size(); ++rank) all = combined(all, element(rank), op);
        if (op == ncclAvg) all = static_cast<decltype(all)>(all / static_cast<decltype(all)>(from.size()));
        const T x = Store(all);
        std::memcpy(static_cast<std::byte*>(to) + i * sizeof x, &x, sizeof x);
    }
}

/// Sums of whole numbers go round, which is defined for numbers without a sign.
template <class T, class Wide>
void reduce_whole(void* to, const std::vector<const void*>& from, std::size_t count, ncclRedOp_t op) {
    reduce_as<T, [](T x) { return static_cast<Wide>(x); }, [](Wide x) { return static_cast<T>(x); }>(to, from, count,
                                                                                                     op);
}

}  // namespace

std::size_t bytes_of(ncclDataType_t type) {
    constexpr std::size_t kBytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    return static_cast<unsigned>(type) < std::size(kBytes) ? kBytes[type] : 0;
}

bool reduces(ncclDataType_t type) { return type != ncclFloat8e4m3 && type != ncclFloat8e5m2; }

void reduce(void* to, const std::vector<const void*>& from, std::size_t count, ncclDataType_t type, ncclRedOp_t op) {
    switch (type) {
        case ncclInt8:
            return reduce_whole<std::int8_t, std::int32_t>(to, from, count, op);
        case ncclUint8:
            return reduce_whole<std::uint8_t, std::uint32_t>(to, from, count, op);
        case ncclInt32:
            return reduce_whole<std::int32_t, std::int64_t>(to, from, count, op);
        case ncclUint32:
            return reduce_whole<std::uint32_t, std::uint64_t>(to, from, count, op);
        case ncclInt64:
            return reduce_whole<std::int64_t, __int128>(to, from, count, op);
        case ncclUint64:
            return reduce_whole<std::uint64_t, unsigned __int128>(to, from, count, op);
        case ncclFloat16:
            return reduce_as<std::uint16_t, from_half, to_half>(to, from, count, op);
        case ncclBfloat16:
            return reduce_as<std::uint16_t, from_bfloat, to_bfloat>(to, from, count, op);
        case ncclFloat32:
            return reduce_as<float, same<float>, same<float>>(to, from, count, op);
        case ncclFloat64:
            return reduce_as<double, same<double>, same<double>>(to, from, count, op);
        default:
            return;
    }
}

}  // namespace warpwright::libraries::nccl

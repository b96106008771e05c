// What a lane stores beside what is in memory: the same value, or the same sum, rounded in another way.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "engine/runtime/kernel_memory.hpp"

namespace warpwright::engine {

/// Whether two numbers of this size are, as floats, the same but for rounding.
template <class Number>
bool are_near(const void* one, const void* other) {
    constexpr Number kRounding = sizeof(Number) == sizeof(float) ? Number(1) / (1 << 18) : Number(1) / (1ll << 44);
    Number x, y;
    std::memcpy(&x, one, sizeof x);
    std::memcpy(&y, other, sizeof y);
    return std::isnormal(x) && std::isnormal(y) && std::abs(x - y) <= kRounding * std::abs(x);
}

/// What a lane stores, beside what is in memory.
template <class Element>
struct StoredValue {
    std::uint8_t* host;
    unsigned bytes, count;
    bool whole;  ///< the elements are whole numbers, which nothing rounds
    const Element& element;

    template <class Equal>
    bool all(Equal&& equal) const {
        bool all = true;
        for (unsigned e = 0; e < count; ++e) all &= equal(host + e * bytes, element(e));
        return all;
    }
    bool operator()() const {
        return all([&](const auto* memory, const auto* mine) { return kernel_memory::equals(memory, mine, bytes); });
    }
    /// Lanes that have summed up the same numbers, each in its own order, have the same value but for rounding.
    bool nearly() const {
        if (whole) return false;
        return all([&](const auto* memory, const auto* mine) {
            if (kernel_memory::equals(memory, mine, bytes)) return true;
            std::uint64_t old = 0;
            kernel_memory::load(&old, memory, bytes);
            return bytes == sizeof(float)    ? are_near<float>(&old, mine)
                   : bytes == sizeof(double) ? are_near<double>(&old, mine)
                                             : false;
        });
    }
};

}  // namespace warpwright::engine

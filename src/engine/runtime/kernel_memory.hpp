// Elements in memory that a kernel's threads may read and write at once, by right or by a race of the kernel's own:
// each is accessed by one relaxed atomic instruction, as generated code does, so that such a race is none of ours. On
// every CPU we know it is the instruction of a plain access.
#pragma once

#include <cstdint>
#include <cstring>

namespace warpwright::engine {

namespace kernel_memory {

template <class T>
inline void load_one(void* to, const std::uint8_t* from) {
    const T x = __atomic_load_n(reinterpret_cast<const T*>(from), __ATOMIC_RELAXED);
    __builtin_memcpy(to, &x, sizeof x);
}
template <class T>
inline void store_one(std::uint8_t* to, const void* from) {
    T x;
    __builtin_memcpy(&x, from, sizeof x);
    __atomic_store_n(reinterpret_cast<T*>(to), x, __ATOMIC_RELAXED);
}

/// `bytes` of an element that is aligned to them; of other sizes, byte by byte.
inline void load(void* to, const std::uint8_t* from, unsigned bytes) {
    auto* out = static_cast<std::uint8_t*>(to);
    switch (bytes) {
        case 1:
            return load_one<std::uint8_t>(to, from);
        case 2:
            return load_one<std::uint16_t>(to, from);
        case 4:
            return load_one<std::uint32_t>(to, from);
        case 8:
            return load_one<std::uint64_t>(to, from);
        case 16:
            load_one<std::uint64_t>(out, from);
            return load_one<std::uint64_t>(out + 8, from + 8);
        default:
            for (unsigned k = 0; k < bytes; ++k) load_one<std::uint8_t>(out + k, from + k);
    }
}
inline void store(std::uint8_t* to, const void* from, unsigned bytes) {
    const auto* in = static_cast<const std::uint8_t*>(from);
    switch (bytes) {
        case 1:
            return store_one<std::uint8_t>(to, from);
        case 2:
            return store_one<std::uint16_t>(to, from);
        case 4:
            return store_one<std::uint32_t>(to, from);
        case 8:
            return store_one<std::uint64_t>(to, from);
        case 16:
            store_one<std::uint64_t>(to, in);
            return store_one<std::uint64_t>(to + 8, in + 8);
        default:
            for (unsigned k = 0; k < bytes; ++k) store_one<std::uint8_t>(to + k, in + k);
    }
}
/// Whether an element in memory is `value`.
inline bool equals(const std::uint8_t* at, const void* value, unsigned bytes) {
    std::uint8_t now[16];
    for (unsigned k = 0; k < bytes; k += 16) {
        const auto n = bytes - k < 16 ? bytes - k : 16;
        load(now, at + k, n);
        if (std::memcmp(now, static_cast<const std::uint8_t*>(value) + k, n) != 0) return false;
    }
    return true;
}

}  // namespace kernel_memory

}  // namespace warpwright::engine

// A number in shadow memory that several host threads read and write at once, none of them waiting for another. Each
// access is a relaxed atomic one: on every CPU we know it is the same instruction as a plain access. What is lost
// between two threads can lose a finding and never makes one up (shadow.hpp).
#pragma once

#include <cstdint>

#include "support/thread_sanitizer.hpp"

/// A loop over many of them at once, by vectors of the CPU, for which C++ has no atomic form: it uses plain(). Each
/// element is aligned, so that a vector's access of it is as whole as a single one.
#ifdef WARPWRIGHT_THREAD_SANITIZER
    #define WARPWRIGHT_BY_VECTORS __attribute__((no_sanitize("thread")))
#else
    #define WARPWRIGHT_BY_VECTORS
#endif

namespace warpwright::shadow {

template <class T>
class SharedWord {
public:
    SharedWord() = default;
    SharedWord(const SharedWord&) = delete;
    SharedWord& operator=(const SharedWord&) = delete;

    operator T() const { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
    T operator=(T value) {
        __atomic_store_n(&value_, value, __ATOMIC_RELAXED);
        return value;
    }
    T acquire() const { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }
    void release(T value) { __atomic_store_n(&value_, value, __ATOMIC_RELEASE); }
    /// Sets bits before anything that this thread reads or writes after it, on every CPU.
    void publish_bits(T bits) { __atomic_fetch_or(&value_, bits, __ATOMIC_SEQ_CST); }
    /// Bits are set or cleared while others change other bits.
    void set_bits(T bits) { __atomic_fetch_or(&value_, bits, __ATOMIC_RELAXED); }
    void clear_bits(T bits) { __atomic_fetch_and(&value_, static_cast<T>(~bits), __ATOMIC_RELAXED); }
    bool exchange(T& from, T to) {
        return __atomic_compare_exchange_n(&value_, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    }

    /// Changes nothing, by a write: the system then gives a page that was never used at once, and not a second time
    /// when it is written after it was read.
    void touch() {
        T none = 0;
        exchange(none, 0);
    }

    friend const T* plain(const SharedWord* words) { return &words->value_; }
    friend T* plain(SharedWord* words) { return &words->value_; }

private:
    T value_;
};

/// Eight bytes of an array at once; `at` is aligned to 8.
inline std::uint64_t load_eight(const std::uint8_t* at) {
    return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(at), __ATOMIC_RELAXED);
}

}  // namespace warpwright::shadow

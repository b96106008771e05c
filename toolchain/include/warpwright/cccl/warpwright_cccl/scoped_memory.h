// Loads, stores and atomic operations with a memory order and a scope, on 32 and 64 bits: one PTX instruction each, for
// sequential consistency with a fence before it. On the host the compiler's own.
#pragma once

#include <stddef.h>
#include <string.h>

#include <atomic>
#include <type_traits>
#include "warpwright/hide_names.h"

namespace cuda {

enum thread_scope { thread_scope_system = 0, thread_scope_device = 1, thread_scope_block = 2, thread_scope_thread = 10 };

namespace ww {

using order = ::std::memory_order;
constexpr order relaxed = ::std::memory_order_relaxed, acquire = ::std::memory_order_acquire;
constexpr order release = ::std::memory_order_release, acq_rel = ::std::memory_order_acq_rel;
constexpr order seq_cst = ::std::memory_order_seq_cst;

/// The order that a load may have that belongs to this one of an operation.
constexpr order for_load(order o) { return o == release ? relaxed : o == acq_rel ? acquire : o; }

#ifdef __CUDA_ARCH__
#define WW_BY_SCOPE(scope, use)                      \
    if constexpr (scope == thread_scope_system) {    \
        use("sys")                                   \
    } else if constexpr (scope == thread_scope_device) { \
        use("gpu")                                   \
    } else {                                         \
        use("cta")                                   \
    }

template <thread_scope S> __device__ WW_INLINE void fence(order o) {
    if (o == relaxed) return;
#define WW_FENCE(s)                                             \
    if (o == seq_cst)                                           \
        __asm__ volatile("fence.sc." s ";" ::: "memory");       \
    else                                                        \
        __asm__ volatile("fence.acq_rel." s ";" ::: "memory");
    WW_BY_SCOPE(S, WW_FENCE)
#undef WW_FENCE
}

// name: of a function of one or two operands; text: the operation and its type in PTX; c: the constraint of registers.
#define WW_ATOM_ORDERS(s, text, c, operands, ...)                                                                           \
    if (o == relaxed)                                                                                                       \
        __asm__ volatile("atom.relaxed." s "." text " %0, [%1], " operands ";" : "=" c(old) : "l"(p), __VA_ARGS__ : "memory"); \
    else if (o == release)                                                                                                  \
        __asm__ volatile("atom.release." s "." text " %0, [%1], " operands ";" : "=" c(old) : "l"(p), __VA_ARGS__ : "memory"); \
    else if (o == acq_rel)                                                                                                  \
        __asm__ volatile("atom.acq_rel." s "." text " %0, [%1], " operands ";" : "=" c(old) : "l"(p), __VA_ARGS__ : "memory"); \
    else                                                                                                                    \
        __asm__ volatile("atom.acquire." s "." text " %0, [%1], " operands ";" : "=" c(old) : "l"(p), __VA_ARGS__ : "memory");
#define WW_ATOM(name, T, text, c)                                                      \
    template <thread_scope S> __device__ WW_INLINE T name(T* p, T value, order o) {    \
        T old;                                                                         \
        if (o == seq_cst) fence<S>(o);                                                 \
        if constexpr (S == thread_scope_system) {                                      \
            WW_ATOM_ORDERS("sys", text, c, "%2", c(value))                             \
        } else if constexpr (S == thread_scope_device) {                               \
            WW_ATOM_ORDERS("gpu", text, c, "%2", c(value))                             \
        } else {                                                                       \
            WW_ATOM_ORDERS("cta", text, c, "%2", c(value))                             \
        }                                                                              \
        return old;                                                                    \
    }
#define WW_ATOM_CAS(T, text, c)                                                                          \
    template <thread_scope S> __device__ WW_INLINE T compare_swap(T* p, T expected, T value, order o) {  \
        T old;                                                                                           \
        if (o == seq_cst) fence<S>(o);                                                                   \
        if constexpr (S == thread_scope_system) {                                                        \
            WW_ATOM_ORDERS("sys", text, c, "%2, %3", c(expected), c(value))                              \
        } else if constexpr (S == thread_scope_device) {                                                 \
            WW_ATOM_ORDERS("gpu", text, c, "%2, %3", c(expected), c(value))                              \
        } else {                                                                                         \
            WW_ATOM_ORDERS("cta", text, c, "%2, %3", c(expected), c(value))                              \
        }                                                                                                \
        return old;                                                                                      \
    }
WW_ATOM(exchange, unsigned int, "exch.b32", "r")
WW_ATOM(exchange, unsigned long long, "exch.b64", "l")
WW_ATOM_CAS(unsigned int, "cas.b32", "r")
WW_ATOM_CAS(unsigned long long, "cas.b64", "l")
WW_ATOM(add, unsigned int, "add.u32", "r")
WW_ATOM(add, unsigned long long, "add.u64", "l")
WW_ATOM(add, float, "add.f32", "f")
WW_ATOM(add, double, "add.f64", "d")
WW_ATOM(bits_and, unsigned int, "and.b32", "r")
WW_ATOM(bits_and, unsigned long long, "and.b64", "l")
WW_ATOM(bits_or, unsigned int, "or.b32", "r")
WW_ATOM(bits_or, unsigned long long, "or.b64", "l")
WW_ATOM(bits_xor, unsigned int, "xor.b32", "r")
WW_ATOM(bits_xor, unsigned long long, "xor.b64", "l")
WW_ATOM(least, int, "min.s32", "r")
WW_ATOM(least, unsigned int, "min.u32", "r")
WW_ATOM(least, long long, "min.s64", "l")
WW_ATOM(least, unsigned long long, "min.u64", "l")
WW_ATOM(most, int, "max.s32", "r")
WW_ATOM(most, unsigned int, "max.u32", "r")
WW_ATOM(most, long long, "max.s64", "l")
WW_ATOM(most, unsigned long long, "max.u64", "l")
#undef WW_ATOM
#undef WW_ATOM_CAS
#undef WW_ATOM_ORDERS

#define WW_LOAD_STORE(T, text, c)                                                                     \
    template <thread_scope S> __device__ WW_INLINE void load_word(const T* p, T& v, order o) {        \
        if (o == seq_cst) fence<S>(o);                                                                \
        WW_BY_SCOPE(S, WW_LOAD_##T)                                                                   \
    }                                                                                                 \
    template <thread_scope S> __device__ WW_INLINE void store_word(T* p, T v, order o) {              \
        if (o == seq_cst) fence<S>(o);                                                                \
        WW_BY_SCOPE(S, WW_STORE_##T)                                                                  \
    }
#define WW_LOAD_AS(s, text, c)                                                                   \
    if (o == relaxed)                                                                            \
        __asm__ volatile("ld.relaxed." s "." text " %0, [%1];" : "=" c(v) : "l"(p) : "memory");  \
    else                                                                                         \
        __asm__ volatile("ld.acquire." s "." text " %0, [%1];" : "=" c(v) : "l"(p) : "memory");
#define WW_STORE_AS(s, text, c)                                                          \
    if (o == release)                                                                    \
        __asm__ volatile("st.release." s "." text " [%0], %1;" ::"l"(p), c(v) : "memory"); \
    else                                                                                 \
        __asm__ volatile("st.relaxed." s "." text " [%0], %1;" ::"l"(p), c(v) : "memory");
typedef unsigned short word16;  // of one byte too: PTX has no registers of 8 bits
typedef unsigned int word32;
typedef unsigned long long word64;
#define WW_LOAD_word16(s) WW_LOAD_AS(s, "b16", "h")
#define WW_LOAD_word32(s) WW_LOAD_AS(s, "b32", "r")
#define WW_LOAD_word64(s) WW_LOAD_AS(s, "b64", "l")
#define WW_STORE_word16(s) WW_STORE_AS(s, "b16", "h")
#define WW_STORE_word32(s) WW_STORE_AS(s, "b32", "r")
#define WW_STORE_word64(s) WW_STORE_AS(s, "b64", "l")
WW_LOAD_STORE(word16, , )
WW_LOAD_STORE(word32, , )
WW_LOAD_STORE(word64, , )
template <thread_scope S> __device__ WW_INLINE void load_byte(const unsigned char* p, word16& v, order o) {
    if (o == seq_cst) fence<S>(o);
#define WW_LOAD_byte(s) WW_LOAD_AS(s, "u8", "h")
    WW_BY_SCOPE(S, WW_LOAD_byte)
#undef WW_LOAD_byte
}
template <thread_scope S> __device__ WW_INLINE void store_byte(unsigned char* p, word16 v, order o) {
    if (o == seq_cst) fence<S>(o);
#define WW_STORE_byte(s) WW_STORE_AS(s, "u8", "h")
    WW_BY_SCOPE(S, WW_STORE_byte)
#undef WW_STORE_byte
}
#undef WW_LOAD_STORE
#undef WW_LOAD_AS
#undef WW_STORE_AS
#undef WW_LOAD_word16
#undef WW_LOAD_word32
#undef WW_LOAD_word64
#undef WW_STORE_word16
#undef WW_STORE_word32
#undef WW_STORE_word64
#undef WW_BY_SCOPE
#endif

}  // namespace ww
}  // namespace cuda
#include "warpwright/restore_names.h"

// nvcc's __nv_atomic_* functions: the operation, its memory order and its scope as arguments, as GCC's __atomic_* have
// them. Orders are made with fences around relaxed operations; the scope is always the widest, which every narrower one
// allows.
#pragma once

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

#if WW_ARCH >= 700
WW_DEVICE void __nv_atomic_thread_fence(int order, int = __NV_THREAD_SCOPE_SYSTEM) {
    if (order == __NV_ATOMIC_SEQ_CST) __asm__ volatile("fence.sc.sys;" ::: "memory");
    else if (order != __NV_ATOMIC_RELAXED) __asm__ volatile("fence.acq_rel.sys;" ::: "memory");
}
WW_DEVICE void ww_fence_before(int order) {
    if (order == __NV_ATOMIC_RELEASE || order == __NV_ATOMIC_ACQ_REL || order == __NV_ATOMIC_SEQ_CST) __nv_atomic_thread_fence(order);
}
WW_DEVICE void ww_fence_after(int order) {
    if (order == __NV_ATOMIC_CONSUME || order == __NV_ATOMIC_ACQUIRE || order == __NV_ATOMIC_ACQ_REL || order == __NV_ATOMIC_SEQ_CST)
        __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL);
}

// An integer as wide as T.
template <unsigned ww_bytes> struct ww_word;
template <> struct ww_word<1> { typedef unsigned char type; };
template <> struct ww_word<2> { typedef unsigned short type; };
template <> struct ww_word<4> { typedef unsigned int type; };
template <> struct ww_word<8> { typedef unsigned long long type; };

template <class ww_T> WW_DEVICE ww_T __nv_atomic_load_n(const ww_T* p, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
    typename ww_word<sizeof(ww_T)>::type bits;
    if (order == __NV_ATOMIC_SEQ_CST) __nv_atomic_thread_fence(order);
    if constexpr (sizeof(ww_T) == 1) {
        unsigned short wide;
        __asm__ volatile("ld.relaxed.sys.u8 %0, [%1];" : "=h"(wide) : "l"(p) : "memory");
        bits = (unsigned char)wide;
    } else if constexpr (sizeof(ww_T) == 2) {
        __asm__ volatile("ld.relaxed.sys.b16 %0, [%1];" : "=h"(bits) : "l"(p) : "memory");
    } else if constexpr (sizeof(ww_T) == 4) {
        __asm__ volatile("ld.relaxed.sys.b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
    } else {
        __asm__ volatile("ld.relaxed.sys.b64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory");
    }
    ww_fence_after(order);
    return __builtin_bit_cast(ww_T, bits);
}
template <class ww_T> WW_DEVICE void __nv_atomic_load(const ww_T* p, ww_T* to, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    *to = __nv_atomic_load_n(p, order, scope);
}
template <class ww_T, class ww_V> WW_DEVICE void __nv_atomic_store_n(ww_T* p, ww_V value, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
    const auto bits = __builtin_bit_cast(typename ww_word<sizeof(ww_T)>::type, (ww_T)value);
    ww_fence_before(order);
    if constexpr (sizeof(ww_T) == 1)
        __asm__ volatile("st.relaxed.sys.u8 [%0], %1;" ::"l"(p), "h"((unsigned short)bits) : "memory");
    else if constexpr (sizeof(ww_T) == 2)
        __asm__ volatile("st.relaxed.sys.b16 [%0], %1;" ::"l"(p), "h"(bits) : "memory");
    else if constexpr (sizeof(ww_T) == 4)
        __asm__ volatile("st.relaxed.sys.b32 [%0], %1;" ::"l"(p), "r"(bits) : "memory");
    else
        __asm__ volatile("st.relaxed.sys.b64 [%0], %1;" ::"l"(p), "l"(bits) : "memory");
}
template <class ww_T> WW_DEVICE void __nv_atomic_store(ww_T* p, const ww_T* from, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    __nv_atomic_store_n(p, *from, order, scope);
}
template <class ww_T, class ww_V> WW_DEVICE ww_T __nv_atomic_exchange_n(ww_T* p, ww_V value, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
    typedef typename ww_word<sizeof(ww_T)>::type ww_W;
    ww_fence_before(order);
    const ww_W old = atomicExch_system((ww_W*)p, __builtin_bit_cast(ww_W, (ww_T)value));
    ww_fence_after(order);
    return __builtin_bit_cast(ww_T, old);
}
template <class ww_T>
WW_DEVICE void __nv_atomic_exchange(ww_T* p, const ww_T* value, ww_T* to, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    *to = __nv_atomic_exchange_n(p, *value, order, scope);
}
template <class ww_T, class ww_V>
WW_DEVICE bool __nv_atomic_compare_exchange_n(ww_T* p, ww_T* expected, ww_V wanted, bool, int order, int otherwise,
                                              int = __NV_THREAD_SCOPE_SYSTEM) {
    typedef typename ww_word<sizeof(ww_T)>::type ww_W;
    ww_fence_before(order);
    const ww_W compare = __builtin_bit_cast(ww_W, *expected);
    const ww_W old = atomicCAS_system((ww_W*)p, compare, __builtin_bit_cast(ww_W, (ww_T)wanted));
    ww_fence_after(old == compare ? order : otherwise);
    if (old != compare) *expected = __builtin_bit_cast(ww_T, old);
    return old == compare;
}
template <class ww_T>
WW_DEVICE bool __nv_atomic_compare_exchange(ww_T* p, ww_T* expected, const ww_T* wanted, bool weak, int order, int otherwise,
                                            int scope = __NV_THREAD_SCOPE_SYSTEM) {
    return __nv_atomic_compare_exchange_n(p, expected, *wanted, weak, order, otherwise, scope);
}
#define WW_FETCH(name, function)                                                                                            \
    template <class ww_T, class ww_V>                                                                                       \
    WW_DEVICE ww_T __nv_atomic_fetch_##name(ww_T* p, ww_V value, int order, int = __NV_THREAD_SCOPE_SYSTEM) {               \
        ww_fence_before(order);                                                                                             \
        const ww_T old = function##_system(p, (ww_T)value);                                                                 \
        ww_fence_after(order);                                                                                              \
        return old;                                                                                                         \
    }                                                                                                                       \
    template <class ww_T, class ww_V>                                                                                       \
    WW_DEVICE void __nv_atomic_##name(ww_T* p, ww_V value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {               \
        __nv_atomic_fetch_##name(p, value, order, scope);                                                                   \
    }
WW_FETCH(add, atomicAdd)
WW_FETCH(sub, atomicSub)
WW_FETCH(and, atomicAnd)
WW_FETCH(or, atomicOr)
WW_FETCH(xor, atomicXor)
WW_FETCH(min, atomicMin)
WW_FETCH(max, atomicMax)
#undef WW_FETCH
#endif

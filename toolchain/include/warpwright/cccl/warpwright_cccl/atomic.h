// cuda::atomic, cuda::atomic_ref and their fences, for host and device: the interface of std::atomic with a scope.
#pragma once

#include "scoped_memory.h"
#include "warpwright/hide_names.h"

namespace cuda {
namespace ww {

#define WW_SIDES __host__ __device__ WW_INLINE

template <size_t Bytes> struct word_of;
template <> struct word_of<1> { typedef unsigned char type; };
template <> struct word_of<2> { typedef unsigned short type; };
template <> struct word_of<4> { typedef unsigned int type; };
template <> struct word_of<8> { typedef unsigned long long type; };

/// The operations on one object of type T with scope S.
template <class T, thread_scope S> struct cell {
    static_assert(::std::is_trivially_copyable<T>::value, "an atomic's type is copied byte by byte");
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "an atomic has 1, 2, 4 or 8 bytes");
    typedef typename word_of<sizeof(T)>::type word;

    static WW_SIDES T load(const T* p, order o) {
#ifdef __CUDA_ARCH__
        if constexpr (sizeof(T) <= 2) {
            word16 v;
            if constexpr (sizeof(T) == 1)
                load_byte<S>((const unsigned char*)p, v, o);
            else
                load_word<S>((const word16*)p, v, o);
            return __builtin_bit_cast(T, (word)v);
        } else {
            word v;
            load_word<S>((const word*)p, v, o);
            return __builtin_bit_cast(T, v);
        }
#else
        return __builtin_bit_cast(T, __atomic_load_n((const word*)p, (int)o));
#endif
    }
    static WW_SIDES void store(T* p, T value, order o) {
        const word v = __builtin_bit_cast(word, value);
#ifdef __CUDA_ARCH__
        if constexpr (sizeof(T) == 1)
            store_byte<S>((unsigned char*)p, v, o);
        else
            store_word<S>((word*)p, v, o);
#else
        __atomic_store_n((word*)p, v, (int)o);
#endif
    }
    static WW_SIDES bool compare_exchange(T* p, T& expected, T wanted, order success, order failure) {
        const word e = __builtin_bit_cast(word, expected), w = __builtin_bit_cast(word, wanted);
        word old = e;
#ifdef __CUDA_ARCH__
        if constexpr (sizeof(T) >= 4)
            old = compare_swap<S>((word*)p, e, w, success);
        else
            old = narrow_compare_swap(p, e, w, success);
        (void)failure;
#else
        __atomic_compare_exchange_n((word*)p, &old, w, false, (int)success, (int)failure);
#endif
        if (old != e) expected = __builtin_bit_cast(T, old);
        return old == e;
    }
    static WW_SIDES T swap(T* p, T value, order o) {
#ifdef __CUDA_ARCH__
        if constexpr (sizeof(T) >= 4)
            return __builtin_bit_cast(T, exchange<S>((word*)p, __builtin_bit_cast(word, value), o));
        else
            return update(p, o, [=](T) { return value; });
#else
        return __builtin_bit_cast(T, __atomic_exchange_n((word*)p, __builtin_bit_cast(word, value), (int)o));
#endif
    }
    /// What `next` makes of the value takes its place, whatever others do; gives the value before.
    template <class Next> static WW_SIDES T update(T* p, order o, Next next) {
        T old = load(p, relaxed);
        while (!compare_exchange(p, old, next(old), o, relaxed)) {
        }
        return old;
    }
    static WW_SIDES T add(T* p, T value, order o) {
#ifdef __CUDA_ARCH__
        if constexpr (::std::is_floating_point<T>::value)
            return ww::add<S>(p, value, o);
        else if constexpr (sizeof(T) >= 4)
            return (T)ww::add<S>((word*)p, (word)value, o);
        else
#endif
            return update(p, o, [=](T old) { return (T)(old + value); });
    }
#define WW_BITS(name, function, sign)                                                       \
    static WW_SIDES T name(T* p, T value, order o) {                                        \
        if constexpr (sizeof(T) >= 4) {                                                     \
            WW_ON_DEVICE(return (T)ww::function<S>((word*)p, (word)value, o);)              \
        }                                                                                   \
        return update(p, o, [=](T old) { return (T)(old sign value); });                    \
    }
#ifdef __CUDA_ARCH__
#define WW_ON_DEVICE(...) __VA_ARGS__
#else
#define WW_ON_DEVICE(...)
#endif
    WW_BITS(band, bits_and, &)
    WW_BITS(bor, bits_or, |)
    WW_BITS(bxor, bits_xor, ^)
#undef WW_BITS
    static WW_SIDES T min(T* p, T value, order o) {
        if constexpr (::std::is_integral<T>::value && sizeof(T) >= 4) {
            WW_ON_DEVICE(return (T)ww::least<S>((native*)p, (native)value, o);)
        }
        return update(p, o, [=](T old) { return value < old ? value : old; });
    }
    static WW_SIDES T max(T* p, T value, order o) {
        if constexpr (::std::is_integral<T>::value && sizeof(T) >= 4) {
            WW_ON_DEVICE(return (T)ww::most<S>((native*)p, (native)value, o);)
        }
        return update(p, o, [=](T old) { return old < value ? value : old; });
    }
#undef WW_ON_DEVICE

private:
    /// T's sign and width by the names that PTX's operations are declared with.
    typedef typename ::std::conditional<
        ::std::is_signed<T>::value, typename ::std::conditional<sizeof(T) == 8, long long, int>::type,
        typename ::std::conditional<sizeof(T) == 8, unsigned long long, unsigned int>::type>::type native;
#ifdef __CUDA_ARCH__
    /// One or two bytes: the word of 32 bits around them is exchanged.
    static __device__ WW_INLINE word narrow_compare_swap(T* p, word expected, word wanted, order o) {
        const unsigned long long address = (unsigned long long)p;
        const unsigned int shift = (unsigned int)(address & 3) * 8, mask = ((1u << (8 * sizeof(T))) - 1u) << shift;
        unsigned int* const whole = (unsigned int*)(address & ~3ull);
        unsigned int now;
        load_word<S>(whole, now, relaxed);
        while (((now & mask) >> shift) == expected) {
            const unsigned int next = (now & ~mask) | ((unsigned int)wanted << shift);
            const unsigned int old = compare_swap<S>(whole, now, next, o);
            if (old == now) return expected;
            now = old;
        }
        return (word)((now & mask) >> shift);
    }
#endif
};

/// What atomic and atomic_ref have in common; Derived gives the address.
template <class T, thread_scope S, class Derived> class operations {
    typedef cell<T, S> c;
    // The object itself need not be read as volatile: its operations are atomic.
    WW_SIDES T* p() const volatile { return static_cast<const Derived*>(const_cast<const operations*>(this))->ww_address(); }
    typedef typename ::std::conditional<::std::is_pointer<T>::value, ptrdiff_t, T>::type difference;

public:
    typedef T value_type;
    static constexpr bool is_always_lock_free = true;
    WW_SIDES bool is_lock_free() const volatile { return true; }
    WW_SIDES T load(order o = seq_cst) const volatile { return c::load(p(), o); }
    WW_SIDES operator T() const volatile { return load(); }
    WW_SIDES void store(T v, order o = seq_cst) const volatile { c::store(p(), v, o); }
    WW_SIDES T exchange(T v, order o = seq_cst) const volatile { return c::swap(p(), v, o); }
    WW_SIDES bool compare_exchange_strong(T& expected, T wanted, order success, order failure) const volatile {
        return c::compare_exchange(p(), expected, wanted, success, failure);
    }
    WW_SIDES bool compare_exchange_strong(T& expected, T wanted, order o = seq_cst) const volatile {
        return c::compare_exchange(p(), expected, wanted, o, for_load(o));
    }
    WW_SIDES bool compare_exchange_weak(T& expected, T wanted, order success, order failure) const volatile {
        return c::compare_exchange(p(), expected, wanted, success, failure);
    }
    WW_SIDES bool compare_exchange_weak(T& expected, T wanted, order o = seq_cst) const volatile {
        return c::compare_exchange(p(), expected, wanted, o, for_load(o));
    }
    WW_SIDES T fetch_add(difference v, order o = seq_cst) const volatile {
        if constexpr (::std::is_pointer<T>::value)
            return c::update(p(), o, [=](T old) { return old + v; });
        else
            return c::add(p(), v, o);
    }
    WW_SIDES T fetch_sub(difference v, order o = seq_cst) const volatile {
        if constexpr (::std::is_pointer<T>::value)
            return c::update(p(), o, [=](T old) { return old - v; });
        else
            return c::add(p(), (T)(0 - v), o);
    }
    WW_SIDES T fetch_and(T v, order o = seq_cst) const volatile { return c::band(p(), v, o); }
    WW_SIDES T fetch_or(T v, order o = seq_cst) const volatile { return c::bor(p(), v, o); }
    WW_SIDES T fetch_xor(T v, order o = seq_cst) const volatile { return c::bxor(p(), v, o); }
    WW_SIDES T fetch_min(T v, order o = seq_cst) const volatile { return c::min(p(), v, o); }
    WW_SIDES T fetch_max(T v, order o = seq_cst) const volatile { return c::max(p(), v, o); }
    WW_SIDES T operator++() const volatile { return fetch_add(1) + 1; }
    WW_SIDES T operator--() const volatile { return fetch_sub(1) - 1; }
    WW_SIDES T operator++(int) const volatile { return fetch_add(1); }
    WW_SIDES T operator--(int) const volatile { return fetch_sub(1); }
    WW_SIDES T operator+=(difference v) const volatile { return fetch_add(v) + v; }
    WW_SIDES T operator-=(difference v) const volatile { return fetch_sub(v) - v; }
    WW_SIDES T operator&=(T v) const volatile { return fetch_and(v) & v; }
    WW_SIDES T operator|=(T v) const volatile { return fetch_or(v) | v; }
    WW_SIDES T operator^=(T v) const volatile { return fetch_xor(v) ^ v; }
    /// Waits until the value is another than `old`.
    WW_SIDES void wait(T old, order o = seq_cst) const volatile {
        while (__builtin_bit_cast(typename c::word, load(o)) == __builtin_bit_cast(typename c::word, old)) {
        }
    }
    WW_SIDES void notify_one() const volatile {}
    WW_SIDES void notify_all() const volatile {}
};

}  // namespace ww

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public ww::operations<T, Scope, atomic<T, Scope>> {
public:
    atomic() = default;
    constexpr WW_SIDES atomic(T value) : value_(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;
    WW_SIDES T operator=(T value) {
        this->store(value);
        return value;
    }
    WW_SIDES T operator=(T value) volatile {
        this->store(value);
        return value;
    }
    WW_SIDES T* ww_address() const { return const_cast<T*>(&value_); }

private:
    alignas(sizeof(T)) T value_;
};
template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public ww::operations<T, Scope, atomic_ref<T, Scope>> {
public:
    static constexpr size_t required_alignment = sizeof(T);
    explicit WW_SIDES atomic_ref(T& value) : p_(&value) {}
    WW_SIDES T operator=(T value) const {
        this->store(value);
        return value;
    }
    WW_SIDES T* ww_address() const { return p_; }

private:
    T* p_;
};

template <thread_scope Scope> WW_SIDES void ww_fence(::std::memory_order o) {
#ifdef __CUDA_ARCH__
    ww::fence<Scope>(o);
#else
    __atomic_thread_fence((int)o);
#endif
}
WW_SIDES inline void atomic_thread_fence(::std::memory_order o, thread_scope scope = thread_scope_system) {
    if (scope == thread_scope_system)
        ww_fence<thread_scope_system>(o);
    else if (scope == thread_scope_device)
        ww_fence<thread_scope_device>(o);
    else if (scope == thread_scope_block)
        ww_fence<thread_scope_block>(o);
}

namespace std {
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
template <class T> using atomic = ::cuda::atomic<T, thread_scope_system>;
template <class T> using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
WW_SIDES inline void atomic_thread_fence(::std::memory_order o) { ww_fence<thread_scope_system>(o); }
typedef atomic<int> atomic_int;
typedef atomic<unsigned int> atomic_uint;
typedef atomic<bool> atomic_bool;
}  // namespace std
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

}  // namespace cuda
#include "warpwright/restore_names.h"

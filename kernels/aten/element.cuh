// The elements of tensors. A file of kernels is compiled once for each type: WW_ELEMENT is the type, WW_SUFFIX what its kernels'
// names end with, and WW_KIND what kind of number it is. kernels.txt has the list.
#pragma once

#include "../blas/number.cuh"

#define WW_JOIN_(a, b) a##_##b
#define WW_JOIN(a, b) WW_JOIN_(a, b)
#define WW_JOIN3_(a, b, c) a##_##b##_##c
#define WW_JOIN3(a, b, c) WW_JOIN3_(a, b, c)
/// A kernel's name for the type that this file is compiled for.
#define WW_NAME(name) WW_JOIN(name, WW_SUFFIX)

#define WW_FLOATING 1
#define WW_INTEGER 2
#define WW_BOOL 3

namespace aten {

typedef unsigned char u8;
typedef long long i64;
typedef unsigned long long u64;

/// What a type is reckoned in, and what its scalars come as.
template <class T> struct Traits { typedef T Reckoned; typedef i64 Scalar; typedef i64 Sum; };
template <> struct Traits<float> { typedef float Reckoned; typedef double Scalar; typedef float Sum; };
template <> struct Traits<double> { typedef double Reckoned; typedef double Scalar; typedef double Sum; };
template <> struct Traits<float16> { typedef float Reckoned; typedef double Scalar; typedef float Sum; };
template <> struct Traits<bfloat16> { typedef float Reckoned; typedef double Scalar; typedef float Sum; };

template <class T> using Reckoned = typename Traits<T>::Reckoned;

template <class T> static __device__ __forceinline__ Reckoned<T> read(const void* from, i64 i) {
    return load<Reckoned<T>>(static_cast<const T*>(from)[i]);
}
template <class T> struct Write {
    static __device__ __forceinline__ void to(void* to, i64 i, T x) { static_cast<T*>(to)[i] = x; }
};
template <> struct Write<float16> {
    static __device__ __forceinline__ void to(void* to, i64 i, float x) { store(static_cast<float16*>(to)[i], x); }
};
template <> struct Write<bfloat16> {
    static __device__ __forceinline__ void to(void* to, i64 i, float x) { store(static_cast<bfloat16*>(to)[i], x); }
};
template <> struct Write<bool> {
    static __device__ __forceinline__ void to(void* to, i64 i, bool x) { static_cast<u8*>(to)[i] = x ? 1 : 0; }
};

static const int kDims = 6;
/// The elements of N tensors of one shape, its innermost dimension first: what each tensor's steps are, in elements.
template <int N> struct Walk {
    int dims, unused;
    unsigned size[kDims];
    i64 step[N][kDims];

    __device__ __forceinline__ void at(u64 i, i64 (&place)[N]) const {
        for (int t = 0; t < N; ++t) place[t] = 0;
        unsigned rest = static_cast<unsigned>(i);
#pragma unroll
        for (int d = 0; d < kDims; ++d) {
            if (d >= dims) break;
            const unsigned next = rest / size[d], k = rest - next * size[d];
            for (int t = 0; t < N; ++t) place[t] += k * step[t][d];
            rest = next;
        }
    }
};

/// The thread's element of n, one thread each.
static __device__ __forceinline__ i64 element() { return static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; }

// The bounds and the tests that CUDA's own functions have for one type each.
static __device__ __forceinline__ bool not_number(float x) { return x != x; }
static __device__ __forceinline__ bool not_number(double x) { return x != x; }
template <class T> static __device__ __forceinline__ bool not_number(T) { return false; }
static __device__ __forceinline__ float infinity_of(float) { return __int_as_float(0x7f800000); }
static __device__ __forceinline__ double infinity_of(double) { return __longlong_as_double(0x7ff0000000000000ll); }

}  // namespace aten

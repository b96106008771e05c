// The words CUDA adds to C++, as clang attributes, and the macros by which code recognises a CUDA compiler.
#pragma once

#if !defined(__clang__) || !defined(__CUDA__)
#error "these headers are for clang's CUDA mode (-x cuda)"
#endif

#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#define CUDA_VERSION 12080
#define CUDART_VERSION 12080
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1

// The host's side of a file reads the device's functions too: it knows those of every architecture.
#ifdef __CUDA_ARCH__
#define WW_ARCH __CUDA_ARCH__
#else
#define WW_ARCH 9000
#endif

#define __global__ __attribute__((__global__))
#define __device__ __attribute__((__device__))
#define __host__ __attribute__((__host__))
#define __shared__ __attribute__((__shared__))
#define __constant__ __attribute__((__constant__))
// Clang has no managed variables in CUDA. On the device's side they are variables like others. On the host's side the
// variable of that name lies in a section of its own, and our runtime library puts the device's there (managed.h).
// `device` has no underscores here: __device__ is a macro.
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device, __aligned__(16)))
#else
#define __managed__ __attribute__((device, __aligned__(16), __section__("ww_managed")))
#endif
#define __launch_bounds__(...) __attribute__((__launch_bounds__(__VA_ARGS__)))
// Clang 19 knows no cluster of a kernel's: toolchain/pass/cluster_dimensions.cpp reads the annotation.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define __cluster_dims__(...) \
    _Pragma("GCC warning \"__cluster_dims__ has no effect before sm_90: compile with -arch=sm_90\"")
#elif defined(__CUDA_ARCH__)
#define __cluster_dims__(...) __attribute__((annotate("warpwright.cluster_dims", __VA_ARGS__)))
#else
#define __cluster_dims__(...)
#endif
// The parameter is already read from parameter space; taking its address copies it, which changes no result.
#define __grid_constant__
#define __forceinline__ __inline__ __attribute__((__always_inline__))
#define __align__(n) __attribute__((__aligned__(n)))
#define __builtin_align__(n) __attribute__((__aligned__(n)))
#define __device_builtin__
#define __cudart_builtin__
#define __specialization_static
#define __annotate__(a) __attribute__((a))
#define __location__(a) __annotate__(a)
#define __no_return__ __attribute__((__noreturn__))
#define __nv_pure__ __attribute__((__pure__))
#define __thread__ __thread
#define __import__
#define __export__
#define __cdecl
#define __DEVICE_FUNCTIONS_STATIC_DECL__ static __inline__
#define __NV_SILENCE_DEPRECATION_BEGIN _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wdeprecated-declarations\"")
#define __NV_SILENCE_DEPRECATION_END _Pragma("clang diagnostic pop")
// Registers of PTX are virtual, and how many a kernel has on the device model is no matter of the compiler's.
#define __maxnreg__(n)
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
// Thrust's and CUB's libcu++ asks for 6-bit and 4-bit floating point wherever it finds the 8-bit kinds; only those are here.
#define CCCL_DISABLE_NVFP6_SUPPORT 1

// Our own functions: no debug information, so that what they inline to counts for the line that calls them.
#define WW_INLINE __inline__ __attribute__((always_inline, nodebug))
#define WW_DEVICE static __device__ WW_INLINE
#define WW_BOTH static __host__ __device__ WW_INLINE
// Larger bodies, where the optimiser decides.
#define WW_DEVICE_BODY static __device__ __inline__ __attribute__((nodebug))
// A function of libclc's bitcode library, by its linkage name there.
#define WW_LIBRARY(name) __asm__(name) __attribute__((const, nothrow))

#include <stddef.h>

// Kernels write `__shared__ alignas(16) T x[n]`, which nvcc takes; clang wants a standard attribute only at the start of a
// declaration, and takes its own anywhere. alignas names a type or a number, and so do these two templates.
template <class ww_T> constexpr size_t ww_alignment() { return alignof(ww_T); }
template <size_t ww_N> constexpr size_t ww_alignment() { return ww_N; }
#define alignas(...) __attribute__((__aligned__(ww_alignment<__VA_ARGS__>())))

// <math.h>'s, spelled as the C library spells them.
#define INFINITY (__builtin_inff ())
#define NAN (__builtin_nanf (""))
#define HUGE_VALF (__builtin_huge_valf ())
#define HUGE_VAL (__builtin_huge_val ())
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

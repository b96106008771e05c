// CUDA's built-in vector types and dim3, with the alignments the ABI gives them (CUDA C++ Programming Guide, table
// "Alignment Requirements").
#pragma once
#define __VECTOR_TYPES_H__

// Plain C++ compilers take these headers too: the runtime library is built with them.
#if !defined(__CUDA__)
#ifndef __host__
#define __host__
#define __device__
#endif
#define WW_NODEBUG
#define WW_BOTH static inline
#else
#define WW_NODEBUG __attribute__((nodebug))
#endif

#define WW_VECTOR(scalar, name, align1, align2, align4)                                         \
    struct name##1 { scalar x; };                                                               \
    struct __attribute__((aligned(align2))) name##2 { scalar x, y; };                           \
    struct name##3 { scalar x, y, z; };                                                         \
    struct __attribute__((aligned(align4))) name##4 { scalar x, y, z, w; };
WW_VECTOR(signed char, char, 1, 2, 4)
WW_VECTOR(unsigned char, uchar, 1, 2, 4)
WW_VECTOR(short, short, 2, 4, 8)
WW_VECTOR(unsigned short, ushort, 2, 4, 8)
WW_VECTOR(int, int, 4, 8, 16)
WW_VECTOR(unsigned int, uint, 4, 8, 16)
WW_VECTOR(long, long, 8, 16, 16)
WW_VECTOR(unsigned long, ulong, 8, 16, 16)
WW_VECTOR(long long, longlong, 8, 16, 16)
WW_VECTOR(unsigned long long, ulonglong, 8, 16, 16)
WW_VECTOR(float, float, 4, 8, 16)
WW_VECTOR(double, double, 8, 16, 16)
#undef WW_VECTOR

struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ WW_NODEBUG constexpr dim3(unsigned int vx = 1, unsigned int vy = 1,
                                                                unsigned int vz = 1)
        : x(vx), y(vy), z(vz) {}
    __host__ __device__ WW_NODEBUG constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ WW_NODEBUG constexpr operator uint3() const { return uint3{x, y, z}; }
};

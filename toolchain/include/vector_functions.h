// The make_* constructors of the vector types.
#pragma once
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define WW_MAKE(scalar, name)                                                                                      \
    WW_BOTH constexpr name##1 make_##name##1(scalar x) { return name##1{x}; }                                      \
    WW_BOTH constexpr name##2 make_##name##2(scalar x, scalar y) { return name##2{x, y}; }                         \
    WW_BOTH constexpr name##3 make_##name##3(scalar x, scalar y, scalar z) { return name##3{x, y, z}; }            \
    WW_BOTH constexpr name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return name##4{x, y, z, w}; }
WW_MAKE(signed char, char)
WW_MAKE(unsigned char, uchar)
WW_MAKE(short, short)
WW_MAKE(unsigned short, ushort)
WW_MAKE(int, int)
WW_MAKE(unsigned int, uint)
WW_MAKE(long, long)
WW_MAKE(unsigned long, ulong)
WW_MAKE(long long, longlong)
WW_MAKE(unsigned long long, ulonglong)
WW_MAKE(float, float)
WW_MAKE(double, double)
#undef WW_MAKE

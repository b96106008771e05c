// Complex numbers as <cuComplex.h> has them: pairs of float or double, for host and device. Division and magnitude scale
// their operands first, so that what fits the type does not overflow on the way.
#pragma once
#define CU_COMPLEX_H_

#include <math.h>

#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

WW_BOTH cuFloatComplex make_cuFloatComplex(float r, float i) { return cuFloatComplex{r, i}; }
WW_BOTH cuDoubleComplex make_cuDoubleComplex(double r, double i) { return cuDoubleComplex{r, i}; }
WW_BOTH cuComplex make_cuComplex(float r, float i) { return cuComplex{r, i}; }
WW_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return cuDoubleComplex{z.x, z.y}; }
WW_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return cuFloatComplex{(float)z.x, (float)z.y}; }

#define WW_COMPLEX(T, C, f)                                                                                            \
    WW_BOTH T cuCreal##f(C z) { return z.x; }                                                                          \
    WW_BOTH T cuCimag##f(C z) { return z.y; }                                                                          \
    WW_BOTH C cuConj##f(C z) { return C{z.x, -z.y}; }                                                                  \
    WW_BOTH C cuCadd##f(C a, C b) { return C{a.x + b.x, a.y + b.y}; }                                                  \
    WW_BOTH C cuCsub##f(C a, C b) { return C{a.x - b.x, a.y - b.y}; }                                                  \
    WW_BOTH C cuCmul##f(C a, C b) { return C{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }                          \
    WW_BOTH C cuCdiv##f(C a, C b) {                                                                                    \
        const T scale = (T)1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                                      \
        const T ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale;                                \
        const T over = (T)1 / (br * br + bi * bi);                                                                     \
        return C{(ar * br + ai * bi) * over, (ai * br - ar * bi) * over};                                              \
    }                                                                                                                  \
    WW_BOTH T cuCabs##f(C z) { return hypot##f(z.x, z.y); }                                                            \
    WW_BOTH C cuCfma##f(C a, C b, C c) {                                                                               \
        return C{a.x * b.x + (c.x - a.y * b.y), a.x * b.y + (c.y + a.y * b.x)};                                        \
    }
WW_COMPLEX(float, cuFloatComplex, f)
WW_COMPLEX(double, cuDoubleComplex, )
#undef WW_COMPLEX

// Functions of libclc's bitcode library (double precision, and two of single precision). A module that calls one is linked
// with the library by the compile room.
#pragma once

#define WW_LIBRARY1(name, symbol) __device__ double ww_##name(double) WW_LIBRARY(symbol);
#define WW_LIBRARY2(name, symbol) __device__ double ww_##name(double, double) WW_LIBRARY(symbol);
WW_LIBRARY1(acos, "_Z4acosd")
WW_LIBRARY1(acosh, "_Z5acoshd")
WW_LIBRARY1(asin, "_Z4asind")
WW_LIBRARY1(asinh, "_Z5asinhd")
WW_LIBRARY1(atan, "_Z4atand")
WW_LIBRARY1(atanh, "_Z5atanhd")
WW_LIBRARY1(cbrt, "_Z4cbrtd")
WW_LIBRARY1(cospi, "_Z5cospid")
WW_LIBRARY1(erf, "_Z3erfd")
WW_LIBRARY1(erfc, "_Z4erfcd")
WW_LIBRARY1(exp, "_Z3expd")
WW_LIBRARY1(expm1, "_Z5expm1d")
WW_LIBRARY1(lgamma, "_Z6lgammad")
WW_LIBRARY1(log, "_Z3logd")
WW_LIBRARY1(log1p, "_Z5log1pd")
WW_LIBRARY1(log10, "_Z5log10d")
WW_LIBRARY1(log2, "_Z4log2d")
WW_LIBRARY1(sinpi, "_Z5sinpid")
WW_LIBRARY1(exp2, "_Z4exp2d")
WW_LIBRARY1(exp10, "_Z5exp10d")
WW_LIBRARY2(atan2, "_Z5atan2dd")
WW_LIBRARY2(fmod, "_Z4fmoddd")
WW_LIBRARY2(pow, "_Z3powdd")
WW_LIBRARY2(remainder, "_Z9remainderdd")
#undef WW_LIBRARY1
#undef WW_LIBRARY2
__device__ float ww_cbrt(float) WW_LIBRARY("_Z4cbrtf");
__device__ float ww_erf(float) WW_LIBRARY("_Z3erff");

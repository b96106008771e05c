// Arithmetic with a stated rounding mode. Through PTX instructions that the optimiser may not contract or reassociate:
// that is what these intrinsics promise.
#pragma once

#define WW_ROUNDED2(name, type, instruction, c)                                             \
    WW_DEVICE type name(type a, type b) {                                                   \
        type r;                                                                             \
        __asm__(instruction " %0, %1, %2;" : "=" c(r) : c(a), c(b));                        \
        return r;                                                                           \
    }
#define WW_ROUNDED1(name, type, instruction, c)                                             \
    WW_DEVICE type name(type a) {                                                           \
        type r;                                                                             \
        __asm__(instruction " %0, %1;" : "=" c(r) : c(a));                                  \
        return r;                                                                           \
    }
#define WW_ROUNDED3(name, type, instruction, c)                                             \
    WW_DEVICE type name(type a, type b, type d) {                                           \
        type r;                                                                             \
        __asm__(instruction " %0, %1, %2, %3;" : "=" c(r) : c(a), c(b), c(d));              \
        return r;                                                                           \
    }
#ifdef WARPWRIGHT_FAST_MATH
#define WW_FTZ ".ftz"
#else
#define WW_FTZ ""
#endif
WW_ROUNDED2(__fadd_rn, float, "add.rn" WW_FTZ ".f32", "f")
WW_ROUNDED2(__dadd_rn, double, "add.rn.f64", "d")
WW_ROUNDED2(__fsub_rn, float, "sub.rn" WW_FTZ ".f32", "f")
WW_ROUNDED2(__dsub_rn, double, "sub.rn.f64", "d")
WW_ROUNDED2(__fmul_rn, float, "mul.rn" WW_FTZ ".f32", "f")
WW_ROUNDED2(__dmul_rn, double, "mul.rn.f64", "d")
WW_ROUNDED2(__fdiv_rn, float, "div.rn" WW_FTZ ".f32", "f")
WW_ROUNDED2(__ddiv_rn, double, "div.rn.f64", "d")
WW_ROUNDED3(__fmaf_rn, float, "fma.rn" WW_FTZ ".f32", "f")
WW_ROUNDED3(__fmaf_ieee_rn, float, "fma.rn.f32", "f")
WW_ROUNDED3(__fma_rn, double, "fma.rn.f64", "d")
WW_ROUNDED1(__frcp_rn, float, "rcp.rn" WW_FTZ ".f32", "f")
WW_ROUNDED1(__drcp_rn, double, "rcp.rn.f64", "d")
WW_ROUNDED1(__fsqrt_rn, float, "sqrt.rn" WW_FTZ ".f32", "f")
WW_ROUNDED1(__dsqrt_rn, double, "sqrt.rn.f64", "d")
WW_ROUNDED2(__fadd_rz, float, "add.rz" WW_FTZ ".f32", "f")
WW_ROUNDED2(__dadd_rz, double, "add.rz.f64", "d")
WW_ROUNDED2(__fsub_rz, float, "sub.rz" WW_FTZ ".f32", "f")
WW_ROUNDED2(__dsub_rz, double, "sub.rz.f64", "d")
WW_ROUNDED2(__fmul_rz, float, "mul.rz" WW_FTZ ".f32", "f")
WW_ROUNDED2(__dmul_rz, double, "mul.rz.f64", "d")
WW_ROUNDED2(__fdiv_rz, float, "div.rz" WW_FTZ ".f32", "f")
WW_ROUNDED2(__ddiv_rz, double, "div.rz.f64", "d")
WW_ROUNDED3(__fmaf_rz, float, "fma.rz" WW_FTZ ".f32", "f")
WW_ROUNDED3(__fmaf_ieee_rz, float, "fma.rz.f32", "f")
WW_ROUNDED3(__fma_rz, double, "fma.rz.f64", "d")
WW_ROUNDED1(__frcp_rz, float, "rcp.rz" WW_FTZ ".f32", "f")
WW_ROUNDED1(__drcp_rz, double, "rcp.rz.f64", "d")
WW_ROUNDED1(__fsqrt_rz, float, "sqrt.rz" WW_FTZ ".f32", "f")
WW_ROUNDED1(__dsqrt_rz, double, "sqrt.rz.f64", "d")
WW_ROUNDED2(__fadd_rd, float, "add.rm" WW_FTZ ".f32", "f")
WW_ROUNDED2(__dadd_rd, double, "add.rm.f64", "d")
WW_ROUNDED2(__fsub_rd, float, "sub.rm" WW_FTZ ".f32", "f")
WW_ROUNDED2(__dsub_rd, double, "sub.rm.f64", "d")
WW_ROUNDED2(__fmul_rd, float, "mul.rm" WW_FTZ ".f32", "f")
WW_ROUNDED2(__dmul_rd, double, "mul.rm.f64", "d")
WW_ROUNDED2(__fdiv_rd, float, "div.rm" WW_FTZ ".f32", "f")
WW_ROUNDED2(__ddiv_rd, double, "div.rm.f64", "d")
WW_ROUNDED3(__fmaf_rd, float, "fma.rm" WW_FTZ ".f32", "f")
WW_ROUNDED3(__fmaf_ieee_rd, float, "fma.rm.f32", "f")
WW_ROUNDED3(__fma_rd, double, "fma.rm.f64", "d")
WW_ROUNDED1(__frcp_rd, float, "rcp.rm" WW_FTZ ".f32", "f")
WW_ROUNDED1(__drcp_rd, double, "rcp.rm.f64", "d")
WW_ROUNDED1(__fsqrt_rd, float, "sqrt.rm" WW_FTZ ".f32", "f")
WW_ROUNDED1(__dsqrt_rd, double, "sqrt.rm.f64", "d")
WW_ROUNDED2(__fadd_ru, float, "add.rp" WW_FTZ ".f32", "f")
WW_ROUNDED2(__dadd_ru, double, "add.rp.f64", "d")
WW_ROUNDED2(__fsub_ru, float, "sub.rp" WW_FTZ ".f32", "f")
WW_ROUNDED2(__dsub_ru, double, "sub.rp.f64", "d")
WW_ROUNDED2(__fmul_ru, float, "mul.rp" WW_FTZ ".f32", "f")
WW_ROUNDED2(__dmul_ru, double, "mul.rp.f64", "d")
WW_ROUNDED2(__fdiv_ru, float, "div.rp" WW_FTZ ".f32", "f")
WW_ROUNDED2(__ddiv_ru, double, "div.rp.f64", "d")
WW_ROUNDED3(__fmaf_ru, float, "fma.rp" WW_FTZ ".f32", "f")
WW_ROUNDED3(__fmaf_ieee_ru, float, "fma.rp.f32", "f")
WW_ROUNDED3(__fma_ru, double, "fma.rp.f64", "d")
WW_ROUNDED1(__frcp_ru, float, "rcp.rp" WW_FTZ ".f32", "f")
WW_ROUNDED1(__drcp_ru, double, "rcp.rp.f64", "d")
WW_ROUNDED1(__fsqrt_ru, float, "sqrt.rp" WW_FTZ ".f32", "f")
WW_ROUNDED1(__dsqrt_ru, double, "sqrt.rp.f64", "d")
#undef WW_ROUNDED1
#undef WW_ROUNDED2
#undef WW_ROUNDED3

// Conversions with a stated rounding mode, and saturation. Each is one cvt instruction: out-of-range values clamp and
// NaN gives what the machine gives, which the language leaves undefined.
#pragma once

#define WW_CONVERT(name, to, from, instruction, c_to, c_from)                  \
    WW_DEVICE to name(from x) {                                                \
        to r;                                                                  \
        __asm__(instruction " %0, %1;" : c_to(r) : c_from(x));                 \
        return r;                                                              \
    }
WW_CONVERT(__float2int_rn, int, float, "cvt.rni.s32.f32", "=r", "f")
WW_CONVERT(__float2int_rz, int, float, "cvt.rzi.s32.f32", "=r", "f")
WW_CONVERT(__float2int_rd, int, float, "cvt.rmi.s32.f32", "=r", "f")
WW_CONVERT(__float2int_ru, int, float, "cvt.rpi.s32.f32", "=r", "f")
WW_CONVERT(__float2uint_rn, unsigned int, float, "cvt.rni.u32.f32", "=r", "f")
WW_CONVERT(__float2uint_rz, unsigned int, float, "cvt.rzi.u32.f32", "=r", "f")
WW_CONVERT(__float2uint_rd, unsigned int, float, "cvt.rmi.u32.f32", "=r", "f")
WW_CONVERT(__float2uint_ru, unsigned int, float, "cvt.rpi.u32.f32", "=r", "f")
WW_CONVERT(__float2ll_rn, long long, float, "cvt.rni.s64.f32", "=l", "f")
WW_CONVERT(__float2ll_rz, long long, float, "cvt.rzi.s64.f32", "=l", "f")
WW_CONVERT(__float2ll_rd, long long, float, "cvt.rmi.s64.f32", "=l", "f")
WW_CONVERT(__float2ll_ru, long long, float, "cvt.rpi.s64.f32", "=l", "f")
WW_CONVERT(__float2ull_rn, unsigned long long, float, "cvt.rni.u64.f32", "=l", "f")
WW_CONVERT(__float2ull_rz, unsigned long long, float, "cvt.rzi.u64.f32", "=l", "f")
WW_CONVERT(__float2ull_rd, unsigned long long, float, "cvt.rmi.u64.f32", "=l", "f")
WW_CONVERT(__float2ull_ru, unsigned long long, float, "cvt.rpi.u64.f32", "=l", "f")
WW_CONVERT(__double2int_rn, int, double, "cvt.rni.s32.f64", "=r", "d")
WW_CONVERT(__double2int_rz, int, double, "cvt.rzi.s32.f64", "=r", "d")
WW_CONVERT(__double2int_rd, int, double, "cvt.rmi.s32.f64", "=r", "d")
WW_CONVERT(__double2int_ru, int, double, "cvt.rpi.s32.f64", "=r", "d")
WW_CONVERT(__double2uint_rn, unsigned int, double, "cvt.rni.u32.f64", "=r", "d")
WW_CONVERT(__double2uint_rz, unsigned int, double, "cvt.rzi.u32.f64", "=r", "d")
WW_CONVERT(__double2uint_rd, unsigned int, double, "cvt.rmi.u32.f64", "=r", "d")
WW_CONVERT(__double2uint_ru, unsigned int, double, "cvt.rpi.u32.f64", "=r", "d")
WW_CONVERT(__double2ll_rn, long long, double, "cvt.rni.s64.f64", "=l", "d")
WW_CONVERT(__double2ll_rz, long long, double, "cvt.rzi.s64.f64", "=l", "d")
WW_CONVERT(__double2ll_rd, long long, double, "cvt.rmi.s64.f64", "=l", "d")
WW_CONVERT(__double2ll_ru, long long, double, "cvt.rpi.s64.f64", "=l", "d")
WW_CONVERT(__double2ull_rn, unsigned long long, double, "cvt.rni.u64.f64", "=l", "d")
WW_CONVERT(__double2ull_rz, unsigned long long, double, "cvt.rzi.u64.f64", "=l", "d")
WW_CONVERT(__double2ull_rd, unsigned long long, double, "cvt.rmi.u64.f64", "=l", "d")
WW_CONVERT(__double2ull_ru, unsigned long long, double, "cvt.rpi.u64.f64", "=l", "d")
WW_CONVERT(__int2float_rn, float, int, "cvt.rn.f32.s32", "=f", "r")
WW_CONVERT(__int2float_rz, float, int, "cvt.rz.f32.s32", "=f", "r")
WW_CONVERT(__int2float_rd, float, int, "cvt.rm.f32.s32", "=f", "r")
WW_CONVERT(__int2float_ru, float, int, "cvt.rp.f32.s32", "=f", "r")
WW_CONVERT(__uint2float_rn, float, unsigned int, "cvt.rn.f32.u32", "=f", "r")
WW_CONVERT(__uint2float_rz, float, unsigned int, "cvt.rz.f32.u32", "=f", "r")
WW_CONVERT(__uint2float_rd, float, unsigned int, "cvt.rm.f32.u32", "=f", "r")
WW_CONVERT(__uint2float_ru, float, unsigned int, "cvt.rp.f32.u32", "=f", "r")
WW_CONVERT(__ll2float_rn, float, long long, "cvt.rn.f32.s64", "=f", "l")
WW_CONVERT(__ll2double_rn, double, long long, "cvt.rn.f64.s64", "=d", "l")
WW_CONVERT(__ll2float_rz, float, long long, "cvt.rz.f32.s64", "=f", "l")
WW_CONVERT(__ll2double_rz, double, long long, "cvt.rz.f64.s64", "=d", "l")
WW_CONVERT(__ll2float_rd, float, long long, "cvt.rm.f32.s64", "=f", "l")
WW_CONVERT(__ll2double_rd, double, long long, "cvt.rm.f64.s64", "=d", "l")
WW_CONVERT(__ll2float_ru, float, long long, "cvt.rp.f32.s64", "=f", "l")
WW_CONVERT(__ll2double_ru, double, long long, "cvt.rp.f64.s64", "=d", "l")
WW_CONVERT(__ull2float_rn, float, unsigned long long, "cvt.rn.f32.u64", "=f", "l")
WW_CONVERT(__ull2double_rn, double, unsigned long long, "cvt.rn.f64.u64", "=d", "l")
WW_CONVERT(__ull2float_rz, float, unsigned long long, "cvt.rz.f32.u64", "=f", "l")
WW_CONVERT(__ull2double_rz, double, unsigned long long, "cvt.rz.f64.u64", "=d", "l")
WW_CONVERT(__ull2float_rd, float, unsigned long long, "cvt.rm.f32.u64", "=f", "l")
WW_CONVERT(__ull2double_rd, double, unsigned long long, "cvt.rm.f64.u64", "=d", "l")
WW_CONVERT(__ull2float_ru, float, unsigned long long, "cvt.rp.f32.u64", "=f", "l")
WW_CONVERT(__ull2double_ru, double, unsigned long long, "cvt.rp.f64.u64", "=d", "l")
WW_CONVERT(__double2float_rn, float, double, "cvt.rn.f32.f64", "=f", "d")
WW_CONVERT(__double2float_rz, float, double, "cvt.rz.f32.f64", "=f", "d")
WW_CONVERT(__double2float_rd, float, double, "cvt.rm.f32.f64", "=f", "d")
WW_CONVERT(__double2float_ru, float, double, "cvt.rp.f32.f64", "=f", "d")
#undef WW_CONVERT

WW_DEVICE double __int2double_rn(int x) { return x; }
WW_DEVICE double __uint2double_rn(unsigned int x) { return x; }
WW_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }

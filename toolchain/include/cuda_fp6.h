// 6-bit floating point as <cuda_fp6.h> has it: __nv_fp6_e2m3 (bias 1, 7.5 at most) and __nv_fp6_e3m2 (bias 3, 28 at most), a byte
// for each, pairs and fours of them, and the conversions (warpwright/small_floats.h).
#pragma once
#define __CUDA_FP6_H__
#include "warpwright/hide_names.h"

#include "warpwright/small_floats.h"

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;
enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };

WW_SMALL_CONVERSIONS(6, __nv_fp6_storage_t, __nv_fp6x2_storage_t, __nv_fp6_interpretation_t, 8, (form == __NV_E2M3 ? 3 : 2),
                     (form == __NV_E2M3 ? 1 : 3), 31u)
WW_SMALL_TYPES(__nv_fp6_e2m3, __nv_fp6x2_e2m3, __nv_fp6x4_e2m3, 6, __nv_fp6_storage_t, __nv_fp6x2_storage_t, __nv_fp6x4_storage_t, 8,
               __NV_E2M3)
WW_SMALL_TYPES(__nv_fp6_e3m2, __nv_fp6x2_e3m2, __nv_fp6x4_e3m2, 6, __nv_fp6_storage_t, __nv_fp6x2_storage_t, __nv_fp6x4_storage_t, 8,
               __NV_E3M2)
#include "warpwright/restore_names.h"

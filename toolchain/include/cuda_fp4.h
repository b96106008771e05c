// 4-bit floating point as <cuda_fp4.h> has it: __nv_fp4_e2m1 (0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives), pairs and fours of
// them, and the conversions (warpwright/small_floats.h).
#pragma once
#define __CUDA_FP4_H__
#include "warpwright/hide_names.h"

#include "warpwright/small_floats.h"

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };

WW_SMALL_CONVERSIONS(4, __nv_fp4_storage_t, __nv_fp4x2_storage_t, __nv_fp4_interpretation_t, 4, ((void)form, 1), 1, 7u)
WW_SMALL_TYPES(__nv_fp4_e2m1, __nv_fp4x2_e2m1, __nv_fp4x4_e2m1, 4, __nv_fp4_storage_t, __nv_fp4x2_storage_t, __nv_fp4x4_storage_t, 4,
               __NV_E2M1)
#include "warpwright/restore_names.h"

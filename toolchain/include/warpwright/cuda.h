// What nvcc gives a kernel without any #include, for clang without a CUDA toolkit. The compiler driver force-includes
// this file (-include warpwright/cuda.h). It stays free of libstdc++ headers: parsing those would cost more than most
// kernels do.
#pragma once
#include "warpwright/hide_names.h"

#include "warpwright/include_guards.h"
#include "warpwright/qualifiers.h"

#include "vector_types.h"
#include "warpwright/builtin_variables.h"
#include "vector_functions.h"
#include "warpwright/system.h"
#include "warpwright/bits.h"
#include "warpwright/convert.h"
// Error terms such as fma(a, b, -(a * b)) must not be contracted: our math functions say every fma themselves.
#pragma clang fp contract(off)
#include "warpwright/math_host.h"
#include "warpwright/math_rounded.h"
#include "warpwright/math_float.h"
#include "warpwright/math_double.h"
#include "warpwright/math_common.h"
#include "warpwright/math_special.h"
#include "warpwright/math_overloads.h"
#ifndef WARPWRIGHT_NO_CONTRACT
#pragma clang fp contract(fast)
#endif
#include "warpwright/simd.h"
#include "warpwright/atomics.h"
#include "warpwright/warp.h"
#include "warpwright/memory.h"
#include "warpwright/scoped_atomics.h"
#include "warpwright/textures.h"
#include "warpwright/surfaces.h"
#include "warpwright/managed.h"
#include "cuda_runtime_api.h"
#include "warpwright/nested.h"
#include "warpwright/restore_names.h"

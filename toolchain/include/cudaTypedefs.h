// The driver's functions as pointers, for programs that ask for them by name (cudaGetDriverEntryPoint). There is one of them,
// cuTensorMapEncodeTiled; the type of the other is here for programs that name both.
#pragma once
#define CUDATYPEDEFS_H

#include "cuda.h"

typedef CUresult (*PFN_cuTensorMapEncodeTiled_v12000)(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* sizes,
                                                      const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* steps,
                                                      CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                                      CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
typedef PFN_cuTensorMapEncodeTiled_v12000 PFN_cuTensorMapEncodeTiled;
typedef CUresult (*PFN_cuTensorMapEncodeIm2col_v12000)(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                                       const cuuint64_t* sizes, const cuuint64_t* strides, const int* lower, const int* upper,
                                                       cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* steps,
                                                       CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                                       CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
typedef PFN_cuTensorMapEncodeIm2col_v12000 PFN_cuTensorMapEncodeIm2col;

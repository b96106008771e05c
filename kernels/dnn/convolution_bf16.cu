// Convolutions of bfloat16 numbers.
#include "convolution.cuh"

WW_CONVOLVE(bf16, __nv_bfloat16)

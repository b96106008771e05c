// Convolutions of half numbers.
#include "convolution.cuh"

WW_CONVOLVE(f16, __half)

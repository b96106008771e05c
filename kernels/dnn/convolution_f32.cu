// Convolutions of floats.
#include "convolution.cuh"

WW_CONVOLVE(f32, float)

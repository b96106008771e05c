// Convolutions of doubles.
#include "convolution.cuh"

WW_CONVOLVE(f64, double)

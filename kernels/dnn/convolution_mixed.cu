// Convolutions whose tensors have several types: computed in floats.
#include "convolution.cuh"

WW_CONVOLVE(mixed, Mixed)

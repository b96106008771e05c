// The border of the branch lies between warps.
#include "ways.cuh"

extern "C" __global__ void by_warp(const int* in, int* out, unsigned) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int y = in[i];
    if (threadIdx.x / 32 > 2)
        y = first_way(y);
    else
        y = second_way(y);
    out[i] = y;
}

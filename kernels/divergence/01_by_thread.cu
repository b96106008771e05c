// The border of the branch lies within a warp.
#include "ways.cuh"

extern "C" __global__ void by_thread(const int* in, int* out, unsigned) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int y = in[i];
    if (threadIdx.x > 2)
        y = first_way(y);
    else
        y = second_way(y);
    out[i] = y;
}

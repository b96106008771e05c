// Every other lane goes the other way.
#include "ways.cuh"

extern "C" __global__ void by_parity(const int* in, int* out, unsigned) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int y = in[i];
    if (threadIdx.x % 2 == 0)
        y = first_way(y);
    else
        y = second_way(y);
    out[i] = y;
}

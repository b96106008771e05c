// Each lane goes the first way with probability p / 1000, by a hash of its number.
#include "ways.cuh"

static __device__ __forceinline__ unsigned hash(unsigned h) {
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

extern "C" __global__ void by_chance(const int* in, int* out, unsigned p) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int y = in[i];
    if (hash(i) % 1000 < p)
        y = first_way(y);
    else
        y = second_way(y);
    out[i] = y;
}

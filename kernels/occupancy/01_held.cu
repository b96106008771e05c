// Copies EACH elements per thread; all loads are under way before the first value is stored.
#ifndef EACH
#define EACH 1
#endif

extern "C" __global__ void held(const int* in, int* out, unsigned n) {
    const unsigned first = blockIdx.x * blockDim.x * EACH + threadIdx.x;
    int v[EACH];
#pragma unroll
    for (unsigned k = 0; k < EACH; ++k)
        if (first + k * blockDim.x < n) v[k] = in[first + k * blockDim.x];
#pragma unroll
    for (unsigned k = 0; k < EACH; ++k)
        if (first + k * blockDim.x < n) out[first + k * blockDim.x] = v[k];
}

// spills: 72 values alive in 32 registers; mended: the block may have the registers that it needs.
template <int values>
__device__ void rotate(float* out, const float* in, int n) {
    float r[values];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < values; ++k) r[k] = in[(i + k * 1024) & (n - 1)];
    for (int round = 0; round < 6; ++round)
#pragma unroll
        for (int k = 0; k < values; ++k) r[k] = r[k] * r[(k + 7) % values] + r[(k + 31) % values];
    float s = 0;
#pragma unroll
    for (int k = 0; k < values; ++k) s += r[k];
    out[i] = s;
}
extern "C" __global__ void __launch_bounds__(1024, 2) planted_spilling(float* out, const float* in, int n) { rotate<72>(out, in, n); }
extern "C" __global__ void mended_spilling(float* out, const float* in, int n) { rotate<72>(out, in, n); }

// divergence: each lane goes round the loop as often as its number says; mended: each warp as often as its own.
__device__ float collatz(float x, int trips) {
    for (int k = 0; k < trips; ++k) x = x * 1.01f + (x > 2.0f ? -1.0f : 0.5f);
    return x;
}
extern "C" __global__ void planted_trips(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = collatz(in[i], (i * 7 & 31) * 16);
}
extern "C" __global__ void mended_trips(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = collatz(in[i], (i >> 5) * 7 % 8 * 64);
}

// divergence: odd and even threads take different loops; mended: odd and even warps.
__device__ float work(float x, bool which) {
    if (which)
        for (int k = 0; k < 100; ++k) x = __sinf(x) + 0.1f;
    else
        for (int k = 0; k < 100; ++k) x = __fsqrt_rn(x * x + 0.2f) * 0.5f;
    return x;
}
extern "C" __global__ void planted_odd_even(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = work(in[i], i & 1);
}
extern "C" __global__ void mended_odd_even(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = work(in[i], (i >> 5) & 1);
}

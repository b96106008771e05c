// slow_math: a softmax over rows of 256, with exact exponentials and a division for each; mended: fast ones, one
// reciprocal.
template <bool FAST>
__device__ void softmax(float* out, const float* in) {
    __shared__ float part[8];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    float e = 0, x = in[i];
    for (int k = 0; k < 8; ++k) e += FAST ? __expf(x * k) : expf(x * k);
    float sum = e;
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (t % 32 == 0) part[t / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; ++k) sum += part[k];
    out[i] = FAST ? __fdividef(e, sum) : e / sum;
}
extern "C" __global__ void planted_softmax(float* out, const float* in, int n) { softmax<false>(out, in); }
extern "C" __global__ void mended_softmax(float* out, const float* in, int n) { softmax<true>(out, in); }

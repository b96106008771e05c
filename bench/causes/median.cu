// local_array: a median of nine by insertion into an array of the thread; mended: by minima and maxima of registers.
extern "C" __global__ void planted_median(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sorted[9];
    for (int k = 0; k < 9; ++k) {
        float v = in[k / 3 * 512 + k % 3 + i];
        int j = k;
        while (j > 0 && sorted[j - 1] > v) sorted[j] = sorted[j - 1], --j;
        sorted[j] = v;
    }
    out[i] = sorted[4];
}
__device__ void order(float& a, float& b) {
    float lo = fminf(a, b), hi = fmaxf(a, b);
    a = lo, b = hi;
}
extern "C" __global__ void mended_median(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[9];
#pragma unroll
    for (int k = 0; k < 9; ++k) v[k] = in[k / 3 * 512 + k % 3 + i];
#pragma unroll
    for (int a = 0; a < 5; ++a)
#pragma unroll
        for (int b = a + 1; b < 9; ++b) order(v[a], v[b]);
    out[i] = v[4];
}

// spills: a Cholesky factor of 9 by 9 per thread under launch bounds of two blocks of 1,024; mended: without them.
template <int N>
__device__ void factor(float* out, const float* in, int i, int n) {
    float a[N][N];
#pragma unroll
    for (int r = 0; r < N; ++r)
#pragma unroll
        for (int c = 0; c <= r; ++c) a[r][c] = in[(r * (r + 1) / 2 + c) % 32 * n + i] + (r == c ? 10.0f : 0.0f);
#pragma unroll
    for (int k = 0; k < N; ++k) {
        float d = rsqrtf(a[k][k]);
#pragma unroll
        for (int r = k; r < N; ++r) a[r][k] *= d;
#pragma unroll
        for (int r = k + 1; r < N; ++r)
#pragma unroll
            for (int c = k + 1; c <= r; ++c) a[r][c] -= a[r][k] * a[c][k];
    }
    float s = 0.0f;
#pragma unroll
    for (int r = 0; r < N; ++r)
#pragma unroll
        for (int c = 0; c <= r; ++c) s += a[r][c] * (c + 1);
    out[i] = s;
}
extern "C" __global__ void __launch_bounds__(1024, 2) planted_cholesky(float* out, const float* in, int n) {
    factor<9>(out, in, blockIdx.x * blockDim.x + threadIdx.x, n);
}
extern "C" __global__ void mended_cholesky(float* out, const float* in, int n) {
    factor<9>(out, in, blockIdx.x * blockDim.x + threadIdx.x, n);
}

// instruction_cache: a loop body of many thousand instructions; mended: a loop in it.
// block 128; grid 264
template <int n>
__device__ __forceinline__ float steps(float x, const float* in) {
    if constexpr (n == 0) return x;
    else {
        x = steps<n - 1>(x, in);
        return fmaf(x, 1.0f + n * 0.0001f, n * 0.37f) - (x > n * 3.7f ? x * 0.25f : 0.5f * n);
    }
}
template <int first, int n>
__device__ __forceinline__ float many(float x, const float* in) {
    if constexpr (n == 1) return steps<125>(x + first, in);
    else return many<first + n / 2, n / 2>(many<first, n / 2>(x, in), in);
}
extern "C" __global__ void planted_long_code(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 2; ++k) x = many<0, 32>(x, in);
    out[i] = x;
}
extern "C" __global__ void mended_long_code(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 8000; k += 250)
#pragma unroll 1
        for (int j = 0; j < 250; j += 1) x = fmaf(x, 1.0f + j * 0.0001f, j * 0.37f) - (x > j * 3.7f ? x * 0.25f : 0.5f * j);
    out[i] = x;
}

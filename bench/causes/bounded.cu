// spills: launch bounds ask for more blocks than the values of a thread allow; mended: none are asked for.
template <int n>
__device__ __forceinline__ void rounds_of_values(float* out, const float* in, int i) {
    float v[n];
    for (int k = 0; k < n; ++k) v[k] = in[i + k * 256];
    for (int r = 0; r < 24; ++r)
#pragma unroll
        for (int k = 0; k < n; ++k) v[k] = fmaf(v[k], 0.99f, v[(k + 17) % n]);
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += v[k];
    out[i] = sum;
}
extern "C" __global__ void __launch_bounds__(256, 8) planted_bounded(float* out, const float* in, int n) {
    rounds_of_values<56>(out, in, blockIdx.x * 256 + threadIdx.x);
}
extern "C" __global__ void mended_bounded(float* out, const float* in, int n) {
    rounds_of_values<56>(out, in, blockIdx.x * 256 + threadIdx.x);
}

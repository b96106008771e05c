// launch_overhead: a launch for 64 numbers; mended: one for all.
// block 64; planted_grid 1
extern "C" __global__ void planted_almost_nothing(float* out, const float* in, int n) {
    out[threadIdx.x] = in[threadIdx.x] + 1;
}
extern "C" __global__ void mended_almost_nothing(float* out, const float* in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 8 * n; i += gridDim.x * blockDim.x) out[i] = in[i] + 1;
}

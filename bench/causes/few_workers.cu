// small_grid: sixteen blocks go over an array with a polynomial for each; mended: a thread for each number.
// planted_grid 16; mended_grid 1024
extern "C" __global__ void planted_few_workers(float* out, const float* in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i], p = 0.1f;
        for (int k = 0; k < 16; ++k) p = p * x + 0.3f;
        out[i] = p;
    }
}
extern "C" __global__ void mended_few_workers(float* out, const float* in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i], p = 0.1f;
        for (int k = 0; k < 16; ++k) p = p * x + 0.3f;
        out[i] = p;
    }
}

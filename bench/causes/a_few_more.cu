// tail: 24 blocks more than the device holds at once, two on each multiprocessor; mended: as many as it holds.
// block 1024; planted_grid 288; mended_grid 264
extern "C" __global__ void __launch_bounds__(1024, 2) planted_a_few_more(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i], s = 0.0f;
    for (int k = 0; k < 600; ++k) s = s * v + 0.5f;
    out[i] = s;
}
extern "C" __global__ void __launch_bounds__(1024, 2) mended_a_few_more(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i], s = 0.0f;
    for (int k = 0; k < 600; ++k) s = s * v + 0.5f;
    out[i] = s;
}

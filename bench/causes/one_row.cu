// launch_overhead: a launch for one row of 512 numbers; mended: one for all rows.
// planted_grid 2; mended_grid 33792
extern "C" __global__ void planted_one_row(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i % (9 * n)] = in[i] * 1.5f;
}
extern "C" __global__ void mended_one_row(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i % (9 * n)] = in[i] * 1.5f;
}

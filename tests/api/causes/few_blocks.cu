// small_grid: two blocks go over all of it; mended: as many blocks as there is work for.
// planted_grid 2
extern "C" __global__ void planted_few_blocks(float* out, const float* in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 8; i += gridDim.x * blockDim.x) out[i] = in[i] * 2 + 1;
}
extern "C" __global__ void mended_few_blocks(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 2 + 1;
}

// uncoalesced_load: a sparse product gives each thread a row of 32 values; mended: a warp has the row.
// planted_grid 512; mended_grid 16384
extern "C" __global__ void planted_csr_rows(float* y, const float* values, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = row * 32; k < (row + 1) * 32; ++k) sum += values[k] * 0.5f;
    y[row] = sum;
}
extern "C" __global__ void mended_csr_rows(float* y, const float* values, int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = values[row * 32 + lane] * 0.5f;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0) y[row] = sum;
}

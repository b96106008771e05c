// imbalance: a block has a row, and few rows are a hundred times as long; mended: all rows are as long as the average.
extern "C" __global__ void planted_long_rows(float* out, const float* in, int n) {
    float sum = 0;
    int length = blockIdx.x % 256 == 77 ? 60000 : 600;
    for (int k = threadIdx.x; k < length; k += blockDim.x) sum += in[blockIdx.x + k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void mended_long_rows(float* out, const float* in, int n) {
    float sum = 0;
    for (int k = threadIdx.x; k < 832; k += blockDim.x) sum += in[blockIdx.x + k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

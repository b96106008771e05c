// uncoalesced_load: each thread adds up a row of 32 numbers; mended: the matrix lies the other way round.
extern "C" __global__ void planted_sum_rows(float* out, const float* in, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 32; ++k) sum += in[row * 32 + k];
    out[row] = sum;
}
extern "C" __global__ void mended_sum_rows(float* out, const float* in, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 32; ++k) sum += in[k * n + row];
    out[row] = sum;
}

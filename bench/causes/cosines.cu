// constant_divergence: a cosine transform of eight reads its table of constants by the lane; mended: from shared memory.
__constant__ float cosine_table[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2};
extern "C" __global__ void planted_cosines(float* out, const float* in, int n) {
    __shared__ float row[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, u = t % 8;
    row[t] = in[i];
    __syncthreads();
    float sum = 0.0f;
    for (int x = 0; x < 8; ++x) sum += row[t - u + x] * cosine_table[u * 8 + x];
    out[i] = sum;
}
extern "C" __global__ void mended_cosines(float* out, const float* in, int n) {
    __shared__ float row[256], table[8][9];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, u = t % 8;
    row[t] = in[i];
    if (t < 64) table[t / 8][t % 8] = cosine_table[t];
    __syncthreads();
    float sum = 0.0f;
    for (int x = 0; x < 8; ++x) sum += row[t - u + x] * table[u][x];
    out[i] = sum;
}

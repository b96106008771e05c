// imbalance: thread 0 of a block adds up its row's exponentials alone; mended: all threads by shuffles.
extern "C" __global__ void planted_softmax_by_one(float* out, const float* in, int n) {
    __shared__ float e[256], total;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    e[threadIdx.x] = __expf(in[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0.0f;
        for (int k = 0; k < blockDim.x; ++k) s += e[k];
        total = s;
    }
    __syncthreads();
    out[i] = __fdividef(e[threadIdx.x], total);
}
extern "C" __global__ void mended_softmax_by_one(float* out, const float* in, int n) {
    __shared__ float sums[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float e = __expf(in[i]), s = e;
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = s;
    __syncthreads();
    float total = 0.0f;
    for (int k = 0; k < 8; ++k) total += sums[k];
    out[i] = __fdividef(e, total);
}

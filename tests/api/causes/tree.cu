// barriers: sums of rows by a tree in shared memory, a barrier after each step; mended: by shuffles.
extern "C" __global__ void planted_tree(float* out, const float* in, int n) {
    __shared__ float part[256];
    const int t = threadIdx.x;
    for (int k = 0; k < 8; ++k) {
        part[t] = in[k * n + blockIdx.x * 256 + t];
        __syncthreads();
        for (int step = 128; step > 0; step /= 2) {
            if (t < step) part[t] += part[t + step];
            __syncthreads();
        }
        if (t == 0) out[blockIdx.x * 8 + k] = part[0];
        __syncthreads();
    }
}
extern "C" __global__ void mended_tree(float* out, const float* in, int n) {
    __shared__ float part[8];
    const int t = threadIdx.x;
    for (int k = 0; k < 8; ++k) {
        float sum = in[k * n + blockIdx.x * 256 + t];
        for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
        if (t % 32 == 0) part[t / 32] = sum;
        __syncthreads();
        if (t < 32) {
            sum = t < 8 ? part[t] : 0;
            for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
            if (t == 0) out[blockIdx.x * 8 + k] = sum;
        }
        __syncthreads();
    }
}

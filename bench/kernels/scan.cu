// Inclusive prefix sums of blocks of 256 elements in shared memory (Hillis and Steele), each block's total into totals;
// launched again on the totals, and a third time to add them.
extern "C" __global__ void scan(const int* in, int* out, int* totals) {
    __shared__ int sums[2][256];
    int thread = threadIdx.x, now = 0;
    sums[0][thread] = in[blockIdx.x * 256 + thread];
    __syncthreads();
    for (int distance = 1; distance < 256; distance *= 2) {
        int sum = sums[now][thread];
        if (thread >= distance) sum += sums[now][thread - distance];
        now = 1 - now;
        sums[now][thread] = sum;
        __syncthreads();
    }
    out[blockIdx.x * 256 + thread] = sums[now][thread];
    if (thread == 255) totals[blockIdx.x] = sums[now][thread];
}

extern "C" __global__ void scan_add(int* out, const int* totals) {
    if (blockIdx.x > 0) out[blockIdx.x * 256 + threadIdx.x] += totals[blockIdx.x - 1];
}

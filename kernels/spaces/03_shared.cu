// The table in shared memory.
extern "C" __global__ void from_shared(const int* __restrict__ table, int* out, unsigned n, unsigned spread) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int tile[32];
    if (threadIdx.x < 32) tile[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    int sum = 0;
    for (unsigned k = 0; k < 32; ++k) sum += tile[(k + threadIdx.x * spread) & 31];
    if (i < n) out[i] = sum + static_cast<int>(i);
}

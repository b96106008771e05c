// bins[v] += how often v occurs in in[0..n), 256 bins: atomics in shared memory, then one global add a bin and block.
// Blocks of 256.
extern "C" __global__ void histogram(const unsigned* in, unsigned* bins, int n) {
    __shared__ unsigned counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&counts[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

// bins[v] += how often v occurs in in[0..n): one atomic in global memory for each value. Blocks of 256.
extern "C" __global__ void histogram_global(const unsigned* in, unsigned* bins, int n) {
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&bins[in[i]], 1u);
}

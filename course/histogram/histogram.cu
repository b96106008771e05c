// counts[v] says how often v occurs among the n bytes; it is 0 before the launch. Blocks have 256 threads.
__global__ void histogram(const unsigned char* values, int* counts, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[values[i]], 1);
}

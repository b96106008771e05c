__global__ void histogram(const unsigned char* values, int* counts, int n) {
    __shared__ int own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[values[i]], 1);
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

__global__ void positives(const int* x, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0) {
        const int old = atomicAdd(&count[0], 0);
        atomicExch(&count[0], old + 1);
    }
}

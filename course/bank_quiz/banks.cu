// Lane i of a warp reads word STRIDE * i of shared memory.
__global__ void banks(int* y) {
    __shared__ int words[33 * 32];
    for (int k = threadIdx.x; k < 33 * 32; k += 32) words[k] = k;
    __syncwarp();
    y[blockIdx.x * 32 + threadIdx.x] = words[STRIDE * threadIdx.x];
}

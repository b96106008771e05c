// The last launch leaves another order of its results where blocks come in another order; the first does not.
#include <cstdio>

__global__ void squares(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * blockIdx.x; }

__global__ void places(int* count, int* out) {
    if (threadIdx.x == 0) out[atomicAdd(count, 1)] = blockIdx.x;
}

int main() {
    int *a, *count, *out;
    cudaMalloc(&a, 8 * 32 * sizeof(int));
    cudaMalloc(&count, sizeof(int));
    cudaMalloc(&out, 8 * sizeof(int));
    cudaMemset(count, 0, sizeof(int));
    squares<<<8, 32>>>(a);
    places<<<8, 32>>>(count, out);
    cudaDeviceSynchronize();
    std::printf("said once\n");
    cudaFree(a), cudaFree(count), cudaFree(out);
}

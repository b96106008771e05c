// C = A + B: a fixed number of threads walks over all elements, a whole grid's width at a step.
extern "C" __global__ void vecadd_grid_stride(const float* A, const float* B, float* C, int n) {
    int width = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += width) C[i] = A[i] + B[i];
}

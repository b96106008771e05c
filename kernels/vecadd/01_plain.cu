// C = A + B: one thread per element. The last block may reach past the end, hence the comparison.
extern "C" __global__ void vecadd_plain(const float* A, const float* B, float* C, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) C[i] = A[i] + B[i];
}

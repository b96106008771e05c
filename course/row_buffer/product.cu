// C = A B for N x N matrices, stored by rows; N is a multiple of 32 and at most 256.
// The grid has N blocks of N threads: block i has row i of C, and its thread j the element (i, j).
__global__ void product(const float* a, const float* b, float* c, int N) {
    const int i = blockIdx.x, j = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += a[i * N + k] * b[k * N + j];
    c[i * N + j] = sum;
}

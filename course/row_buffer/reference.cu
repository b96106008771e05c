__global__ void product(const float* a, const float* b, float* c, int N) {
    __shared__ float row[256];
    const int i = blockIdx.x, j = threadIdx.x;
    row[j] = a[i * N + j];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += row[k] * b[k * N + j];
    c[i * N + j] = sum;
}

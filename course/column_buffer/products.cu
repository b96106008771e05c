// Block i has row i of C, and its thread j the element (i, j).
__global__ void direct(const float* a, const float* b, float* c, int N) {
    const int i = blockIdx.x, j = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += a[i * N + k] * b[k * N + j];
    c[i * N + j] = sum;
}

// Block i has row i of C, and its thread j the element (i, j).
__global__ void row_buffered(const float* a, const float* b, float* c, int N) {
    __shared__ float row[256];
    const int i = blockIdx.x, j = threadIdx.x;
    row[j] = a[i * N + j];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += row[k] * b[k * N + j];
    c[i * N + j] = sum;
}

// Block j has column j of C, and its thread i the element (i, j).
__global__ void column_buffered(const float* a, const float* b, float* c, int N) {
    __shared__ float column[256];
    const int j = blockIdx.x, i = threadIdx.x;
    column[i] = b[i * N + j];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += a[i * N + k] * column[k];
    c[i * N + j] = sum;
}

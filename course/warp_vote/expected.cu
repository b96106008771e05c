__global__ void packed(const int* x, int* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || i % 32 != 0) return;
    int to = i;
#pragma unroll 1
    for (int k = 0; k < 32; ++k)
        if (x[i + k] > 0) y[to++] = x[i + k];
    while (to < i + 32) y[to++] = 0;
}

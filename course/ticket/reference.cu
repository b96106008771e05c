__device__ int steps(int value, int count) {
    for (int k = 0; k < count; ++k) value = (value * 3 + 1) & 0xffff;
    return value;
}

__device__ void task(const int* x, const int* length, int* y, int i) {
    const int value = steps(x[i], 1 << length[i]);
    if (threadIdx.x == 0) y[i] = value;
}

__global__ void tasks(const int* x, const int* length, int* next, int* y, int n) {
    for (;;) {
        int i = 0;
        if (threadIdx.x == 0) i = atomicAdd(&next[0], 1);
        i = __shfl_sync(0xffffffff, i, 0);
        if (i >= n) return;
        task(x, length, y, i);
    }
}

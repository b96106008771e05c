// n tasks: y[task] is x[task] after a number of steps that is very unequal, 2^length[task]. A block is one warp, and
// works at one task at a time. The grid has 32 blocks, whatever n is; here block b does the tasks b, b + 32, b + 64 and
// so on.
__device__ int steps(int value, int count) {
    for (int k = 0; k < count; ++k) value = (value * 3 + 1) & 0xffff;
    return value;
}

__device__ void task(const int* x, const int* length, int* y, int i) {
    const int value = steps(x[i], 1 << length[i]);
    if (threadIdx.x == 0) y[i] = value;
}

// next[0] is 0 at the beginning, and belongs to you.
__global__ void tasks(const int* x, const int* length, int* next, int* y, int n) {
    for (int i = blockIdx.x; i < n; i += gridDim.x) task(x, length, y, i);
}

// The sum of n doubles, step by step (CUDA C++; sum.cl is the same in OpenCL C).
#ifndef MOST
#define MOST 1024  // threads of a block, at most
#endif

// Each thread adds m neighbours. Neighbouring threads read m elements apart: every one another cache line.
extern "C" __global__ void sum_rows(double* sums, const double* x, int n, int m) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    const int begin = id * m, end = min(n, begin + m);
    double sum = 0;
    for (int i = begin; i < end; ++i) sum += x[i];
    sums[id] = sum;
}

// Neighbouring threads read neighbouring elements, and go on by the whole grid.
extern "C" __global__ void sum_stride(double* sums, const double* x, int n) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    double sum = 0;
    for (int i = id; i < n; i += all) sum += x[i];
    sums[id] = sum;
}

// Adds `count` values in shared memory, of any number: the first half, one longer where count is odd, takes the second.
__device__ double add_block(double* part, int count) {
    const int id = threadIdx.x;
    while (count > 1) {
        const int first = (count + 1) / 2;
        __syncthreads();
        if (id + first < count) part[id] += part[id + first];
        count = first;
    }
    return part[0];  // of thread 0, which wrote it last
}

// As before, then each block adds its own sums: one value per block is left.
extern "C" __global__ void sum_tree(double* sums, const double* x, int n) {
    __shared__ double part[MOST];
    const int id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    double sum = 0;
    for (int i = id; i < n; i += all) sum += x[i];
    part[threadIdx.x] = sum;
    const double block = add_block(part, blockDim.x);
    if (threadIdx.x == 0) sums[blockIdx.x] = block;
}

// One block adds the values that are left, one a thread.
extern "C" __global__ void sum_last(double* sum, const double* sums, int n) {
    __shared__ double part[MOST];
    const int id = threadIdx.x;
    part[id] = id < n ? sums[id] : 0;
    const double all = add_block(part, blockDim.x);
    if (id == 0) sum[0] = all;
}

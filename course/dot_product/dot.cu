// Two launches: block_dots, in which block b adds up the products of elements 256 b to 256 b + 255, and total, in which one
// block of 256 threads adds up the blocks' sums. Here one thread of a block does all the work.
__global__ void block_dots(const int* x, const int* y, int* dots, int n) {
    if (threadIdx.x != 0) return;
    int sum = 0;
    for (int i = blockIdx.x * 256; i < n && i < (int)blockIdx.x * 256 + 256; ++i) sum += x[i] * y[i];
    dots[blockIdx.x] = sum;
}
__global__ void total(const int* dots, int* sum, int blocks) {
    if (threadIdx.x != 0) return;
    int all = 0;
    for (int b = 0; b < blocks; ++b) all += dots[b];
    *sum = all;
}

// count[0] is 0 at the beginning, and is to be the number of positive elements of x at the end.
__global__ void positives(const int* x, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0) count[0] = count[0] + 1;
}

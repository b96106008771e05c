__global__ void packed(const int* x, int* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, first = i - lane;
    if (i >= n) return;
    const int v = x[i];
    const unsigned positive = __ballot_sync(0xffffffff, v > 0);
    if (v > 0) y[first + __popc(positive & ((1u << lane) - 1))] = v;
}

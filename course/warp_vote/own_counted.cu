__global__ void packed(const int* x, int* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, first = i - lane;
    if (i >= n) return;
    const int v = x[i];
    y[i] = 0;
    const unsigned positive = __ballot_sync(0xffffffff, v > 0);
    const int place = __popc(positive & (0xffffffffu >> (31 - lane)));
    __syncwarp();
    if (v > 0 && place < 32) y[first + place] = v;
}

// Each warp has 32 elements of x and the same 32 places of y; n is a multiple of 32.
// The positive elements come first, in their order, and zeros fill the rest.
__global__ void packed(const int* x, int* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, first = i - lane;
    if (i >= n) return;
    const int v = x[i];
    int before = 0, all = 0;
    for (int k = 0; k < 32; ++k) {
        const bool positive = x[first + k] > 0;
        if (k < lane) before += positive;
        all += positive;
    }
    if (v > 0) y[first + before] = v;
    if (lane >= all) y[i] = 0;
}

__global__ void by_parity(const float* x, float* y) {
    const int kind = threadIdx.x / 16 % 2, warp = threadIdx.x / 32;
    for (int k = 0; k < 2; ++k) {
        const int i = blockIdx.x * 512 + k * 256 + warp * 32 + 2 * (threadIdx.x % 16) + kind;
        const float v = x[i];
        if (kind == 0) {
            y[i] = v * v * v + v * v + v;
        } else {
            y[i] = sqrtf(v) + sqrtf(v + 1);
        }
    }
}

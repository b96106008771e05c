__global__ void by_parity(const float* x, float* y) {
    const int kind = threadIdx.x / 128, first = blockIdx.x * 512 + 2 * (threadIdx.x % 128) + kind;
    for (int k = 0; k < 2; ++k) {
        const int i = first + k * 256;
        const float v = x[i];
        if (kind != 0) {
            y[i] = v * v * v + v * v + v;
        } else {
            y[i] = sqrtf(v) + sqrtf(v + 1);
        }
    }
}

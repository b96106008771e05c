// y[i] = x^3 + x^2 + x for even i, and sqrt(x) + sqrt(x + 1) for odd i. A block of 256 threads has 512 elements.
__global__ void by_parity(const float* x, float* y) {
    const int first = blockIdx.x * 512;
    for (int k = 0; k < 2; ++k) {
        const int i = first + k * 256 + threadIdx.x;
        const float v = x[i];
        if (i % 2 == 0) {
            y[i] = v * v * v + v * v + v;
        } else {
            y[i] = sqrtf(v) + sqrtf(v + 1);
        }
    }
}

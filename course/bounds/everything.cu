__global__ void twice_plus_one(const float* x, float* y, int n) {
    for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;
}

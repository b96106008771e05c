__global__ void store(const float* x, const float* v, const float* mass, const float* charge, float* points, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    points[i] = x[i];
    points[n + i] = v[i];
    points[2 * n + i] = mass[i];
    points[3 * n + i] = charge[i];
}

__global__ void move(float* points, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) points[i] += 0.5f * points[n + i];
}

__global__ void fetch(const float* points, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = points[i] * points[2 * n + i] + points[3 * n + i];
}

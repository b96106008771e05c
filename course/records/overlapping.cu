__global__ void store(const float* x, const float* v, const float* mass, const float* charge, float* points, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    points[i] = x[i];
    points[i + 1] = v[i];
    points[i + 2] = mass[i];
    points[i + 3] = charge[i];
}

__global__ void move(float* points, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) points[i] += 0.5f * points[i + 1];
}

__global__ void fetch(const float* points, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = points[i] * points[i + 2] + points[i + 3];
}

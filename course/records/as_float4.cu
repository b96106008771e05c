__global__ void store(const float* x, const float* v, const float* mass, const float* charge, float* points, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) reinterpret_cast<float4*>(points)[i] = make_float4(x[i], v[i], mass[i], charge[i]);
}

__global__ void move(float* points, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = reinterpret_cast<float4*>(points)[i];
    p.x += 0.5f * p.y;
    reinterpret_cast<float4*>(points)[i] = p;
}

__global__ void fetch(const float* points, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 p = reinterpret_cast<const float4*>(points)[i];
    y[i] = p.x * p.z + p.w;
}

__global__ void doubled(const float* x, float* y, int n) {
    const int i = blockIdx.x * 1024 + threadIdx.x;
    if (i + 3 >= n) return;
    const float4 v = *reinterpret_cast<const float4*>(x + i);
    *reinterpret_cast<float4*>(y + i) = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}

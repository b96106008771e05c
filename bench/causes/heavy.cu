// divergence: a heavy side for three of ten lanes.
__device__ float heavy(float x) {
    for (int k = 0; k < 150; k++) x = __sinf(x) + 0.3f;
    return x;
}
extern "C" __global__ void planted_heavy(float* o, const float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    if (a[i] > 0.7f) x = heavy(x);
    o[i] = x;
}
extern "C" __global__ void mended_heavy(float* o, const float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    if (a[i & ~31] > 0.7f) x = heavy(x);
    o[i] = x;
}

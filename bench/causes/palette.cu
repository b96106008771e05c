// constant_divergence: a palette in constant memory.
__constant__ float palette[256];
extern "C" __global__ void planted_palette(float* o, const unsigned* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    unsigned h = a[i];
    for (int k = 0; k < 16; k++) {
        s += palette[h >> 24];
        h = h * 1664525u + 12345u;
    }
    o[i] = s;
}
extern "C" __global__ void mended_palette(float* o, const unsigned* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float p[256];
    p[threadIdx.x] = palette[threadIdx.x & 0] + threadIdx.x;
    __syncthreads();
    float s = 0;
    unsigned h = a[i];
    for (int k = 0; k < 16; k++) {
        s += p[h >> 24];
        h = h * 1664525u + 12345u;
    }
    o[i] = s;
}

// no_reuse: a row that all threads of a block read.
extern "C" __global__ void planted_table(float* o, const float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0, x = a[i];
    for (int k = 0; k < 256; k++) {
        float d = a[blockIdx.x * 256 + k] - x;
        s += d * d;
    }
    o[i] = s;
}
extern "C" __global__ void mended_table(float* o, const float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float t[256];
    float s = 0, x = a[i];
    t[threadIdx.x] = x;
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 256; k++) {
        float d = t[k] - x;
        s += d * d;
    }
    o[i] = s;
}

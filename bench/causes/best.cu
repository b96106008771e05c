// local_array: sums in an array by an index from the data.
extern "C" __global__ void planted_best(float* o, const float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float best[16];
    for (int k = 0; k < 16; k++) best[k] = 0;
    for (int k = 0; k < 32; k++) {
        float x = a[(i + k * 4096) & ((1 << 18) - 1)];
        int at = (int)(x * 16) & 15;
        best[at] += x;
    }
    float s = 0;
    for (int k = 0; k < 16; k++) s = fmaxf(s, best[k]);
    o[i] = s;
}
extern "C" __global__ void mended_best(float* o, const float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float best[16];
    for (int k = 0; k < 16; k++) best[k] = 0;
#pragma unroll
    for (int k = 0; k < 32; k++) {
        float x = a[(i + k * 4096) & ((1 << 18) - 1)];
        best[k & 15] += x;
    }
    float s = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) s = fmaxf(s, best[k]);
    o[i] = s;
}

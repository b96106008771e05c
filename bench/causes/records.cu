// bank_conflicts: records of eight floats in shared memory.
extern "C" __global__ void planted_records(float* o, const float* a, int n) {
    __shared__ float s[256 * 8];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    for (int k = 0; k < 8; k++) s[t * 8 + k] = a[i] + k;
    __syncthreads();
    float sum = 0;
    int u = (t * 7) & 255;
    for (int r = 0; r < 16; r++)
        for (int k = 0; k < 8; k++) sum += s[((u + r) & 255) * 8 + k];
    o[i] = sum;
}
extern "C" __global__ void mended_records(float* o, const float* a, int n) {
    __shared__ float s[256 * 8];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    for (int k = 0; k < 8; k++) s[k * 256 + t] = a[i] + k;
    __syncthreads();
    float sum = 0;
    int u = (t * 7) & 255;
    for (int r = 0; r < 16; r++)
        for (int k = 0; k < 8; k++) sum += s[k * 256 + ((u + r) & 255)];
    o[i] = sum;
}

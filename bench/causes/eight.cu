// uncoalesced_store: each thread stores eight results side by side.
extern "C" __global__ void planted_eight(float* o, const float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        o[i * 8 + k] = x;
        x = x * 1.5f + 1.f;
        __syncwarp();
    }
}
extern "C" __global__ void mended_eight(float* o, const float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        o[k * (1 << 18) + i] = x;
        x = x * 1.5f + 1.f;
        __syncwarp();
    }
}

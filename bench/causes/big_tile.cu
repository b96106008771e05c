// low_occupancy: 96 KiB of shared memory are asked for, 2 KiB are used, and gathers wait; mended: 2 KiB.
// planted_shared 98304; mended_shared 2048; block 128; grid 2048
extern "C" __global__ void planted_big_tile(float* out, const float* in, int n) {
    extern __shared__ float own[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    own[threadIdx.x] = in[i];
    __syncthreads();
    float sum = 0.0f;
    int at = i;
    for (int k = 0; k < 16; ++k) {
        float v = in[at];
        sum += v * own[(threadIdx.x + k) % 128];
        at = ((at / 32 + (int)(v * 4096.0f)) * 32 + threadIdx.x % 32) & 0x3ffff;
    }
    out[i] = sum;
}
extern "C" __global__ void mended_big_tile(float* out, const float* in, int n) {
    extern __shared__ float own[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    own[threadIdx.x] = in[i];
    __syncthreads();
    float sum = 0.0f;
    int at = i;
    for (int k = 0; k < 16; ++k) {
        float v = in[at];
        sum += v * own[(threadIdx.x + k) % 128];
        at = ((at / 32 + (int)(v * 4096.0f)) * 32 + threadIdx.x % 32) & 0x3ffff;
    }
    out[i] = sum;
}

// shared_atomics: a histogram of a mostly dark image in one array of the block; mended: a lane adds up equal neighbours first.
// grid 256
extern "C" __global__ void planted_dark_image(unsigned* out, const float* in, int n) {
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
        float v = in[(blockIdx.x * 32 + k) * 256 + threadIdx.x];
        atomicAdd(&bins[v < 0.97f ? 0 : (int)(v * 255.0f)], 1u);
    }
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = bins[threadIdx.x];
}
extern "C" __global__ void mended_dark_image(unsigned* out, const float* in, int n) {
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    unsigned dark = 0;
    for (int k = 0; k < 32; ++k) {
        float v = in[(blockIdx.x * 32 + k) * 256 + threadIdx.x];
        if (v < 0.97f) ++dark;
        else atomicAdd(&bins[(int)(v * 255.0f)], 1u);
    }
    for (int d = 16; d > 0; d /= 2) dark += __shfl_down_sync(0xffffffffu, dark, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&bins[0], dark);
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = bins[threadIdx.x];
}

// no_reuse: each thread goes over all of 2,048 bodies in global memory; mended: tiles of them in shared memory.
// grid 64
extern "C" __global__ void planted_forces(float* out, const float* in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float x = in[i], f = 0;
    for (int k = 0; k < 2048; ++k) {
        float d = in[k] - x;
        f += d * rsqrtf(d * d + 0.01f);
        out[i] = f;
    }
}
extern "C" __global__ void mended_forces(float* out, const float* in, int n) {
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float x = in[i], f = 0;
    for (int from = 0; from < 2048; from += 256) {
        __syncthreads();
        tile[threadIdx.x] = in[from + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; ++k) {
            float d = tile[k] - x;
            f += d * rsqrtf(d * d + 0.01f);
        }
    }
    out[i] = f;
}

// low_occupancy: 48 KiB of shared memory for a block of 64 threads, which uses little of it; mended: what it uses.
// block 64
extern "C" __global__ void planted_much_shared(float* out, const float* in, int n) {
    __shared__ float s[12000];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x * 100] = in[i];
    __syncthreads();
    out[i] = 2 * s[(threadIdx.x ^ 1) * 100] + in[i + n];
}
extern "C" __global__ void mended_much_shared(float* out, const float* in, int n) {
    __shared__ float s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = 2 * s[threadIdx.x ^ 1] + in[i + n];
}

// bank_conflicts: a tree of sums in shared memory with strided places (2 s t), full warps; mended: places that follow each other.
extern "C" __global__ void planted_strided_tree(float* out, const float* in, int n) {
    __shared__ float s[2048];
    int t = threadIdx.x;
    for (int k = 0; k < 8; ++k) s[t + 256 * k] = in[blockIdx.x * 2048 + t + 256 * k];
    __syncthreads();
    for (int d = 1; d < 2048; d *= 2) {
        for (int i = t; 2 * d * i < 2048; i += 256) s[2 * d * i] += s[2 * d * i + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void mended_strided_tree(float* out, const float* in, int n) {
    __shared__ float s[2048];
    int t = threadIdx.x;
    for (int k = 0; k < 8; ++k) s[t + 256 * k] = in[blockIdx.x * 2048 + t + 256 * k];
    __syncthreads();
    for (int d = 1024; d > 0; d /= 2) {
        for (int i = t; i < d; i += 256) s[i] += s[i + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

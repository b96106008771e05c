// The halo is never loaded.
// check: --grid 2 --block 64 --arg f32[128]=random --arg f32[128]=zero
extern "C" __global__ void wrong(const float* in, float* out) {
    __shared__ float s[66];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t + 1] = in[i];
    __syncthreads();
    out[i] = s[t] + s[t + 1] + s[t + 2];  // FINDING uninitialised
}
extern "C" __global__ void right(const float* in, float* out) {
    __shared__ float s[66];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t + 1] = in[i];
    if (t == 0) s[0] = 0, s[65] = 0;
    __syncthreads();
    out[i] = s[t] + s[t + 1] + s[t + 2];
}

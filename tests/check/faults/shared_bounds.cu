// Shared and local arrays have ends too.
// check: --grid 2 --block 64 --arg f32[128]=random --arg f32[128]=zero --arg 64
extern "C" __global__ void wrong(const float* in, float* out, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t + n / 64] = in[blockIdx.x * 64 + t];  // FINDING out-of-bounds
    if (t == 0) s[0] = 0;
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[t];
}
extern "C" __global__ void right(const float* in, float* out, int n) {
    __shared__ float s[65];
    int t = threadIdx.x;
    s[t + n / 64] = in[blockIdx.x * 64 + t];
    if (t == 0) s[0] = 0;
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[t];
}

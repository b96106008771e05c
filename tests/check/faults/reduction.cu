// The barrier stands behind the sum instead of before it: the first step reads what other warps have yet to write.
// check: --grid 4 --block 256 --arg f32[1024]=random --arg f32[4]=zero
extern "C" __global__ void wrong(const float* in, float* out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];  // FINDING race-shared
    for (int k = 128; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];  // FINDING race-shared
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void right(const float* in, float* out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    for (int k = 128; k > 0; k /= 2) {
        __syncthreads();
        if (t < k) s[t] += s[t + k];
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

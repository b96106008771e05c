// The second reduction of a course: the stride is shifted, but never stored, so that the loop never ends; and its first
// step reaches past the end of the array.
// check: --grid 2 --block 64 --arg f32[128]=random --arg f32[2]=zero
extern "C" __global__ void wrong(const float* in, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    for (unsigned stride = blockDim.x; stride > 1; stride >> 1) {
        __syncthreads();                        // FINDING deadlock
        if (t < stride) s[t] += s[t + stride];  // FINDING out-of-bounds
    }
    __syncthreads();
    if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void right(const float* in, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    for (unsigned stride = blockDim.x / 2; stride >= 1; stride >>= 1) {
        __syncthreads();
        if (t < stride) s[t] += s[t + stride];
    }
    __syncthreads();
    if (t == 0) out[blockIdx.x] = s[0];
}

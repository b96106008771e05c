// Half of each warp goes past the barrier in the branch, and on to the end.
// check: --grid 2 --block 64 --arg i32[128]=iota --arg i32[128]=zero
extern "C" __global__ void wrong(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    if (t % 32 < 16) {
        __syncthreads();  // FINDING barrier-divergence
        s[t] *= 3;
    }
    out[i] = s[t];
}
extern "C" __global__ void right(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    __syncthreads();
    if (t % 32 < 16) s[t] *= 3;
    out[i] = s[t];
}

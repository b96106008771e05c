// Half of each warp comes to the barrier in the branch.
// check: --grid 2 --block 64 --arg i32[128]=iota --arg i32[128]=zero
extern "C" __global__ void wrong(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    if (t % 32 < 16) {
        __syncthreads();  // FINDING barrier-divergence
        out[i] = s[63 - t];
    } else {
        __syncthreads();  // FINDING barrier-divergence
        out[i] = s[t];
    }
}
extern "C" __global__ void right(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    __syncthreads();
    if (t % 32 < 16)
        out[i] = s[63 - t];
    else
        out[i] = s[t];
}

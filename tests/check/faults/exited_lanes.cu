// Part of a warp returns early; the others of the warp wait at barriers without it, in a loop.
// check: --grid 2 --block 64 --arg i32[100]=iota --arg i32[100]=zero --arg 100
extern "C" __global__ void wrong(const int* in, int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (i >= n) return;
    for (int k = 0; k < 3; ++k) {
        s[t] = in[i] + k;
        __syncthreads();  // FINDING barrier-exited
        if (t % 2 == 0) out[i] = s[t] + s[t + 1];
        __syncthreads();
    }
}
extern "C" __global__ void right(const int* in, int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    for (int k = 0; k < 3; ++k) {
        if (i < n) s[t] = in[i] + k;
        __syncthreads();
        if (i < n && t % 2 == 0) out[i] = s[t] + s[t + 1];
        __syncthreads();
    }
}

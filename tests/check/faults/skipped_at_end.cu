// The barrier is in an if at the end: those who do not take it end at once. No word of the text lets them return.
// check: --grid 2 --block 64 --arg i32[128]=iota --arg i32[128]=zero
extern "C" __global__ void wrong(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    out[i] = s[t];
    if (t < 40) {
        __syncthreads();  // FINDING barrier-divergence
    }
}
extern "C" __global__ void right(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    out[i] = s[t];
    __syncthreads();
}

// Threads beyond the end leave; the others wait at a barrier without them.
// check: --grid 2 --block 64 --arg i32[96]=iota --arg i32[96]=zero --arg 96
extern "C" __global__ void wrong(const int* in, int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (i >= n) return;
    s[t] = in[i];
    __syncthreads();  // FINDING barrier-exited
    out[i] = s[t];
}
extern "C" __global__ void right(const int* in, int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (i < n) s[t] = in[i];
    __syncthreads();
    if (i < n) out[i] = s[t];
}

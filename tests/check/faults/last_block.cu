// The last block to finish adds what all have written: the ticket needs a fence before it.
// check: --grid 16 --block 64 --arg i32[1024]=iota --arg i32[16]=zero --arg i32[1]=zero --arg i32[1]=zero
static __device__ int sum(int x, int* s) {
    int t = threadIdx.x;
    __syncthreads();
    s[t] = x;
    for (int k = 32; k > 0; k /= 2) {
        __syncthreads();
        if (t < k) s[t] += s[t + k];
    }
    __syncthreads();
    return s[0];
}
extern "C" __global__ void wrong(const int* in, int* parts, unsigned* ticket, int* out) {
    __shared__ int s[64];
    __shared__ bool last;
    int t = threadIdx.x;
    int x = sum(in[blockIdx.x * 64 + t], s);
    if (t == 0) {
        parts[blockIdx.x] = x;  // FINDING race-global
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    x = sum(t < gridDim.x ? parts[t] : 0, s);  // FINDING race-global
    if (t == 0) *out = x;
}
extern "C" __global__ void right(const int* in, int* parts, unsigned* ticket, int* out) {
    __shared__ int s[64];
    __shared__ bool last;
    int t = threadIdx.x;
    int x = sum(in[blockIdx.x * 64 + t], s);
    if (t == 0) {
        parts[blockIdx.x] = x;
        __threadfence();
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    x = sum(t < gridDim.x ? parts[t] : 0, s);
    if (t == 0) *out = x;
}

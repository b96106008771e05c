// A scan whose blocks look back at their predecessors: sums of blocks and their marks. Wrong: the sum is published
// after its mark.
// check: --grid 8 --block 64 --arg i32[512]=ones --arg i32[512]=zero --arg i32[8]=zero --arg i32[8]=zero
static __device__ int scan(int x, int* s) {
    int t = threadIdx.x;
    s[t] = x;
    __syncthreads();
    for (int k = 1; k < 64; k *= 2) {
        int y = t >= k ? s[t - k] : 0;
        __syncthreads();
        s[t] += y;
        __syncthreads();
    }
    return s[t];
}
extern "C" __global__ void wrong(const int* in, int* out, int* sums, int* marks) {
    __shared__ int s[64];
    __shared__ int before;
    int t = threadIdx.x, b = blockIdx.x;
    int x = scan(in[b * 64 + t], s);
    if (t == 63) {
        int p = 0;
        if (b > 0) {
            while (atomicAdd(&marks[b - 1], 0) == 0) {}
            __threadfence();
            p = sums[b - 1];  // FINDING race-global
        }
        before = p;
        __threadfence();
        atomicExch(&marks[b], 1);
        sums[b] = p + x;  // FINDING race-global
    }
    __syncthreads();
    out[b * 64 + t] = before + x;
}
extern "C" __global__ void right(const int* in, int* out, int* sums, int* marks) {
    __shared__ int s[64];
    __shared__ int before;
    int t = threadIdx.x, b = blockIdx.x;
    int x = scan(in[b * 64 + t], s);
    if (t == 63) {
        int p = 0;
        if (b > 0) {
            while (atomicAdd(&marks[b - 1], 0) == 0) {}
            __threadfence();
            p = sums[b - 1];
        }
        before = p;
        sums[b] = p + x;
        __threadfence();
        atomicExch(&marks[b], 1);
    }
    __syncthreads();
    out[b * 64 + t] = before + x;
}

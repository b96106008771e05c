// shared_atomics: a block's list, whose length each thread counts up by itself; mended: once for each warp.
extern "C" __global__ void planted_list_of_block(float* out, const float* in, int n) {
    __shared__ int length;
    __shared__ float list[256];
    const int t = threadIdx.x;
    float last = 0;
    for (int k = 0; k < 32; ++k) {
        if (t == 0) length = 0;
        __syncthreads();
        const float x = in[k * n + blockIdx.x * 256 + t];
        if (x > 0.1f) list[atomicAdd(&length, 1)] = x;
        __syncthreads();
        if (t < length) last += list[t];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = last;
}
extern "C" __global__ void mended_list_of_block(float* out, const float* in, int n) {
    __shared__ int length;
    __shared__ float list[256];
    const int t = threadIdx.x, lane = t % 32;
    float last = 0;
    for (int k = 0; k < 32; ++k) {
        if (t == 0) length = 0;
        __syncthreads();
        const float x = in[k * n + blockIdx.x * 256 + t];
        const unsigned all = __ballot_sync(~0u, x > 0.1f);
        int begin = 0;
        if (lane == 0) begin = atomicAdd(&length, __popc(all));
        begin = __shfl_sync(~0u, begin, 0);
        if (x > 0.1f) list[begin + __popc(all & ((1u << lane) - 1))] = x;
        __syncthreads();
        if (t < length) last += list[t];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = last;
}

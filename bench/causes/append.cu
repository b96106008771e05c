// global_atomics: each thread that keeps its number asks for a place in the list; mended: a block asks once.
extern "C" __global__ void planted_append(int* out, const float* in, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (in[i] > 0.5f) {
        const int at = atomicAdd(&out[0], 1);
        out[32 + at % n] = i;
    }
}
extern "C" __global__ void mended_append(int* out, const float* in, int n) {
    __shared__ int of_warp[8], begin;
    const int t = threadIdx.x, i = blockIdx.x * 256 + t, lane = t % 32;
    const bool kept = in[i] > 0.5f;
    const unsigned all = __ballot_sync(~0u, kept);
    if (lane == 0) of_warp[t / 32] = __popc(all);
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int w = 0; w < 8; ++w) {
            const int own = of_warp[w];
            of_warp[w] = sum, sum += own;
        }
        begin = atomicAdd(&out[0], sum);
    }
    __syncthreads();
    if (kept) out[32 + (begin + of_warp[t / 32] + __popc(all & ((1u << lane) - 1))) % n] = i;
}

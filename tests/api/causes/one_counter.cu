// global_atomics: all threads count in one word; mended: a warp votes and one thread of a block adds.
extern "C" __global__ void planted_one_counter(int* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] > 0.5f) atomicAdd(out, 1);
}
extern "C" __global__ void mended_one_counter(int* out, const float* in, int n) {
    __shared__ int of_warp[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned votes = __ballot_sync(~0u, in[i] > 0.5f);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int w = 0; w < 8; ++w) sum += of_warp[w];
        atomicAdd(out, sum);
    }
}

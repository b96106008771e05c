// Bitonic sort, in place. sort_tile does all steps whose distance is below 512 of merges up to `last` elements, in shared
// memory, from merges of `first` elements on; sort_step is one step of a larger distance. Blocks of 512, tiles of 1024.
static __device__ void exchange(unsigned& a, unsigned& b, bool rising) {
    unsigned low = min(a, b), high = max(a, b);
    a = rising ? low : high;
    b = rising ? high : low;
}

extern "C" __global__ void sort_tile(unsigned* data, int first, int last) {
    __shared__ unsigned tile[1024];
    unsigned* mine = data + blockIdx.x * 1024;
    tile[threadIdx.x] = mine[threadIdx.x];
    tile[threadIdx.x + 512] = mine[threadIdx.x + 512];
    for (int merge = first; merge <= last; merge *= 2) {
        for (int distance = min(merge / 2, 512); distance > 0; distance /= 2) {
            __syncthreads();
            int low = threadIdx.x & distance - 1, at = (threadIdx.x - low) * 2 + low;
            exchange(tile[at], tile[at + distance], ((blockIdx.x * 1024 + at) & merge) == 0);
        }
    }
    __syncthreads();
    mine[threadIdx.x] = tile[threadIdx.x];
    mine[threadIdx.x + 512] = tile[threadIdx.x + 512];
}

extern "C" __global__ void sort_step(unsigned* data, int merge, int distance) {
    int thread = blockIdx.x * 512 + threadIdx.x, low = thread & distance - 1, at = (thread - low) * 2 + low;
    exchange(data[at], data[at + distance], (at & merge) == 0);
}

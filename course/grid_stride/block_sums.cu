// 64 blocks of 256 threads add up n elements, however many there are: tiles of 256 elements go to blocks 0, 1, ..., 63, 0, ...
// Here a whole tree is made for each tile.
__global__ void block_sums(const int* x, int* sums, int n) {
    __shared__ int words[256];
    const int t = threadIdx.x;
    int sum = 0;
    for (int tile = blockIdx.x * 256; tile < n; tile += gridDim.x * 256) {
        words[t] = tile + t < n ? x[tile + t] : 0;
        __syncthreads();
        for (int s = 128; s > 0; s /= 2) {
            if (t < s) words[t] += words[t + s];
            __syncthreads();
        }
        sum += words[0];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = sum;
}

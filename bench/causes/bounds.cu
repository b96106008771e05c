// global_atomics: each thread widens a box of four bounds; mended: a block does so once.
extern "C" __global__ void planted_bounds(int* out, const float* in, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int x = (int)(in[i] * 1e6f), y = (int)(in[n + i] * 1e6f);
    atomicMin(&out[0], x), atomicMax(&out[1], x);
    atomicMin(&out[2], y), atomicMax(&out[3], y);
}
extern "C" __global__ void mended_bounds(int* out, const float* in, int n) {
    __shared__ int box[4];
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (threadIdx.x < 4) box[threadIdx.x] = threadIdx.x & 1 ? -2147483647 : 2147483647;
    __syncthreads();
    int x = (int)(in[i] * 1e6f), y = (int)(in[n + i] * 1e6f), least_x = x, least_y = y;
    for (int step = 16; step > 0; step /= 2) {
        x = max(x, __shfl_down_sync(~0u, x, step)), y = max(y, __shfl_down_sync(~0u, y, step));
        least_x = min(least_x, __shfl_down_sync(~0u, least_x, step));
        least_y = min(least_y, __shfl_down_sync(~0u, least_y, step));
    }
    if (threadIdx.x % 32 == 0) {
        atomicMin(&box[0], least_x), atomicMax(&box[1], x);
        atomicMin(&box[2], least_y), atomicMax(&box[3], y);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicMin(&out[0], box[0]), atomicMax(&out[1], box[1]);
        atomicMin(&out[2], box[2]), atomicMax(&out[3], box[3]);
    }
}

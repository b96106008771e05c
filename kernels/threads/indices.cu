// What a thread is told about itself, written down by each thread: its block and its place in the block, both as one number
// (x runs fastest, then y, then z); its lane; and the place of the first lane of its warp, as that lane itself says it.
struct Seen {
    int block, thread, lane, first;
};

__device__ Seen look() {
    Seen seen;
    seen.block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    seen.thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    asm("mov.u32 %0, %%laneid;" : "=r"(seen.lane));
    seen.first = __shfl_sync(__activemask(), seen.thread, 0);
    return seen;
}

// One entry for each thread of the grid, block after block.
extern "C" __global__ void every_thread(Seen* threads) {
    Seen seen = look();
    int size = blockDim.x * blockDim.y * blockDim.z;
    threads[seen.block * size + seen.thread] = seen;
}

// One entry for each element of W x H x D data: who owns it, and in `owners` how many do.
extern "C" __global__ void every_element(Seen* elements, int* owners, int W, int H, int D) {
    Seen seen = look();
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < W && y < H && z < D) {
        int element = (z * H + y) * W + x;
        elements[element] = seen;
        atomicAdd(&owners[element], 1);
    }
}

// The same write without the comparison: threads past the edge write where nothing of theirs is.
extern "C" __global__ void without_bounds(int* elements, int W) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    elements[y * W + x] = 1;
}

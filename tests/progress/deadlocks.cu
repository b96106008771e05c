// Threads that wait in vain. The line on which they do says so.
extern "C" __global__ void same_lock_twice(int* words) {
    if (threadIdx.x) return;
    for (int k = 0; k < 2; ++k)
        while (atomicCAS(&words[0], 0, 1) != 0) {}  // same_lock_twice
    atomicExch(&words[0], 0);
}

// Two locks, taken in opposite order once both blocks have their first.
extern "C" __global__ void opposite_locks(int* words) {
    if (threadIdx.x) return;
    const int b = blockIdx.x % 2;
    while (atomicCAS(&words[b], 0, 1) != 0) {}
    atomicAdd(&words[2], 1);
    while (atomicAdd(&words[2], 0) < 2) {}
    while (atomicCAS(&words[1 - b], 0, 1) != 0) {}  // opposite_locks
    atomicExch(&words[0], 0);
    atomicExch(&words[1], 0);
}

// One lane waits for another, which waits for it at the end of the branch.
extern "C" __global__ void lane_for_lane(int* words) {
    if (threadIdx.x == 0)
        while (atomicAdd(&words[0], 0) == 0) {}  // lane_for_lane
    __syncwarp();
    if (threadIdx.x == 1) atomicExch(&words[0], 1);
}

// The consumer expects one item more than the producer has.
extern "C" __global__ void one_item_more(int* words) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        for (int k = 0; k < 5; ++k) atomicAdd(&words[0], 1);
    } else {
        while (atomicAdd(&words[0], 0) < 6) {}  // one_item_more
        words[1] = 1;
    }
}

// A barrier of the grid that counts a block too many.
extern "C" __global__ void grid_too_large(int* words) {
    if (threadIdx.x == 0) {
        atomicAdd(&words[0], 1);
        while (atomicAdd(&words[0], 0) < int(gridDim.x) + 1) {}  // grid_too_large
    }
    __syncthreads();
}

// One warp of two comes to a barrier for both.
extern "C" __global__ void half_a_barrier(int* words) {
    if (threadIdx.x < 32) asm volatile("bar.sync 3, 64;" ::: "memory");  // half_a_barrier
    words[threadIdx.x % 4] = 1;
}

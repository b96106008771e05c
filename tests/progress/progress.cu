// Threads that wait for each other in every way that the hardware guarantees to end: each thread of a warp moves on by
// itself in the end (since Volta), and so does each block here.
#include <cooperative_groups.h>

// Every lane takes the one lock: while one lane of a warp is inside, the others spin.
extern "C" __global__ void lock_by_lane(int* lock, int* sum) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

// The same with the work inside the loop, and a pause.
extern "C" __global__ void lock_with_pause(int* lock, int* sum) {
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *sum += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        } else {
            __nanosleep(50);
        }
    }
}

// Served in the order of tickets; tickets[0] is the next to give out, tickets[1] the one that is served.
extern "C" __global__ void tickets(int* tickets, int* order) {
    const int mine = atomicAdd(&tickets[0], 1);
    while (atomicAdd(&tickets[1], 0) != mine) {}
    __threadfence();
    order[mine] = blockIdx.x * blockDim.x + threadIdx.x;
    __threadfence();
    atomicAdd(&tickets[1], 1);
}

// Each block waits for the one after it, which starts later.
extern "C" __global__ void later_blocks(int* flags, int* values) {
    if (threadIdx.x != 0) return;
    const int b = blockIdx.x, last = gridDim.x - 1;
    int v = 0;
    if (b < last) {
        while (atomicAdd(&flags[b + 1], 0) == 0) {}
        __threadfence();
        v = values[b + 1] + 1;
    }
    values[b] = v;
    __threadfence();
    atomicExch(&flags[b], 1);
}

// The lanes of a warp one after the other, the last first, through a word of shared memory.
extern "C" __global__ void lanes_in_turn(int* out) {
    __shared__ int turn, place;
    const int t = threadIdx.x;
    if (t == 0) turn = blockDim.x - 1, place = 0;
    __syncthreads();
    while (atomicAdd(&turn, 0) != t) {}
    __threadfence_block();
    out[t] = place++;
    __threadfence_block();
    atomicExch(&turn, t - 1);
}

// A scan in one pass (decoupled look-back): a tile's word says 0 = nothing yet, 1 = its own sum, 2 = all up to it.
extern "C" __global__ void look_back(const int* in, int* out, unsigned long long* words, int* next) {
    __shared__ int s[128], tile, before;
    const int t = threadIdx.x;
    if (t == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    const int b = tile;
    s[t] = in[b * 128 + t];
    __syncthreads();
    for (int k = 1; k < 128; k *= 2) {
        const int y = t >= k ? s[t - k] : 0;
        __syncthreads();
        s[t] += y;
        __syncthreads();
    }
    const unsigned total = s[127];
    if (t == 0) atomicExch(&words[b], (b ? 1ull : 2ull) << 32 | total);
    if (t < 32) {
        unsigned sum = 0;
        for (int from = b - 1; from >= 0; from -= 32) {
            const int i = from - t;
            unsigned long long w;
            do w = i >= 0 ? atomicAdd(&words[i], 0ull) : 2ull << 32;
            while (__any_sync(~0u, w >> 32 == 0));
            const unsigned whole = __ballot_sync(~0u, w >> 32 == 2);
            const int first = whole ? __ffs(whole) - 1 : 32;
            unsigned v = t <= first ? static_cast<unsigned>(w) : 0;
            for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
            sum += v;
            if (whole) break;
        }
        if (t == 0) {
            before = sum;
            if (b) atomicExch(&words[b], 2ull << 32 | (sum + total));
        }
    }
    __syncthreads();
    out[b * 128 + t] = before + s[t];
}

// A barrier of the whole grid, made by hand: state[0] counts arrivals, state[1] the rounds that are over.
static __device__ void meet(int* state, int round) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(&state[0], 1) == int(gridDim.x) * (round + 1) - 1)
            atomicExch(&state[1], round + 1);
        else
            while (atomicAdd(&state[1], 0) <= round) {}
        __threadfence();
    }
    __syncthreads();
}
extern "C" __global__ void grid_barrier(int* a, int* b, int* state) {
    const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < 4; round += 2) {
        b[i] = a[(i + 1) % n] + 1;
        meet(state, round);
        a[i] = b[(i + n - 3) % n] + 1;
        meet(state, round + 1);
    }
}
extern "C" __global__ void cooperative(int* a, int* b) {
    const auto grid = cooperative_groups::this_grid();
    const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < 4; round += 2) {
        b[i] = a[(i + 1) % n] + 1;
        grid.sync();
        a[i] = b[(i + n - 3) % n] + 1;
        grid.sync();
    }
}

// Warp 0 produces, warp 1 consumes: a ring of four slots, each with a word that says whether it is full.
extern "C" __global__ void ring(const int* in, int* out, int rounds) {
    __shared__ int slot[4][32], full[4];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 4) full[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < rounds; ++k) {
        const int s = k % 4;
        const bool produce = threadIdx.x < 32;
        while (atomicAdd(&full[s], 0) == produce) {}
        __threadfence_block();
        if (produce) slot[s][lane] = in[k * 32 + lane];
        else out[k * 32 + lane] = slot[s][lane] * 2;
        __syncwarp();
        if (lane == 0) {
            __threadfence_block();
            atomicExch(&full[s], produce);
        }
    }
}

// The same through named barriers: 1 = full, 2 = empty.
extern "C" __global__ void named_barriers(const int* in, int* out, int rounds) {
    __shared__ int slot[32];
    const int lane = threadIdx.x % 32;
    for (int k = 0; k < rounds; ++k) {
        if (threadIdx.x < 32) {
            if (k) asm volatile("bar.sync 2, 64;" ::: "memory");
            slot[lane] = in[k * 32 + lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[k * 32 + lane] = slot[lane] * 2;
            if (k + 1 < rounds) asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
}

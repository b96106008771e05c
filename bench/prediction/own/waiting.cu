// Kernels whose blocks, warps or lanes wait for each other: chains of flags, look-back, barriers of the grid, locks,
// tickets, loops around a compare-and-swap, hash tables; and strong loads, which look at memory each time.
#include <cuda/atomic>

#include "own.hpp"

enum class How { is_volatile, relaxed, acquire, atomic };

template <How Look>
__device__ unsigned look(unsigned* at) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> word(*at);
    if (Look == How::is_volatile) return *static_cast<volatile unsigned*>(at);
    if (Look == How::relaxed) return word.load(cuda::memory_order_relaxed);
    if (Look == How::acquire) return word.load(cuda::memory_order_acquire);
    return atomicAdd(at, 0u);
}

__device__ unsigned hashed(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// Where a chase goes on is read by strong loads, from a table that the first level would hold.
template <How Look>
__global__ void strong_chase(unsigned* out, unsigned* next, int steps) {
    unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 37u % 2048;
    for (int i = 0; i < steps; ++i) x = look<Look>(next + x);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Each warp reads the same few lines again and again.
template <How Look>
__global__ void strong_table(unsigned* out, unsigned* table, int steps) {
    unsigned sum = 0;
    for (int i = 0; i < steps; ++i) sum += look<Look>(table + (i * 32 + threadIdx.x) % 2048);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Each block waits for the one before it.
template <How Look>
__global__ void chain(unsigned* flags, unsigned* sums) {
    if (threadIdx.x == 0) {
        unsigned before = 0;
        if (blockIdx.x > 0) {
            while (look<Look>(flags + blockIdx.x - 1) == 0) {
            }
            __threadfence();
            before = *static_cast<volatile unsigned*>(sums + blockIdx.x - 1);
        }
        sums[blockIdx.x] = before + blockIdx.x;
        __threadfence();
        atomicExch(flags + blockIdx.x, 1u);
    }
}

// The same, where the block has something to do before and after.
__global__ void chained_scan(unsigned* out, const unsigned* in, unsigned long long* words) {
    __shared__ unsigned of_warp[8], base;
    const unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
    unsigned v = in[i];
    for (unsigned o = 1; o < 32; o *= 2) {
        const unsigned below = __shfl_up_sync(~0u, v, o);
        if (t % 32 >= o) v += below;
    }
    if (t % 32 == 31) of_warp[t / 32] = v;
    __syncthreads();
    unsigned before = 0, total = 0;
    for (unsigned k = 0; k < 8; ++k) {
        if (k < t / 32) before += of_warp[k];
        total += of_warp[k];
    }
    if (t == 0) {
        unsigned long long w = 1ull << 32;
        if (blockIdx.x > 0) do
                w = *static_cast<volatile unsigned long long*>(words + blockIdx.x - 1);
            while (w >> 32 == 0);
        base = static_cast<unsigned>(w);
        *static_cast<volatile unsigned long long*>(words + blockIdx.x) = 1ull << 32 | (base + total);
    }
    __syncthreads();
    out[i] = base + before + v;
}

// A scan in one pass: a tile's word says 0 = nothing yet, 1 = its own sum, 2 = all up to it.
template <int Each>
__global__ void look_back(unsigned* out, const unsigned* in, unsigned long long* words, unsigned* next) {
    __shared__ unsigned of_warp[8], tile, base;
    const unsigned t = threadIdx.x, lane = t % 32;
    if (t == 0) tile = atomicAdd(next, 1u);
    __syncthreads();
    const unsigned b = tile, first = (b * 256 + t) * Each;
    unsigned v[Each], sum = 0;
    for (int k = 0; k < Each; ++k) sum += v[k] = in[first + k];
    unsigned up_to = sum;
    for (unsigned o = 1; o < 32; o *= 2) {
        const unsigned below = __shfl_up_sync(~0u, up_to, o);
        if (lane >= o) up_to += below;
    }
    if (lane == 31) of_warp[t / 32] = up_to;
    __syncthreads();
    unsigned before = up_to - sum, total = 0;
    for (unsigned k = 0; k < 8; ++k) {
        if (k < t / 32) before += of_warp[k];
        total += of_warp[k];
    }
    auto* seen = static_cast<volatile unsigned long long*>(words);
    if (t == 0) seen[b] = (b ? 1ull : 2ull) << 32 | total;
    if (t < 32) {
        unsigned all = 0;
        for (int from = static_cast<int>(b) - 1; from >= 0; from -= 32) {
            const int i = from - static_cast<int>(lane);
            unsigned long long w;
            do w = i >= 0 ? seen[i] : 2ull << 32;
            while (__any_sync(~0u, w >> 32 == 0));
            const unsigned whole = __ballot_sync(~0u, w >> 32 == 2);
            const unsigned last = whole ? __ffs(whole) - 1 : 31;
            unsigned part = lane <= last ? static_cast<unsigned>(w) : 0;
            for (int o = 16; o > 0; o /= 2) part += __shfl_xor_sync(~0u, part, o);
            all += part;
            if (whole) break;
        }
        if (t == 0) {
            base = all;
            if (b) seen[b] = 2ull << 32 | (all + total);
        }
    }
    __syncthreads();
    unsigned at = base + before;
    for (int k = 0; k < Each; ++k) out[first + k] = at += v[k];
}

template <How Look>
__global__ void grid_barrier(float* a, float* b, unsigned* state, int rounds) {
    const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
        float* to = round % 2 ? a : b;
        const float* from = round % 2 ? b : a;
        to[i] = __ldcg(from + (i + 129) % n) + 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            if (atomicAdd(state, 1u) == gridDim.x * (round + 1) - 1)
                atomicExch(state + 1, round + 1u);
            else
                while (look<Look>(state + 1) <= static_cast<unsigned>(round)) {
                }
            __threadfence();
        }
        __syncthreads();
    }
}

// Stores that are waited for, one after the other.
template <int Scope>
__global__ void fenced_stores(unsigned* out, int steps) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int k = 0; k < steps; ++k) {
        out[(i + k * all) % (1u << 20)] = k;
        if (Scope == 0) __threadfence_block();
        if (Scope == 1) __threadfence();
        if (Scope == 2) __threadfence_system();
    }
}

// The largest of all by a compare-and-swap, as floats without an atomic of their own have it.
__global__ void largest_by_swap(int* best, const float* from, int n, int words) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float mine = from[i];
    int* at = best + i % words;
    int old = *at;
    while (__int_as_float(old) < mine) {
        const int seen = old;
        old = atomicCAS(at, seen, __float_as_int(mine));
        if (old == seen) break;
    }
}

// Sums by a compare-and-swap: each must succeed once.
__global__ void sum_by_swap(float* sums, const float* from, int words) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto* at = reinterpret_cast<int*>(sums) + hashed(i) % words;
    int old = *at, seen;
    do {
        seen = old;
        old = atomicCAS(at, seen, __float_as_int(__int_as_float(seen) + from[i]));
    } while (old != seen);
}

// Work of unequal size from a ticket that a block, or a warp, takes.
__global__ void tickets_of_blocks(unsigned* next, unsigned* out, unsigned tasks, unsigned most) {
    __shared__ unsigned task;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) task = atomicAdd(next, 1u);
        __syncthreads();
        if (task >= tasks) return;
        unsigned x = task + threadIdx.x;
        for (unsigned k = hashed(task) % most; k > 0; --k) x = x * 1664525u + 1013904223u;
        out[task * blockDim.x + threadIdx.x] = x;
    }
}
__global__ void tickets_of_warps(unsigned* next, unsigned* out, unsigned tasks, unsigned most) {
    const unsigned lane = threadIdx.x % 32;
    for (;;) {
        unsigned task = 0;
        if (lane == 0) task = atomicAdd(next, 1u);
        task = __shfl_sync(~0u, task, 0);
        if (task >= tasks) return;
        unsigned x = task + lane;
        for (unsigned k = hashed(task) % most; k > 0; --k) x = x * 1664525u + 1013904223u;
        out[task * 32 + lane] = x;
    }
}

// Those that pass go to the end of a list.
__global__ void append(unsigned* out, unsigned* count, const unsigned* from, unsigned below) {
    const unsigned v = from[blockIdx.x * blockDim.x + threadIdx.x];
    if (v % 1024 < below) out[atomicAdd(count, 1u)] = v;
}

// One thread of each block adds to a sum under a lock.
__global__ void locked_sum(unsigned* lock, float* sum, const float* from, int rounds) {
    for (int k = 0; k < rounds; ++k) {
        if (threadIdx.x == 0) {
            while (atomicCAS(lock, 0u, 1u) != 0) {
            }
            __threadfence();
            *static_cast<volatile float*>(sum) = *static_cast<volatile float*>(sum) + from[blockIdx.x + k];
            __threadfence();
            atomicExch(lock, 0u);
        }
        __syncthreads();
    }
}

// The block that comes last adds what all have left.
__global__ void last_block_sum(float* out, volatile float* parts, const float* from, unsigned* arrived, int each) {
    __shared__ float of_warp[8];
    __shared__ bool last;
    const auto sum_of_block = [&](float sum) {
        for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(~0u, sum, o);
        __syncthreads();
        if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = 0;
        for (int k = 0; k < 8; ++k) sum += of_warp[k];
        return sum;
    };
    float sum = 0;
    for (int k = 0; k < each; ++k) sum += from[(blockIdx.x * each + k) * 256 + threadIdx.x];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    sum = 0;
    for (unsigned k = threadIdx.x; k < gridDim.x; k += 256) sum += parts[k];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) *out = sum;
}

// Keys with values, and how often each key came.
__global__ void insert_pairs(unsigned long long* table, const unsigned* keys, unsigned mask) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, key = keys[thread] | 1u;
    for (unsigned at = hashed(key) & mask;; at = (at + 1) & mask) {
        const auto old = atomicCAS(table + at, 0ull, static_cast<unsigned long long>(key) << 32 | thread);
        if (old == 0 || old >> 32 == key) return;
    }
}
__global__ void count_in_table(unsigned* table, unsigned* counts, const unsigned* keys, unsigned different,
                               unsigned mask) {
    const unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x] % different + 1;
    for (unsigned at = hashed(key) & mask;; at = (at + 1) & mask) {
        unsigned there = table[at];
        if (there == 0) there = atomicCAS(table + at, 0u, key);
        if (there == 0 || there == key) {
            atomicAdd(counts + at, 1u);
            return;
        }
    }
}

int main() {
    const int most = 1 << 22;
    float *from = floats(most), *to = floats(most);
    const unsigned* keys = filled<unsigned>(most, [](std::size_t, std::uint32_t r) { return r; });
    unsigned* next = filled<unsigned>(
        2048, [](std::size_t i, std::uint32_t) { return static_cast<unsigned>((i * 1664525u + 1013904223u) % 2048); });
    unsigned* out = filled<unsigned>(most, [](std::size_t, std::uint32_t) { return 0u; });
    unsigned* state = nullptr;
    const std::size_t room = std::size_t{32} << 20;
    CUDA_CHECK(cudaMalloc(&state, room));
    const auto zero = [&] { CUDA_CHECK(cudaMemset(state, 0, room)); };
    auto* words = reinterpret_cast<unsigned long long*>(state + 64);
    for (const int blocks : {1, 132, 1056}) {
        strong_chase<How::is_volatile><<<blocks, 128>>>(out, next, 100);
        strong_chase<How::relaxed><<<blocks, 128>>>(out, next, 100);
        strong_chase<How::acquire><<<blocks, 128>>>(out, next, 100);
        strong_chase<How::atomic><<<blocks, 128>>>(out, next, 100);
        strong_table<How::is_volatile><<<blocks, 256>>>(out, next, 64);
        strong_table<How::acquire><<<blocks, 256>>>(out, next, 64);
    }
    for (const int blocks : {33, 132, 1056}) {
        zero(), chain<How::is_volatile><<<blocks, 32>>>(state, out);
        zero(), chain<How::relaxed><<<blocks, 32>>>(state, out);
        zero(), chain<How::acquire><<<blocks, 128>>>(state, out);
        zero(), chain<How::atomic><<<blocks, 128>>>(state, out);
    }
    for (const int blocks : {256, 4096}) {
        zero(), chained_scan<<<blocks, 256>>>(out, keys, words);
        zero(), look_back<1><<<blocks, 256>>>(out, keys, words, state);
        zero(), look_back<4><<<blocks, 256>>>(out, keys, words, state);
    }
    for (const int blocks : {16, 132, 528}) {
        zero(), grid_barrier<How::is_volatile><<<blocks, 256>>>(from, to, state, 10);
        zero(), grid_barrier<How::acquire><<<blocks, 256>>>(from, to, state, 10);
        zero(), grid_barrier<How::atomic><<<blocks, 256>>>(from, to, state, 10);
    }
    for (const int blocks : {1, 132, 1056}) {
        fenced_stores<0><<<blocks, 128>>>(out, 32);
        fenced_stores<1><<<blocks, 128>>>(out, 32);
    }
    fenced_stores<2><<<132, 128>>>(out, 32);
    auto* swapped = reinterpret_cast<int*>(state);
    for (const int n : {1 << 16, 1 << 20}) {
        for (const int of : {1, 64, 4096}) zero(), largest_by_swap<<<n / 256, 256>>>(swapped, from, n, of);
    }
    for (const int of : {1, 64, 4096, 1 << 20}) {
        zero(), sum_by_swap<<<of == 1 ? 4 : 32, 256>>>(reinterpret_cast<float*>(state), from, of);
        if (of > 64) zero(), sum_by_swap<<<1024, 256>>>(reinterpret_cast<float*>(state), from, of);
    }
    for (const unsigned longest : {64u, 2048u}) {
        zero(), tickets_of_blocks<<<264, 128>>>(state, out, 8192, longest);
        zero(), tickets_of_blocks<<<1056, 256>>>(state, out, 8192, longest);
        zero(), tickets_of_warps<<<528, 128>>>(state, out, 65536, longest);
        zero(), tickets_of_warps<<<132, 32>>>(state, out, 4096, longest);
    }
    for (const unsigned below : {16u, 512u}) zero(), append<<<4096, 256>>>(out, state, keys, below);
    for (const int blocks : {8, 132}) zero(), locked_sum<<<blocks, 64>>>(state, to, from, 4);
    for (const int blocks : {64, 264, 1024})
        zero(), last_block_sum<<<blocks, 256>>>(to, from + most / 2, from, state, 4);
    for (const unsigned size : {1u << 16, 1u << 20}) {
        zero(), insert_pairs<<<size / 2 / 256, 256>>>(words, keys, size - 1);
        zero(), count_in_table<<<1024, 256>>>(state, state + size, keys, size / 2, size - 1);
        zero(), count_in_table<<<1024, 256>>>(state, state + size, keys, 100, size - 1);
    }
    finish();
    return 0;
}

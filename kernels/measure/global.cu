// Global memory: how fast all multiprocessors together read, write and copy. A tile is what a block moves at a time: each
// thread has LOADS accesses of 16 bytes under way, neighbouring threads neighbouring pieces. The buffer holds a whole
// number of tiles. Reads pass L1 by (.cg): over a buffer that fits L2, several passes measure L2.
#include "measure.cuh"

static __device__ __forceinline__ uint4 load(const uint4* p) {
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}

static __device__ __forceinline__ uint4 load_l1(const uint4* p) {
    uint4 v;
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}

static __device__ __forceinline__ void store(uint4* p, uint4 v) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

/// Exclusive or of the buffer's words, `passes` times over, a word a thread. Each pass begins at another tile, so that a
/// multiprocessor does not ask the same part of L2 again and again.
template <int LOADS>
static __device__ __forceinline__ void read(const uint4* in, u64 pieces, u32 passes, u32* out) {
    const u64 tile = static_cast<u64>(blockDim.x) * LOADS, tiles = pieces / tile;
    u32 sum = 0;
    for (u32 pass = 0; pass < passes; ++pass) {
        for (u64 t = (blockIdx.x + pass) % gridDim.x; t < tiles; t += gridDim.x) {
            uint4 v[LOADS];
#pragma unroll
            for (int i = 0; i < LOADS; ++i) v[i] = load(in + t * tile + i * blockDim.x + threadIdx.x);
#pragma unroll
            for (int i = 0; i < LOADS; ++i) sum ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
        }
    }
    out[global_thread()] = sum;
}

template <int LOADS>
static __device__ __forceinline__ void copy(const uint4* in, u64 pieces, uint4* out) {
    const u64 tile = static_cast<u64>(blockDim.x) * LOADS, tiles = pieces / tile;
    for (u64 t = blockIdx.x; t < tiles; t += gridDim.x) {
        uint4 v[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; ++i) v[i] = load(in + t * tile + i * blockDim.x + threadIdx.x);
#pragma unroll
        for (int i = 0; i < LOADS; ++i) store(out + t * tile + i * blockDim.x + threadIdx.x, v[i]);
    }
}

template <int LOADS>
static __device__ __forceinline__ void write(uint4* out, u64 pieces, u32 value) {
    const u64 tile = static_cast<u64>(blockDim.x) * LOADS, tiles = pieces / tile;
    for (u64 t = blockIdx.x; t < tiles; t += gridDim.x)
#pragma unroll
        for (int i = 0; i < LOADS; ++i)
            store(out + t * tile + i * blockDim.x + threadIdx.x, make_uint4(value, value, value, value));
}

#define KERNELS(LOADS)                                                                                          \
    extern "C" __global__ void read_##LOADS(const uint4* in, u64 pieces, u32 passes, u32* out) {                \
        read<LOADS>(in, pieces, passes, out);                                                                   \
    }                                                                                                           \
    extern "C" __global__ void write_##LOADS(uint4* out, u64 pieces, u32 value) { write<LOADS>(out, pieces, value); } \
    extern "C" __global__ void copy_##LOADS(const uint4* in, u64 pieces, uint4* out) { copy<LOADS>(in, pieces, out); }
KERNELS(1)
KERNELS(2)
KERNELS(4)
KERNELS(8)

/// L1: each block reads a window of its own, `window` pieces (a whole number of 4 x blockDim), `passes` times over.
extern "C" __global__ void read_l1(const uint4* in, u32 window, u32 passes, u32* out) {
    const uint4* mine = in + static_cast<u64>(blockIdx.x) * window + threadIdx.x;
    u32 sum = 0;
    for (u32 pass = 0; pass < passes; ++pass)
        for (u32 at = 0; at < window; at += 4 * blockDim.x) {
            uint4 v[4];
#pragma unroll
            for (u32 i = 0; i < 4; ++i) v[i] = load_l1(mine + at + i * blockDim.x);
#pragma unroll
            for (u32 i = 0; i < 4; ++i) sum ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
        }
    out[global_thread()] = sum;
}

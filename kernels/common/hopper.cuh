// Hopper's own instructions (sm_90a) as small functions: mbarriers, copies by the tensor memory accelerator (TMA),
// clusters, wgmma, stmatrix. For kernels that NVRTC, nvcc and clang compile alike, so nothing is included.
// An address of shared memory is a 32-bit number here (shared_address), as the instructions want it.
#pragma once

typedef unsigned long long u64;

/// What cuTensorMapEncodeTiled writes: where a matrix lies, its size, the box of one copy, the swizzle. As an argument:
/// `const __grid_constant__ TensorMap map`; to use it, `const TensorMap& a = TENSOR_MAP(kernel, 0, map)` with the
/// kernel's name and which argument it is.
struct __align__(64) TensorMap {
    u64 words[16];
};

// clang 19 knows no __grid_constant__: it copies an argument whose address is taken, and a copy is no tensor map. There
// the address comes from the argument's name in PTX.
#ifdef __clang__
#define TENSOR_MAP(kernel, number, name) hopper::map_at([] { u64 at; asm("{\n.reg .b64 p;\nmov.b64 p, " #kernel "_param_" #number ";\ncvta.param.u64 %0, p;\n}" : "=l"(at)); return at; }())
#else
#define TENSOR_MAP(kernel, number, name) name
#endif

namespace hopper {

#define HOPPER_INLINE static __device__ __forceinline__

HOPPER_INLINE const TensorMap& map_at(u64 address) { return *reinterpret_cast<const TensorMap*>(address); }
HOPPER_INLINE unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// mbarriers: a phase ends when `count` arrivals and all the bytes that were announced have come; wait(parity) waits for the
// end of the phase of that parity (the first is 0; waiting for 1 on a new barrier returns at once).

HOPPER_INLINE void barrier_init(unsigned barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
/// After the inits, before another block or a TMA copy may use the barriers.
HOPPER_INLINE void barrier_init_done() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
HOPPER_INLINE void barrier_expect(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
HOPPER_INLINE void barrier_arrive(unsigned barrier) {
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared::cta.b64 state, [%0];\n}" ::"r"(barrier) : "memory");
}
/// `barrier` is an address of any block of the cluster (see in_block). Releases nothing beyond the block: to hand back
/// memory that has been read it is enough, and `.release.cluster` would be a fence for the whole GPU.
HOPPER_INLINE void barrier_arrive_cluster(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}
HOPPER_INLINE void barrier_wait(unsigned barrier, unsigned parity) {
    asm volatile(
        "{\n.reg .pred over;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n@over bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(barrier),
        "r"(parity)
        : "memory");
}

// Clusters.

HOPPER_INLINE unsigned cluster_rank() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
HOPPER_INLINE void cluster_arrive() { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }
/// Without the fence that release means; after barrier_init_done nothing else is needed.
HOPPER_INLINE void cluster_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); }
HOPPER_INLINE void cluster_wait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }
/// The address in block `rank` of the cluster that corresponds to `address` in this one.
HOPPER_INLINE unsigned in_block(unsigned address, unsigned rank) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

// Where a launch allows it (programmatic stream serialization) blocks of the next kernel may start while this one ends:
// grid_wait() waits until all that the kernels before have written can be read; without that permission neither does anything.

HOPPER_INLINE void grid_wait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
HOPPER_INLINE void grid_launch_next() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

// TMA. Coordinates count elements, x along the rows of memory. Loads announce their bytes to `barrier`.

/// Fetches the map itself before the first copy needs it. Only for a real GPU: the emulated one keeps maps at hand.
HOPPER_INLINE void prefetch_map(const TensorMap& map) {
#ifndef __clang__
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
#endif
}
HOPPER_INLINE void load_tile(unsigned to, const TensorMap& map, int x, int y, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to), "l"(&map), "r"(barrier),
                 "r"(x), "r"(y)
                 : "memory");
}
/// To the same place in each block of the cluster whose bit is set in `blocks`; each one's own barrier counts the bytes.
HOPPER_INLINE void load_tile_to(unsigned to, const TensorMap& map, int x, int y, unsigned barrier, unsigned short blocks) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to), "l"(&map),
        "r"(barrier), "r"(x), "r"(y), "h"(blocks)
        : "memory");
}
/// Shared memory of this block to another's; `to` and `barrier` are addresses there (in_block). Needs fence_async before it.
HOPPER_INLINE void copy_to_block(unsigned to, unsigned from, unsigned bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "r"(from), "r"(bytes), "r"(barrier) : "memory");
}
HOPPER_INLINE void store_tile(const TensorMap& map, int x, int y, unsigned from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x), "r"(y), "r"(from) : "memory");
}
// The same with a hint of what L2 should keep.
constexpr u64 kKeepLittle = 0x12F0000000000000ull, kKeepLong = 0x14F0000000000000ull;  // evict_first, evict_last
HOPPER_INLINE void load_tile(unsigned to, const TensorMap& map, int x, int y, unsigned barrier, u64 keep) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to), "l"(&map),
                 "r"(barrier), "r"(x), "r"(y), "l"(keep)
                 : "memory");
}
HOPPER_INLINE void load_tile_to(unsigned to, const TensorMap& map, int x, int y, unsigned barrier, unsigned short blocks, u64 keep) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5, %6;" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(x), "r"(y), "h"(blocks), "l"(keep)
        : "memory");
}
HOPPER_INLINE void store_tile(const TensorMap& map, int x, int y, unsigned from, u64 keep) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint [%0, {%1, %2}], [%3], %4;" ::"l"(&map), "r"(x), "r"(y), "r"(from), "l"(keep)
                 : "memory");
}
HOPPER_INLINE void store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/// Until all but the last `n` groups of this thread's stores have read their shared memory.
template <int n>
HOPPER_INLINE void store_wait_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory");
}
/// Ordinary writes to shared memory before it are seen by TMA stores after it.
HOPPER_INLINE void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// A barrier of `threads` threads of the block (warps apart from the others), numbered 1..15.
HOPPER_INLINE void named_barrier(unsigned number, unsigned threads) { asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory"); }

/// Counts this warp at such a barrier without waiting for the others.
HOPPER_INLINE void named_arrive(unsigned number, unsigned threads) { asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory"); }

/// a / b, rounded down, for 0 <= a < 2^23 and 0 < b: a fifth of the time of an integer division.
HOPPER_INLINE int quick_divide(int a, int b) {
    int q = static_cast<int>(__fdividef(static_cast<float>(a), static_cast<float>(b)));
    const int rest = a - q * b;
    if (rest < 0) --q;
    if (rest >= b) ++q;
    return q;
}

// Registers a warpgroup may use: consumers take what the producer gives back.

template <int n>
HOPPER_INLINE void registers_up_to() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(n));
}
template <int n>
HOPPER_INLINE void registers_down_to() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(n));
}

// 16-byte rows of 8x8 matrices of 16-bit elements, as the sums of wgmma lie; lane l gives the address of row l % 8 of matrix l / 8.

HOPPER_INLINE void store_matrices(unsigned at, unsigned a, unsigned b, unsigned c, unsigned d) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}
HOPPER_INLINE void store_shared(unsigned at, float x, float y) { asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(at), "f"(x), "f"(y) : "memory"); }
HOPPER_INLINE void store_shared(unsigned at, int x, int y) { asm volatile("st.shared.v2.s32 [%0], {%1, %2};" ::"r"(at), "r"(x), "r"(y) : "memory"); }
HOPPER_INLINE void store_shared(unsigned at, int a, int b, int c, int d) {
    asm volatile("st.shared.v4.s32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}
HOPPER_INLINE void load_shared(unsigned at, int (&x)[4]) {
    asm volatile("ld.shared.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at) : "memory");
}

// Between blocks through global memory: a flag says that what was written before fence_gpu() is there.

template <class Sum>
HOPPER_INLINE int bits(Sum x) {
    return __builtin_bit_cast(int, x);
}
template <class Sum>
HOPPER_INLINE void add_bits(Sum& sum, int part) {
    sum += __builtin_bit_cast(Sum, part);
}
HOPPER_INLINE void fence_gpu() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
HOPPER_INLINE void raise_flag(unsigned* flag) { asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory"); }
HOPPER_INLINE void wait_flag(const unsigned* flag) {
    unsigned up;
    do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(up) : "l"(flag) : "memory");
    } while (up == 0);
}

// Element types by the names of the ladder files: what wgmma adds them up in, and what a product of theirs is stored as.

struct f16 {
    static constexpr int bytes = 2;
    typedef float Sum;
    typedef f16 Result;
};
struct bf16 {
    static constexpr int bytes = 2;
    typedef float Sum;
    typedef bf16 Result;
};
struct e4m3 {
    static constexpr int bytes = 1;
    typedef float Sum;
    typedef bf16 Result;
};
struct e5m2 : e4m3 {};
struct f32 {  // multiplied as TF32: 10 bits of the significand
    static constexpr int bytes = 4;
    typedef float Sum;
    typedef f32 Result;
};
struct i32 {
    static constexpr int bytes = 4;
};
struct i8 {
    static constexpr int bytes = 1;
    typedef int Sum;
    typedef i32 Result;
};

/// Two sums, rounded, in one register; x in the lower half.
HOPPER_INLINE unsigned pack(bf16, float x, float y) {
    unsigned both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
    return both;
}
HOPPER_INLINE unsigned pack(f16, float x, float y) {
    unsigned both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
    return both;
}

// wgmma: 64 x N sums of a warpgroup += A (64 x 32 bytes) times B (32 bytes x N), both in shared memory. Thread t of the
// warpgroup has rows t / 32 * 16 + t % 32 / 4 (+ 8 in sums 4j + 2, 4j + 3) and columns 8j + t % 4 * 2 (+ 1).

/// Where a matrix of rows of 128 bytes, swizzled by 128, begins, K along the rows: 8 rows further are 1024 bytes further.
HOPPER_INLINE u64 k_major(unsigned at) { return 0x4000004000010000ull | (at & 0x3ffff) >> 4; }
/// The same with K across the rows: `panel` bytes lie between columns 0..63 and 64..127.
HOPPER_INLINE u64 mn_major(unsigned at, unsigned panel) { return 0x4000004000000000ull | static_cast<u64>(panel >> 4) << 16 | (at & 0x3ffff) >> 4; }

HOPPER_INLINE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
HOPPER_INLINE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int n>
HOPPER_INLINE void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory");
}

/// multiply(sums, a, b, add): sums = A B, or += where `add`. a_across, b_across: K across the rows (16-bit types only).
template <class Type, int n, bool a_across = false, bool b_across = false>
struct Wgmma;

#define HOPPER_NAMES_0 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define HOPPER_NAMES_32 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define HOPPER_NAMES_64 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define HOPPER_NAMES_96 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define HOPPER_4(c, d, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define HOPPER_32(c, d, i) HOPPER_4(c, d, i), HOPPER_4(c, d, i + 4), HOPPER_4(c, d, i + 8), HOPPER_4(c, d, i + 12), HOPPER_4(c, d, i + 16), HOPPER_4(c, d, i + 20), HOPPER_4(c, d, i + 24), HOPPER_4(c, d, i + 28)
#define HOPPER_NAMES_N64 HOPPER_NAMES_0
#define HOPPER_OPERANDS_N64(c, d) HOPPER_32(c, d, 0)
#define HOPPER_NAMES_N128 HOPPER_NAMES_0 ", " HOPPER_NAMES_32
#define HOPPER_OPERANDS_N128(c, d) HOPPER_32(c, d, 0), HOPPER_32(c, d, 32)
#define HOPPER_NAMES_N192 HOPPER_NAMES_0 ", " HOPPER_NAMES_32 ", " HOPPER_NAMES_64
#define HOPPER_OPERANDS_N192(c, d) HOPPER_32(c, d, 0), HOPPER_32(c, d, 32), HOPPER_32(c, d, 64)
#define HOPPER_NAMES_N256 HOPPER_NAMES_0 ", " HOPPER_NAMES_32 ", " HOPPER_NAMES_64 ", " HOPPER_NAMES_96
#define HOPPER_OPERANDS_N256(c, d) HOPPER_32(c, d, 0), HOPPER_32(c, d, 32), HOPPER_32(c, d, 64), HOPPER_32(c, d, 96)
#define HOPPER_OF_FLOAT(x) "+f"(x)
#define HOPPER_OF_INT(x) "+r"(x)
#define HOPPER_INSTRUCTION(n, k, types, a, b, add, tail) \
    "{\n.reg .pred add;\nsetp.ne.b32 add, " add ", 0;\nwgmma.mma_async.sync.aligned.m64n" #n k "." types " {" HOPPER_NAMES_N##n "}, " a ", " b ", add" tail ";\n}"
// 16-bit types may be transposed; 8- and 32-bit ones may not; integers have no signs to turn either.
#define HOPPER_WGMMA_16(type, n, a, b, add, a_t, b_t)                                                                                          \
    template <bool a_across, bool b_across>                                                                                                    \
    struct Wgmma<type, n, a_across, b_across> {                                                                                                \
        static __device__ __forceinline__ void multiply(float (&d)[n / 2], u64 at_a, u64 at_b, int adds) {                                     \
            asm volatile(HOPPER_INSTRUCTION(n, "k16", "f32." #type "." #type, a, b, add, ", 1, 1, " a_t ", " b_t)                              \
                         : HOPPER_OPERANDS_N##n(HOPPER_OF_FLOAT, d)                                                                            \
                         : "l"(at_a), "l"(at_b), "r"(adds), "n"(a_across ? 1 : 0), "n"(b_across ? 1 : 0));                                     \
        }                                                                                                                                      \
    };
#define HOPPER_WGMMA(type, sum, constraint, k, types, tail, n, a, b, add)                                                                      \
    template <>                                                                                                                                \
    struct Wgmma<type, n> {                                                                                                                    \
        static __device__ __forceinline__ void multiply(sum (&d)[n / 2], u64 at_a, u64 at_b, int adds) {                                       \
            asm volatile(HOPPER_INSTRUCTION(n, k, types, a, b, add, tail) : HOPPER_OPERANDS_N##n(constraint, d) : "l"(at_a), "l"(at_b), "r"(adds)); \
        }                                                                                                                                      \
    };
#define HOPPER_WGMMAS(n, a, b, add, a_t, b_t)                                                                                                  \
    HOPPER_WGMMA_16(bf16, n, a, b, add, a_t, b_t)                                                                                              \
    HOPPER_WGMMA_16(f16, n, a, b, add, a_t, b_t)                                                                                               \
    HOPPER_WGMMA(f32, float, HOPPER_OF_FLOAT, "k8", "f32.tf32.tf32", ", 1, 1", n, a, b, add)                                                   \
    HOPPER_WGMMA(e4m3, float, HOPPER_OF_FLOAT, "k32", "f32.e4m3.e4m3", ", 1, 1", n, a, b, add)                                                 \
    HOPPER_WGMMA(e5m2, float, HOPPER_OF_FLOAT, "k32", "f32.e5m2.e5m2", ", 1, 1", n, a, b, add)                                                 \
    HOPPER_WGMMA(i8, int, HOPPER_OF_INT, "k32", "s32.s8.s8", "", n, a, b, add)
HOPPER_WGMMAS(64, "%32", "%33", "%34", "%35", "%36")
HOPPER_WGMMAS(128, "%64", "%65", "%66", "%67", "%68")
HOPPER_WGMMAS(192, "%96", "%97", "%98", "%99", "%100")
HOPPER_WGMMAS(256, "%128", "%129", "%130", "%131", "%132")

}  // namespace hopper

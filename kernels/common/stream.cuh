// 16-byte loads and stores for data that is touched once, and copies of whole stretches by the copy engine of a
// multiprocessor (cp.async.bulk, compute capability 9.0) with the mbarriers they report to.
#pragma once

namespace stream {

struct __align__(16) Chunk {
    unsigned word[4];
};

/// Past the first-level cache, where nothing would find it again. Only for data that no thread writes meanwhile.
static __device__ __forceinline__ Chunk load(const void* p) {
    Chunk v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3]) : "l"(p));
    return v;
}
/// First to be evicted from the second-level cache: it is not read again.
static __device__ __forceinline__ void store(void* p, Chunk v) {
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3]) : "memory");
}

static __device__ __forceinline__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

static __device__ __forceinline__ Chunk load_shared(unsigned at) {
    Chunk v;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3]) : "r"(at) : "memory");
    return v;
}
static __device__ __forceinline__ void store_shared(unsigned at, Chunk v) {
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3]) : "memory");
}

static __device__ __forceinline__ void barrier_init(unsigned barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}
/// After the inits, before copies report to the barriers.
static __device__ __forceinline__ void barrier_init_done() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
static __device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
    asm volatile(
        "{\n.reg .pred over;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n@over bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(barrier),
        "r"(parity)
        : "memory");
}
/// `bytes` (a multiple of 16) from global memory; the barrier's phase ends when they are there.
static __device__ __forceinline__ void bulk_load(unsigned to, const void* from, unsigned bytes, unsigned barrier) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(barrier) : "memory");
}
/// `bytes` (a multiple of 16) to global memory, as a group of its own.
static __device__ __forceinline__ void bulk_store(void* to, unsigned from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Until all but the last `n` groups of this thread's stores have read their shared memory.
template <int n> static __device__ __forceinline__ void bulk_wait_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory");
}
static __device__ __forceinline__ void bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

}  // namespace stream

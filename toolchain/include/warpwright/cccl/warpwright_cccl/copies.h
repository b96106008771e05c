// cuda::memcpy_async: copies of one thread or of a group, in pieces of 16, 8 or 4 bytes where addresses and size allow it, by
// cp.async where they go from global to shared memory. Who is told of their end: a barrier or a pipeline.
#pragma once

#include "../../../cuda_pipeline_primitives.h"
#include "barrier.h"
#include "warpwright/hide_names.h"

namespace cuda {

/// A size of which is known that it is a multiple of N, as the addresses are.
template <size_t N> struct aligned_size_t {
    static constexpr size_t align = N;
    size_t value;
    explicit WW_SIDES aligned_size_t(size_t bytes) : value(bytes) {}
    WW_SIDES operator size_t() const { return value; }
};

namespace ww {
/// A group of one thread.
struct one_thread {
    static WW_SIDES unsigned int size() { return 1; }
    static WW_SIDES unsigned int thread_rank() { return 0; }
};
template <unsigned int Piece, class Group>
__device__ WW_INLINE void copy_pieces(const Group& g, char* to, const char* from, size_t bytes) {
    for (size_t at = (size_t)g.thread_rank() * Piece; at < bytes; at += (size_t)g.size() * Piece)
        __pipeline_memcpy_async(to + at, from + at, Piece);
}
/// The group's copy, begun; `multiple`: what sizes and addresses are known to be multiples of.
template <class Group> __device__ WW_INLINE void copy(const Group& g, void* to, const void* from, size_t bytes, size_t multiple) {
    char* const t = (char*)to;
    const char* const f = (const char*)from;
    const size_t both = ((size_t)t | (size_t)f | bytes) % 16;
    if (__isShared(to) && __isGlobal(from)) {
        if (multiple % 16 == 0 || both == 0) return copy_pieces<16>(g, t, f, bytes);
        if (multiple % 8 == 0 || both % 8 == 0) return copy_pieces<8>(g, t, f, bytes);
        if (multiple % 4 == 0 || both % 4 == 0) return copy_pieces<4>(g, t, f, bytes);
    }
    for (size_t i = g.thread_rank(); i < bytes; i += g.size()) t[i] = f[i];
}
/// The barrier's phase ends only after what this thread has begun to copy.
__device__ WW_INLINE inline void follow_copies(shared_barrier& b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    __asm__ volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(b.ww_place()) : "memory");
#endif
}
template <thread_scope S, class C> __device__ WW_INLINE void follow_copies(counted_barrier<S, C>&) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
}
}  // namespace ww

enum class async_contract_fulfillment { none, async };

template <class Group, thread_scope S, class C>
__device__ WW_INLINE async_contract_fulfillment memcpy_async(const Group& g, void* to, const void* from, size_t bytes, barrier<S, C>& b) {
    ww::copy(g, to, from, bytes, 1);
    ww::follow_copies(b);
    return async_contract_fulfillment::async;
}
template <class Group, size_t N, thread_scope S, class C>
__device__ WW_INLINE async_contract_fulfillment memcpy_async(const Group& g, void* to, const void* from, aligned_size_t<N> bytes,
                                                             barrier<S, C>& b) {
    ww::copy(g, to, from, bytes.value, N);
    ww::follow_copies(b);
    return async_contract_fulfillment::async;
}
template <thread_scope S, class C>
__device__ WW_INLINE async_contract_fulfillment memcpy_async(void* to, const void* from, size_t bytes, barrier<S, C>& b) {
    return memcpy_async(ww::one_thread(), to, from, bytes, b);
}
template <size_t N, thread_scope S, class C>
__device__ WW_INLINE async_contract_fulfillment memcpy_async(void* to, const void* from, aligned_size_t<N> bytes, barrier<S, C>& b) {
    return memcpy_async(ww::one_thread(), to, from, bytes, b);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
namespace device {
/// An arrival that expects so many bytes of bulk copies in the phase.
__device__ WW_INLINE inline barrier<thread_scope_block>::arrival_token barrier_arrive_tx(barrier<thread_scope_block>& b, ptrdiff_t n,
                                                                                         ptrdiff_t bytes) {
    if (bytes != 0)
        __asm__ volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b.ww_place()), "r"((unsigned int)bytes) : "memory");
    return b.arrive(n);
}
__device__ WW_INLINE inline void barrier_expect_tx(barrier<thread_scope_block>& b, ptrdiff_t bytes) {
    __asm__ volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b.ww_place()), "r"((unsigned int)bytes) : "memory");
}
/// One bulk copy, which the barrier counts in bytes.
template <size_t N>
__device__ WW_INLINE void memcpy_async_tx(void* to, const void* from, aligned_size_t<N> bytes, barrier<thread_scope_block>& b) {
    static_assert(N % 16 == 0, "bulk copies are of multiples of 16 bytes");
    __asm__ volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         (unsigned int)__cvta_generic_to_shared(to)),
                     "l"(__cvta_generic_to_global(from)), "r"((unsigned int)bytes.value), "r"(b.ww_place())
                     : "memory");
}
}  // namespace device
#endif

}  // namespace cuda
#include "warpwright/restore_names.h"

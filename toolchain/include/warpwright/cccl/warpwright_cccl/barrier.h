// cuda::barrier, cuda::latch and the semaphores. A barrier of block scope in shared memory is the hardware's mbarrier; every
// other one counts in memory.
#pragma once

#include <new>

#include "atomic.h"
#include "warpwright/hide_names.h"

namespace cuda {
namespace ww {

struct nothing {
    WW_SIDES void operator()() const {}
};

/// Phases counted in memory, for any scope: who arrives last sets the count anew and raises the phase, for which others wait.
template <thread_scope S, class Completion> class counted_barrier {
public:
    typedef unsigned int arrival_token;
    counted_barrier() = default;
    WW_SIDES explicit counted_barrier(ptrdiff_t count, Completion completion = Completion())
        : left_((unsigned int)count), members_((unsigned int)count), phase_(0), completion_(completion) {}
    WW_SIDES arrival_token arrive(ptrdiff_t n = 1) {
        const arrival_token phase = phase_.load(relaxed);
        if (left_.fetch_sub((unsigned int)n, acq_rel) == (unsigned int)n) {
            completion_();
            left_.store(members_.load(relaxed), relaxed);
            phase_.fetch_add(1, release);
        }
        return phase;
    }
    WW_SIDES void wait(arrival_token phase) const {
        while (phase_.load(acquire) == phase) {
        }
    }
    WW_SIDES void wait_parity(bool parity) const {
        while ((phase_.load(acquire) & 1) == (unsigned int)parity) {
        }
    }
    WW_SIDES void drop() {
        members_.fetch_sub(1, relaxed);
        arrive();
    }

private:
    mutable atomic<unsigned int, S> left_, members_, phase_;
    Completion completion_;
};

/// The hardware's: 64 bits in shared memory.
class shared_barrier {
public:
    typedef unsigned long long arrival_token;
    shared_barrier() = default;
    WW_SIDES explicit shared_barrier(ptrdiff_t count, nothing = nothing()) {
#ifdef __CUDA_ARCH__
        __asm__ volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(ww_place()), "r"((unsigned int)count) : "memory");
#else
        state_ = (unsigned long long)count;
#endif
    }
    __device__ WW_INLINE arrival_token arrive(ptrdiff_t n = 1) {
        arrival_token token = 0;
#ifdef __CUDA_ARCH__
        // Several arrivals by one instruction are of sm_90.
#if __CUDA_ARCH__ >= 900
        __asm__ volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;" : "=l"(token) : "r"(ww_place()), "r"((unsigned int)n) : "memory");
#else
        for (ptrdiff_t i = 0; i < n; ++i)
            __asm__ volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(ww_place()) : "memory");
#endif
#endif
        return token;
    }
    __device__ WW_INLINE bool ww_done(arrival_token token) const {
        unsigned int done = 1;
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 900
        __asm__ volatile("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(ww_place()), "l"(token) : "memory");
#else
        __asm__ volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(ww_place()), "l"(token) : "memory");
#endif
#endif
        return done != 0;
    }
    __device__ WW_INLINE void wait(arrival_token token) const {
        while (!ww_done(token)) {
        }
    }
    __device__ WW_INLINE bool ww_passed(bool parity) const {
        unsigned int done = 1;
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 900
        __asm__ volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(ww_place()), "r"((unsigned int)parity) : "memory");
#else
        __asm__ volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(ww_place()), "r"((unsigned int)parity) : "memory");
#endif
#endif
        return done != 0;
    }
    __device__ WW_INLINE void wait_parity(bool parity) const {
        while (!ww_passed(parity)) {
        }
    }
    __device__ WW_INLINE void drop() {
#ifdef __CUDA_ARCH__
        arrival_token token;
        __asm__ volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(ww_place()) : "memory");
        (void)token;
#endif
    }
    /// Its address in shared memory.
    __device__ WW_INLINE unsigned int ww_place() const { return (unsigned int)__cvta_generic_to_shared(&state_); }
    WW_SIDES unsigned long long* ww_word() { return &state_; }

private:
    alignas(8) unsigned long long state_;
};

}  // namespace ww

template <thread_scope Scope, class Completion = ww::nothing> class barrier : public ww::counted_barrier<Scope, Completion> {
    typedef ww::counted_barrier<Scope, Completion> base;

public:
    using base::base;
    barrier() = default;
    barrier(const barrier&) = delete;
    static constexpr ptrdiff_t max() { return 0x7fffffff; }
    WW_SIDES void arrive_and_wait() { this->wait(this->arrive()); }
    WW_SIDES void arrive_and_drop() { this->drop(); }
    friend WW_SIDES void init(barrier* b, ptrdiff_t count, Completion completion = Completion()) {
        new (b) barrier(count, completion);
    }
};
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template <> class barrier<thread_scope_block, ww::nothing> : public ww::shared_barrier {
public:
    using ww::shared_barrier::shared_barrier;
    barrier() = default;
    barrier(const barrier&) = delete;
    static constexpr ptrdiff_t max() { return (1 << 20) - 1; }
    __device__ WW_INLINE void arrive_and_wait() { wait(arrive()); }
    __device__ WW_INLINE void arrive_and_drop() { drop(); }
    friend WW_SIDES void init(barrier* b, ptrdiff_t count, ww::nothing = ww::nothing()) { new (b) barrier(count); }
};
namespace device {
__device__ WW_INLINE inline unsigned long long* barrier_native_handle(barrier<thread_scope_block>& b) { return b.ww_word(); }
}  // namespace device
#endif

template <thread_scope Scope = thread_scope_system> class latch {
public:
    latch() = default;
    WW_SIDES explicit latch(ptrdiff_t count) : left_(count) {}
    latch(const latch&) = delete;
    static constexpr ptrdiff_t max() { return 0x7fffffff; }
    WW_SIDES void count_down(ptrdiff_t n = 1) { left_.fetch_sub(n, ww::release); }
    WW_SIDES bool try_wait() const { return left_.load(ww::acquire) == 0; }
    WW_SIDES void wait() const {
        while (!try_wait()) {
        }
    }
    WW_SIDES void arrive_and_wait(ptrdiff_t n = 1) {
        count_down(n);
        wait();
    }
    friend WW_SIDES void init(latch* l, ptrdiff_t count) { new (l) latch(count); }

private:
    atomic<long long, Scope> left_;
};

template <thread_scope Scope, ptrdiff_t Most = 0x7fffffff> class counting_semaphore {
public:
    counting_semaphore() = default;
    WW_SIDES explicit counting_semaphore(ptrdiff_t count) : free_((int)count) {}
    counting_semaphore(const counting_semaphore&) = delete;
    static constexpr ptrdiff_t max() { return Most; }
    WW_SIDES void release(ptrdiff_t n = 1) { free_.fetch_add((int)n, ww::release); }
    WW_SIDES bool try_acquire() {
        int now = free_.load(ww::relaxed);
        return now > 0 && free_.compare_exchange_strong(now, now - 1, ww::acquire, ww::relaxed);
    }
    WW_SIDES void acquire() {
        while (!try_acquire()) {
        }
    }
    friend WW_SIDES void init(counting_semaphore* s, ptrdiff_t count) { new (s) counting_semaphore(count); }

private:
    atomic<int, Scope> free_;
};
template <thread_scope Scope> using binary_semaphore = counting_semaphore<Scope, 1>;

namespace std {
template <class Completion = ww::nothing> using barrier = ::cuda::barrier<thread_scope_system, Completion>;
using latch = ::cuda::latch<thread_scope_system>;
template <ptrdiff_t Most = 0x7fffffff> using counting_semaphore = ::cuda::counting_semaphore<thread_scope_system, Most>;
using binary_semaphore = ::cuda::counting_semaphore<thread_scope_system, 1>;
}  // namespace std

}  // namespace cuda
#include "warpwright/restore_names.h"

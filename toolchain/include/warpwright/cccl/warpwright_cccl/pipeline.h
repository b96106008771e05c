// cuda::pipeline: stages of asynchronous copies. Of one thread it counts groups of cp.async; of a block each stage has two
// barriers, one that its producers fill and one that its consumers free.
#pragma once

#include "copies.h"
#include "warpwright/hide_names.h"

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, unsigned char Stages> struct pipeline_shared_state {
    barrier<Scope> ww_filled[Stages], ww_freed[Stages];
};

template <thread_scope Scope> class pipeline {
public:
    /// The state lies in shared memory; `producers`, `consumers`: how many threads of each there are.
    template <unsigned char Stages, class Group>
    __device__ WW_INLINE pipeline(const Group& g, pipeline_shared_state<Scope, Stages>* state, unsigned int producers,
                                  unsigned int consumers)
        : filled_(state->ww_filled), freed_(state->ww_freed), stages_(Stages) {
        if (g.thread_rank() == 0)
            for (unsigned int s = 0; s < Stages; ++s) {
                init(&filled_[s], producers);
                init(&freed_[s], consumers);
            }
        g.sync();
    }
    /// Waits until the next stage is free. The first round through the stages finds them so.
    __device__ WW_INLINE void producer_acquire() {
        if (head_round_ > 0) freed_[head_].wait_parity((head_round_ - 1) & 1);
    }
    __device__ WW_INLINE void producer_commit() {
        ww::follow_copies(filled_[head_]);
        (void)filled_[head_].arrive();
        if (++head_ == stages_) head_ = 0, ++head_round_;
    }
    __device__ WW_INLINE void consumer_wait() { filled_[tail_].wait_parity(tail_round_ & 1); }
    __device__ WW_INLINE void consumer_release() {
        (void)freed_[tail_].arrive();
        if (++tail_ == stages_) tail_ = 0, ++tail_round_;
    }
    __device__ WW_INLINE bool quit() { return true; }

private:
    barrier<Scope>*filled_, *freed_;
    unsigned int stages_, head_ = 0, tail_ = 0, head_round_ = 0, tail_round_ = 0;
};

template <> class pipeline<thread_scope_thread> {
public:
    __device__ WW_INLINE void producer_acquire() {}
    __device__ WW_INLINE void producer_commit() {
        __pipeline_commit();
        ++begun_;
    }
    __device__ WW_INLINE void consumer_wait() {
        const unsigned int later = begun_ - ended_ - 1;
        __pipeline_wait_prior(later);
        ++ended_;
    }
    template <unsigned char Later> __device__ WW_INLINE void ww_wait_prior() {
        __pipeline_wait_prior(Later);
        ended_ = begun_ - Later;
    }
    __device__ WW_INLINE void consumer_release() {}
    __device__ WW_INLINE bool quit() { return true; }

private:
    unsigned int begun_ = 0, ended_ = 0;
};

__device__ WW_INLINE inline pipeline<thread_scope_thread> make_pipeline() { return {}; }
/// All threads of the group produce and consume.
template <class Group, thread_scope Scope, unsigned char Stages>
__device__ WW_INLINE pipeline<Scope> make_pipeline(const Group& g, pipeline_shared_state<Scope, Stages>* state) {
    return pipeline<Scope>(g, state, (unsigned int)g.size(), (unsigned int)g.size());
}
/// The first `producers` threads of the group produce, the others consume.
template <class Group, thread_scope Scope, unsigned char Stages>
__device__ WW_INLINE pipeline<Scope> make_pipeline(const Group& g, pipeline_shared_state<Scope, Stages>* state, size_t producers) {
    return pipeline<Scope>(g, state, (unsigned int)producers, (unsigned int)(g.size() - producers));
}
/// Each thread says what it does. That is counted once, by all.
template <class Group, thread_scope Scope, unsigned char Stages>
__device__ WW_INLINE pipeline<Scope> make_pipeline(const Group& g, pipeline_shared_state<Scope, Stages>* state, pipeline_role role) {
    __shared__ unsigned int producers;
    if (g.thread_rank() == 0) producers = 0;
    g.sync();
    if (role == pipeline_role::producer) atomicAdd(&producers, 1u);
    g.sync();
    return pipeline<Scope>(g, state, producers, (unsigned int)(g.size() - producers));
}

template <class Group, thread_scope Scope>
__device__ WW_INLINE async_contract_fulfillment memcpy_async(const Group& g, void* to, const void* from, size_t bytes, pipeline<Scope>&) {
    ww::copy(g, to, from, bytes, 1);
    return async_contract_fulfillment::async;
}
template <class Group, size_t N, thread_scope Scope>
__device__ WW_INLINE async_contract_fulfillment memcpy_async(const Group& g, void* to, const void* from, aligned_size_t<N> bytes,
                                                             pipeline<Scope>&) {
    ww::copy(g, to, from, bytes.value, N);
    return async_contract_fulfillment::async;
}
template <thread_scope Scope>
__device__ WW_INLINE async_contract_fulfillment memcpy_async(void* to, const void* from, size_t bytes, pipeline<Scope>& p) {
    return memcpy_async(ww::one_thread(), to, from, bytes, p);
}
template <size_t N, thread_scope Scope>
__device__ WW_INLINE async_contract_fulfillment memcpy_async(void* to, const void* from, aligned_size_t<N> bytes, pipeline<Scope>& p) {
    return memcpy_async(ww::one_thread(), to, from, bytes, p);
}

/// Waits for all stages that this thread has begun but the `Later` last ones.
template <unsigned char Later> __device__ WW_INLINE void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>& p) {
    p.template ww_wait_prior<Later>();
}
/// The barrier's phase ends only after this thread's copies.
template <thread_scope Scope>
__device__ WW_INLINE void pipeline_producer_commit(pipeline<thread_scope_thread>&, barrier<Scope>& b) {
    ww::follow_copies(b);
}

}  // namespace cuda
#include "warpwright/restore_names.h"

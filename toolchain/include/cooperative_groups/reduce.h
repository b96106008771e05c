// reduce() over a tile or a coalesced group, and the functors plus, less, greater, bit_and, bit_or, bit_xor.
#pragma once
#include "warpwright/hide_names.h"

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class T> struct plus { __host__ __device__ WW_INLINE T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __host__ __device__ WW_INLINE T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __host__ __device__ WW_INLINE T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __host__ __device__ WW_INLINE T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __host__ __device__ WW_INLINE T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __host__ __device__ WW_INLINE T operator()(T a, T b) const { return a ^ b; } };

namespace details {
/// Whether redux.sync has the operation for the type; where it has, one instruction does the whole group.
template <class T, class Op> struct redux { static constexpr bool has = false; };
#if WW_ARCH >= 800
#define WW_REDUX(type, functor, name)                                                              \
    template <> struct redux<type, functor<type>> {                                                \
        static constexpr bool has = true;                                                          \
        static WW_MEMBER type run(unsigned int mask, type v) { return name(mask, v); }             \
    };
WW_REDUX(int, plus, __reduce_add_sync)
WW_REDUX(int, less, __reduce_min_sync)
WW_REDUX(int, greater, __reduce_max_sync)
WW_REDUX(unsigned int, plus, __reduce_add_sync)
WW_REDUX(unsigned int, less, __reduce_min_sync)
WW_REDUX(unsigned int, greater, __reduce_max_sync)
WW_REDUX(unsigned int, bit_and, __reduce_and_sync)
WW_REDUX(unsigned int, bit_or, __reduce_or_sync)
WW_REDUX(unsigned int, bit_xor, __reduce_xor_sync)
#undef WW_REDUX
#endif
}  // namespace details

template <unsigned int Size, class Parent, class T, class Op>
WW_DEVICE T reduce(const thread_block_tile<Size, Parent>& g, T v, Op op) {
    if constexpr (Size > 32) {
        return g.ww_across_warps(reduce(thread_block_tile<32>(), v, op), op);
    } else if constexpr (details::redux<T, Op>::has) {
        return details::redux<T, Op>::run(g.ww_mask(), v);
    } else {
        for (int lanes = Size / 2; lanes > 0; lanes /= 2) v = op(v, g.shfl_xor(v, lanes));
        return v;
    }
}
template <class T, class Op> WW_DEVICE T reduce(const coalesced_group& g, T v, Op op) {
    if constexpr (details::redux<T, Op>::has) {
        return details::redux<T, Op>::run(g.ww_mask(), v);
    } else {
        // A tree over ranks: at each step a member takes in the one `step` above it, if there is one.
        unsigned int me = g.thread_rank(), count = g.num_threads();
        for (unsigned int step = 1; step < count; step *= 2) {
            T other = g.shfl_down(v, step);
            if (me % (2 * step) == 0 && me + step < count) v = op(v, other);
        }
        return g.shfl(v, 0);
    }
}

/// Adds the group's sum, minimum, ... to what is at `p`, by one thread of the group: cuda::atomic's, or a plain pointer's.
template <class Group, class T, class V, class Op>
WW_DEVICE void reduce_store_async(const Group& g, T* p, V v, Op op) {
    const V all = reduce(g, v, op);
    if (g.thread_rank() == 0) *p = all;
}
template <class Group, class A, class V> WW_DEVICE void reduce_update_async(const Group& g, A& atomic, V v, plus<V> op) {
    const V all = reduce(g, v, op);
    if (g.thread_rank() == 0) atomic.fetch_add(all);
}

}  // namespace cooperative_groups
#include "warpwright/restore_names.h"

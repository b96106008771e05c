// inclusive_scan() and exclusive_scan() over a tile or a coalesced group.
#pragma once
#include "warpwright/hide_names.h"

#include "reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Op> WW_DEVICE T inclusive_scan(const Group& g, T v, Op op) {
    unsigned int me = g.thread_rank();
    for (unsigned int step = 1; step < g.num_threads(); step *= 2) {
        T below = g.shfl_up(v, step);
        if (me >= step) v = op(below, v);
    }
    return v;
}
template <class Group, class T> WW_DEVICE T inclusive_scan(const Group& g, T v) { return inclusive_scan(g, v, plus<T>()); }
template <class Group, class T, class Op> WW_DEVICE T exclusive_scan(const Group& g, T v, Op op) {
    T below = g.shfl_up(inclusive_scan(g, v, op), 1);
    return g.thread_rank() == 0 ? T() : below;
}
template <class Group, class T> WW_DEVICE T exclusive_scan(const Group& g, T v) { return exclusive_scan(g, v, plus<T>()); }

}  // namespace cooperative_groups
#include "warpwright/restore_names.h"

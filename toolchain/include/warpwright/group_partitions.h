// The part of cooperative groups that splits groups by what is known at run time: tiles of a size, labels; a group of any
// kind by one type (thread_group); one thread that acts for its group (invoke_one).
#pragma once

namespace cooperative_groups {

/// The tile's size known at run time: its lanes as a coalesced group. The size is a power of two, at most 32.
WW_DEVICE coalesced_group tiled_partition(const thread_block&, unsigned int size) {
    const unsigned int first = details::lane() & ~(size - 1), rank = details::block_rank() / size;
    const unsigned int left = details::block_size() - rank * size, count = left < size ? left : size;
    return coalesced_group((count >= 32 ? 0xffffffffu : (1u << count) - 1u) << first, rank,
                           (details::block_size() + size - 1) / size);
}
/// Members of ranks [k size, (k + 1) size) of a coalesced group.
WW_DEVICE coalesced_group tiled_partition(const coalesced_group& g, unsigned int size) {
    const unsigned int rank = g.thread_rank() / size;
    unsigned int mask = 0, place = 0;
    for (unsigned int rest = g.ww_mask(); rest != 0; rest &= rest - 1, ++place)
        if (place / size == rank) mask |= rest & (0u - rest);
    return coalesced_group(mask, rank, (g.num_threads() + size - 1) / size);
}

#if WW_ARCH >= 700
namespace details {
template <class T> WW_DEVICE coalesced_group by_label(unsigned int mask, T label) {
    unsigned int same;
    if constexpr (sizeof(T) <= 4)
        same = __match_any_sync(mask, (unsigned int)label);
    else
        same = __match_any_sync(mask, (unsigned long long)label);
    // Each group's lowest lane stands for it: the groups are numbered in the order of those.
    const unsigned int lowest = (unsigned int)__ffs((int)same) - 1;
    const unsigned int leaders = __ballot_sync(mask, lane() == lowest);
    return coalesced_group(same, (unsigned int)__popc(leaders & ((1u << lowest) - 1u)), (unsigned int)__popc(leaders));
}
}  // namespace details

/// The members whose labels (numbers or addresses) are equal.
template <class Label> WW_DEVICE coalesced_group labeled_partition(const coalesced_group& g, Label label) {
    return details::by_label(g.ww_mask(), label);
}
template <class Label, unsigned int Size, class Parent>
WW_DEVICE coalesced_group labeled_partition(const thread_block_tile<Size, Parent>& g, Label label) {
    return details::by_label(g.ww_mask(), label);
}
#endif

/// A group of any kind: a block, the grid, or lanes of a warp.
class thread_group {
public:
    WW_MEMBER thread_group(const thread_block&) : kind_(of_block), mask_(0) {}
    WW_MEMBER thread_group(const grid_group&) : kind_(of_grid), mask_(0) {}
    WW_MEMBER thread_group(const coalesced_group& g) : kind_(of_lanes), mask_(g.ww_mask()) {}
    template <unsigned int Size, class Parent>
    WW_MEMBER thread_group(const thread_block_tile<Size, Parent>& g) : kind_(of_lanes), mask_(g.ww_mask()) {
        static_assert(Size <= 32, "thread_group holds tiles of one warp");
    }
    WW_MEMBER void sync() const {
        if (kind_ == of_lanes)
            __syncwarp(mask_);
        else if (kind_ == of_block)
            thread_block::sync();
        else
            grid_group::sync();
    }
    WW_MEMBER unsigned long long num_threads() const {
        return kind_ == of_lanes   ? (unsigned long long)__popc(mask_)
               : kind_ == of_block ? (unsigned long long)thread_block::num_threads()
                                   : grid_group::num_threads();
    }
    WW_MEMBER unsigned long long size() const { return num_threads(); }
    WW_MEMBER unsigned long long thread_rank() const {
        return kind_ == of_lanes   ? (unsigned long long)__popc(mask_ & details::lanes_below())
               : kind_ == of_block ? (unsigned long long)thread_block::thread_rank()
                                   : grid_group::thread_rank();
    }
    WW_MEMBER bool is_valid() const { return true; }
    WW_MEMBER bool ww_is_block() const { return kind_ == of_block; }
    WW_MEMBER coalesced_group ww_lanes() const { return coalesced_group(mask_); }

private:
    enum kind { of_block, of_grid, of_lanes } kind_;
    unsigned int mask_;
};
WW_DEVICE thread_group tiled_partition(const thread_group& g, unsigned int size) {
    if (g.ww_is_block()) return tiled_partition(thread_block(), size);
    return tiled_partition(g.ww_lanes(), size);
}

/// Runs the function in one thread of the group.
template <class Group, class Function, class... Arguments>
WW_DEVICE void invoke_one(const Group& g, Function&& function, Arguments&&... arguments) {
    if (g.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
/// The same, and all members get what it gave.
template <class Group, class Function, class... Arguments>
WW_DEVICE auto invoke_one_broadcast(const Group& g, Function&& function, Arguments&&... arguments)
    -> decltype(function(static_cast<Arguments&&>(arguments)...)) {
    decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
    if (g.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
    return g.shfl(result, 0);
}

}  // namespace cooperative_groups

// Happens-before. Each block has its own time, a number that grows with every barrier, fence and release. What each
// thread knows to have happened is kept as: the time up to which every thread of a block knows all the others (its last
// full barrier), the same for the lanes of a warp (their last __syncwarp), and for all other synchronisation a graph of
// releases, whose nodes hold what the releasing threads knew. Where knowledge is joined it may become too large, never
// too small: then a race may be missed, but correct code is never reported.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "shadow/stamp.hpp"

namespace warpwright::shadow {

/// What threads of one block had done and knew when they released.
struct Node {
    std::uint32_t block = 0;
    std::uint32_t base = 0;  ///< every thread of the block, up to this time
    /// Lanes of a warp, up to a time.
    struct WarpTime {
        std::uint32_t warp;  ///< kOfAgent and the agent's number
        std::uint32_t lanes;
        std::uint32_t tick;
    };
    static constexpr std::uint32_t kOfAgent = 0x80000000u;
    std::vector<WarpTime> times;
    std::vector<const Node*> parents;  ///< the nodes they had acquired
    bool outside = false;              ///< holds something that a full barrier of its block alone does not imply
};

/// Nodes live as long as the launch.
class Nodes {
public:
    Node* make() { return &all_.emplace_back(); }
    std::size_t size() const { return all_.size(); }
    void clear() { all_.clear(); }

private:
    std::deque<Node> all_;
};

/// What a thread has acquired, by source: a later node from the same source mostly includes the earlier.
struct Acquired {
    std::uint64_t from;
    const Node* node;
    std::uint64_t order = 0;  ///< counts what the block has acquired
};
using AcquiredList = std::vector<Acquired>;

class BlockClock {
public:
    BlockClock() = default;
    void start(std::uint32_t block, unsigned warps, unsigned lanes, Nodes* nodes);

    std::uint32_t block() const { return block_; }
    std::uint32_t tick() const { return tick_; }
    const std::uint32_t* tick_place() const { return &tick_; }
    std::uint32_t base() const { return base_; }
    std::uint32_t warp_base(unsigned warp) const { return warps_[warp].base; }
    void advance();

    /// All threads of the block that have not exited have met.
    void barrier();
    /// These lanes of a warp have met; `live`: its lanes that have not exited.
    void warp_sync(unsigned warp, std::uint32_t lanes, std::uint32_t live);
    /// A fence of these lanes; `wide`: beyond the block.
    void fence(unsigned warp, std::uint32_t lanes, bool wide);
    /// Releases what these lanes have done and know. The time advances: what they do next is not part of it.
    const Node* release(unsigned warp, std::uint32_t lanes, const Node* before = nullptr);
    /// The same for a store that is no release itself: as of the lane's last fence (of that width); null: there was
    /// none.
    const Node* release_fenced(unsigned warp, unsigned lane, bool wide, const Node* before = nullptr);
    /// The node of several releases that complete together.
    const Node* join(std::vector<const Node*> parts);
    /// An agent's work up to a time.
    const Node* agent(std::uint32_t number, std::uint32_t upto);
    void acquire(unsigned warp, std::uint32_t lanes, std::uint64_t from, const Node* node);
    /// Whether one of these lanes has acquired anything since the last barrier.
    bool has_acquired(unsigned warp, std::uint32_t lanes) const;
    /// Like acquire(), once the lane next passes a fence or barrier.
    void see(unsigned warp, unsigned lane, std::uint64_t from, const Node* node);

    /// Whether an access of this launch happened before the present access of lane `lane` of `warp`. `mbarrier`: the
    /// stamp is of an mbarrier's agent. Lane -1: before that of any of its lanes.
    bool knows(Stamp s, bool mbarrier, unsigned warp, int lane) const;

private:
    struct Lane {
        AcquiredList acquired, seen;
        std::uint32_t fenced[2] = {0, 0};       ///< times of the last fence: of any width, of a wide one
        std::uint32_t fenced_base[2] = {0, 0};  ///< base then
    };
    struct Warp {
        std::uint32_t base = 0;
        AcquiredList acquired;
        std::unique_ptr<std::vector<Lane>> lanes;  ///< only if the lanes differ
    };
    std::vector<Lane>& lanes_of(unsigned warp);
    void gather(unsigned warp, std::uint32_t lanes, std::vector<const Node*>& out) const;

    std::uint32_t block_ = 0, tick_ = 1, base_ = 0;
    unsigned lane_count_ = 32;
    std::uint32_t all_fenced_ = 0;  ///< every thread has passed a wide fence after its work up to this time
    bool any_fence_ = false;
    std::vector<Warp> warps_;
    AcquiredList acquired_;
    std::uint64_t acquisitions_ = 0;
    Nodes* nodes_ = nullptr;
    struct Memo {
        std::uint64_t key = 0;  ///< the pair of threads
        std::uint32_t lanes = 0, tick = 0;
    };
    mutable std::vector<Memo> memo_;  ///< results of searches: what is ordered once stays so; empty: none so far
};

/// Adds to a list, replacing an earlier entry from the same source that is part of it; later entries stay.
void put(AcquiredList& list, const Acquired& a);

}  // namespace warpwright::shadow

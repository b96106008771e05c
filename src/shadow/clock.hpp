// Happens-before. Each block has a time of its own, a number that grows with every barrier, fence and hand-over. Who
// knows what is kept as: the time up to which every thread of a block knows all the others (its last full barrier), the
// same for the lanes of a warp (their last __syncwarp), and for what is handed over in other ways a graph of releases,
// whose nodes say what the releasing threads knew. Where knowledge is joined it may come out too large, never too
// small: then a race may be missed, but what is right is never called a race.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "shadow/stamp.hpp"

namespace warpwright::shadow {

/// What threads of one block had done and knew when they released it.
struct Node {
    std::uint32_t block = 0;
    std::uint32_t base = 0;  ///< every thread of the block, up to this time
    struct Entry {
        std::uint32_t warp;  ///< kAgentEntry and the agent's number
        std::uint32_t lanes;
        std::uint32_t tick;
    };
    static constexpr std::uint32_t kAgentEntry = 0x80000000u;
    std::vector<Entry> entries;
    std::vector<const Node*> parents;  ///< what they had acquired
    bool outside = false;              ///< says something that a full barrier of its block does not say by itself
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

/// What a thread has acquired, by where it came from: a later one from the same place mostly includes the earlier.
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
    std::uint32_t base() const { return base_; }
    std::uint32_t warp_base(unsigned warp) const { return warps_[warp].base; }
    void advance();

    /// All threads of the block that live have met.
    void barrier();
    /// These lanes of a warp have met; `live`: all of it that have not exited.
    void warp_sync(unsigned warp, std::uint32_t lanes, std::uint32_t live);
    /// A fence of these lanes; `wide`: beyond the block.
    void fence(unsigned warp, std::uint32_t lanes, bool wide);
    /// What these lanes have done and know. The time goes on: what they do next is not part of it.
    const Node* release(unsigned warp, std::uint32_t lanes, const Node* before = nullptr);
    /// The same for a store without release of its own: as of the lane's last fence (of that width); null: there was
    /// none.
    const Node* release_fenced(unsigned warp, unsigned lane, bool wide, const Node* before = nullptr);
    /// What ended together, where it is more than one release.
    const Node* join(std::vector<const Node*> parts);
    /// An agent's work up to now.
    const Node* agent(std::uint32_t number);
    void acquire(unsigned warp, std::uint32_t lanes, std::uint64_t from, const Node* node);
    /// As acquire(), once the lane next passes a fence or barrier.
    void see(unsigned warp, unsigned lane, std::uint64_t from, const Node* node);

    /// Whether an access of this launch happened before what lane `lane` of `warp` does now. `mbarrier`: the stamp is
    /// of an mbarrier's agent. Lane -1: before what any lane of it does.
    bool knows(Stamp s, bool mbarrier, unsigned warp, int lane) const;

private:
    struct Lane {
        AcquiredList acquired, seen;
        std::uint32_t fenced[2] = {0, 0};       ///< time of the last fence: of any width, of a wide one
        std::uint32_t fenced_base[2] = {0, 0};  ///< base then
    };
    struct Warp {
        std::uint32_t base = 0;
        AcquiredList acquired;
        std::unique_ptr<std::vector<Lane>> lanes;  ///< only where lanes differ
    };
    std::vector<Lane>& lanes_of(unsigned warp);
    void gather(unsigned warp, std::uint32_t lanes, std::vector<const Node*>& out) const;

    std::uint32_t block_ = 0, tick_ = 1, base_ = 0;
    unsigned lane_count_ = 32;
    std::uint32_t all_fenced_ = 0;  ///< every thread has passed a wide fence after what it did up to then
    bool any_fence_ = false;
    std::vector<Warp> warps_;
    AcquiredList acquired_;
    std::uint64_t acquisitions_ = 0;
    Nodes* nodes_ = nullptr;
    struct Memo {
        std::uint64_t key = 0;  ///< who knows of whom
        std::uint32_t lanes = 0, tick = 0;
    };
    mutable std::vector<Memo> memo_;  ///< what searches found: what is known once stays known
};

/// Adds to a list, in place of what came from the same place before and is part of it; what came later stays.
void put(AcquiredList& list, const Acquired& a);

}  // namespace warpwright::shadow

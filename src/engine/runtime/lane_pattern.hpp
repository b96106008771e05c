// What a memory instruction's last requests looked like: where their lanes lay relative to each other. Most
// instructions whose addresses no compiler knows ask in one way for a while (an index computed with bits, a table's
// every k-th entry), and in the same few ways again and again, so that a request is moved by the orders of vectors that
// were made for one like it, and costs the same again. Used by memory_access.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "counters/access.hpp"
#include "engine/runtime/lane_gather.hpp"
#include "engine/shared/lane_order.hpp"

namespace warpwright::engine {

/// One way in which the lanes lay. Of 32 lanes, on a CPU with AVX-512 or AVX2; others never repeat.
class LanePattern {
public:
    /// Moves as move_in_range() does, where the lanes of mask, not 0, lie as they did last time, and at least for the
    /// second time; else false, with nothing done.
    bool moves_again(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes,
                     unsigned count, void* data, bool store);
    /// Whether the last request was not like the one before.
    bool differed() const { return differed_; }
    /// Notes a request that did not repeat, for the next.
    void note(const std::uint64_t* addresses, std::uint32_t mask);
    /// note() comes next, of a request with which moves_again() was not asked.
    void start(const std::uint64_t* addresses, std::uint32_t mask);
    /// Whether the lanes lie as in a request that was moved by orders.
    bool is_known(const std::uint64_t* addresses, std::uint32_t mask) const;
    /// Whether it has orders by which requests are moved.
    bool moved() const { return repeated_ >= 2 && near_; }
    /// Sectors of 32 bytes; elements of at least 4 bytes. After moves_again() was true.
    unsigned sectors(const std::uint64_t* addresses, std::uint32_t mask, unsigned total);
    /// Of shared memory; a site has one operation and width.
    counters::SharedCost shared_cost(counters::SharedOp op, const std::uint64_t* addresses, std::uint32_t mask,
                                     unsigned total);
    /// The order for code that moves requests like this one itself, in memory of this range; null where it cannot: not
    /// all lanes are active or near. After moves_again() was true, and what the request costs is known.
    const LaneOrder* for_code(const LaneRange& range, unsigned total);

private:
    void plan(std::uint32_t mask, unsigned total);
    bool within(const LaneRange& range, unsigned total) const;
    bool moves_again_avx512(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes,
                            unsigned count, void* data, bool store);
    bool same_distances_avx512(const std::uint64_t* addresses, std::uint64_t base, std::uint32_t mask) const;
    // lane_pattern_avx2.cpp
    bool moves_again_avx2(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes,
                          unsigned count, void* data, bool store);
    bool same_distances_avx2(const std::uint64_t* addresses, std::uint64_t base, std::uint32_t mask) const;
    /// Once the lanes lie as before: whether the pattern moves them here. It is planned when they do so first.
    bool is_planned(const LaneRange& range, std::uint32_t mask, unsigned total) {
        if (++repeated_ == 2) plan(mask, total);
        return repeated_ >= 2 && near_ && within(range, total);
    }
    void plan_avx2(std::uint32_t mask, unsigned total);

    LaneOrder order_;
    std::uint64_t base_ = 0;   ///< address of the first active lane, now
    std::int64_t lowest_ = 0;  ///< of the active lanes' distances
    std::uint64_t span_ = 0;   ///< from there to the end of the highest one's bytes
    std::uint32_t mask_ = 0;   ///< 0: none yet
    unsigned repeated_ = 0;
    bool differed_ = true, aligned_ = false, near_ = false, cost_known_ = false;
    counters::SharedCost cost_;
};

/// The ways of a site that the runtime moves.
class LanePatterns {
public:
    /// Whether to compare the next request: seldom where those before, one after the other, were not worth it.
    bool looks() { return in_vain_++ < kPatience || in_vain_ % kSeldom == 0; }
    /// So many requests from the next one on are not to be compared; they are taken as having been asked for.
    unsigned skip() {
        if (in_vain_ < kPatience) return 0;
        const unsigned n = kSeldom - 1 - in_vain_ % kSeldom;
        in_vain_ += n;
        return n;
    }
    /// LanePattern::moves_again() of the last request's way, or of one before it. After looks().
    bool moves_again(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes,
                     unsigned count, void* data, bool store);
    /// Notes a request that did not repeat, for the next.
    void note(const std::uint64_t* addresses, std::uint32_t mask);
    /// That of the last request; of its costs, after moves_again() was true.
    LanePattern& last() { return *ways_[now_]; }

private:
    static constexpr std::size_t kMost = 8;
    static constexpr unsigned kPatience = 8, kSeldom = 64;
    std::vector<std::unique_ptr<LanePattern>> ways_;
    std::size_t now_ = 0;
    unsigned in_vain_ = 0;
};

}  // namespace warpwright::engine

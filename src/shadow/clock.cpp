// The graph of releases is searched backwards from what a thread has acquired, the nearest first, and recent answers
// are remembered. A search that takes too long finds the access ordered, because a race may be missed but never made
// up.
#include "shadow/clock.hpp"

#include <algorithm>

namespace warpwright::shadow {

namespace {

/// A search that takes longer than this gives up, and treats the access as ordered.
constexpr std::size_t kMostSearched = 4000;
constexpr std::size_t kMemos = 512;

struct Said {
    std::uint32_t lanes = 0, tick = 0;
};

bool says(const Node& n, Stamp s, Said& said) {
    if (n.block != block_of(s)) return false;
    const auto tick = tick_of(s), thread = thread_of(s);
    if (s & kAgent) {
        for (const auto& e : n.times)
            if (e.warp == (Node::kOfAgent | thread) && tick <= e.tick) {
                said = {~0u, e.tick};
                return true;
            }
        return false;
    }
    if (tick <= n.base) {
        said = {~0u, n.base};
        return true;
    }
    for (const auto& e : n.times)
        if (e.warp == thread / 32 && (e.lanes >> thread % 32 & 1) && tick <= e.tick) {
            said = {e.lanes, e.tick};
            return true;
        }
    return false;
}

/// Whether any of the nodes, or their ancestors, orders it: the nearest first.
bool search(std::vector<const Node*>& todo, Stamp s, Said& said) {
    for (std::size_t k = 0; k < todo.size(); ++k) {
        const auto* n = todo[k];
        if (says(*n, s, said)) return true;
        if (todo.size() > kMostSearched) {
            said = {1u << thread_of(s) % 32, tick_of(s)};
            return true;
        }
        for (const auto* p : n->parents) {
            // Duplicates are rare; a complete test would cost more than it saves if the list is long.
            const auto from = todo.size() > 64 ? todo.end() - 64 : todo.begin();
            if (std::find(from, todo.end(), p) == todo.end()) todo.push_back(p);
        }
    }
    return false;
}

/// Whether `n` implies all of `old`, as far as a short test shows: a later release by the same threads, or one that
/// acquired it.
bool covers(const Node& n, const Node& old) {
    constexpr std::size_t kLooked = 64;
    std::vector<const Node*> todo{&n};
    for (std::size_t k = 0; k < todo.size() && k < kLooked; ++k) {
        const auto& x = *todo[k];
        if (&x == &old) return true;
        if (x.block == old.block && !x.times.empty() && x.base >= old.base &&
            std::all_of(old.times.begin(), old.times.end(),
                        [&](const Node::WarpTime& e) {
                            return (!(e.warp & Node::kOfAgent) && e.tick <= x.base) ||
                                   std::any_of(x.times.begin(), x.times.end(), [&](const Node::WarpTime& y) {
                                       return y.warp == e.warp && (e.lanes & ~y.lanes) == 0 && e.tick <= y.tick;
                                   });
                        }) &&
            !old.times.empty())
            return true;
        todo.insert(todo.end(), x.parents.begin(), x.parents.end());
    }
    return false;
}

}  // namespace

void put(AcquiredList& list, const Acquired& a) {
    constexpr std::size_t kFromOnePlace = 32;
    std::size_t others = 0;
    for (auto& x : list) {
        if (x.from != a.from) continue;
        if (x.node == a.node || (a.order >= x.order ? covers(*a.node, *x.node) : covers(*x.node, *a.node)) ||
            ++others == kFromOnePlace) {
            if (a.order >= x.order) x = a;
            return;
        }
    }
    list.push_back(a);
}

void BlockClock::start(std::uint32_t block, unsigned warps, unsigned lanes, Nodes* nodes) {
    block_ = block;
    lane_count_ = lanes;
    nodes_ = nodes;
    tick_ = 1;
    base_ = all_fenced_ = 0;
    any_fence_ = false;
    warps_.resize(warps);
    for (auto& w : warps_) {
        w.base = 0;
        w.acquired.clear();
        w.lanes.reset();
    }
    acquired_.clear();
    memo_.clear();
}

void BlockClock::advance() {
    // At the last tick everything counts as ordered: nothing more is found in this block, and nothing wrongly.
    if (tick_ < kLastTick)
        ++tick_;
    else
        base_ = kLastTick;
}

std::vector<BlockClock::Lane>& BlockClock::lanes_of(unsigned warp) {
    auto& lanes = warps_[warp].lanes;
    if (!lanes) lanes = std::make_unique<std::vector<Lane>>(lane_count_);
    return *lanes;
}

void BlockClock::barrier() {
    if (any_fence_) {
        // If every thread has fenced its work, the thread that releases it to other blocks after the barrier need not.
        std::uint32_t least = kLastTick;
        for (const auto& w : warps_) {
            if (!w.lanes) {
                least = 0;
                break;
            }
            for (const auto& l : *w.lanes) least = std::min(least, l.fenced[1]);
        }
        all_fenced_ = std::max(all_fenced_, least);
    }
    base_ = tick_;
    advance();
    for (auto& w : warps_) {
        for (const auto& a : w.acquired)
            if (a.node->outside || a.node->block != block_) put(acquired_, a);
        w.acquired.clear();
        if (!w.lanes) continue;
        for (auto& l : *w.lanes) {
            for (const auto* list : {&l.acquired, &l.seen})
                for (const auto& a : *list)
                    if (a.node->outside || a.node->block != block_) put(acquired_, a);
            l.acquired.clear();
            l.seen.clear();
        }
    }
}

void BlockClock::warp_sync(unsigned warp, std::uint32_t lanes, std::uint32_t live) {
    auto& w = warps_[warp];
    if ((live & ~lanes) == 0) {
        w.base = tick_;
        advance();
        if (!w.lanes) return;
        for (auto& l : *w.lanes) {
            for (const auto* list : {&l.acquired, &l.seen})
                for (const auto& a : *list) put(w.acquired, a);
            l.acquired.clear();
            l.seen.clear();
        }
        return;
    }
    auto& all = lanes_of(warp);
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
        auto& l = all[static_cast<unsigned>(__builtin_ctz(rest))];
        for (const auto& a : l.seen) put(l.acquired, a);
        l.seen.clear();
    }
    const auto* node = release(warp, lanes);
    acquire(warp, lanes, std::uint64_t{1} << 63 | std::uint64_t{warp} << 32 | lanes, node);
}

void BlockClock::fence(unsigned warp, std::uint32_t lanes, bool wide) {
    any_fence_ |= wide;
    auto& all = lanes_of(warp);
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
        auto& l = all[static_cast<unsigned>(__builtin_ctz(rest))];
        for (const auto& a : l.seen) put(l.acquired, a);
        l.seen.clear();
        for (int k = 0; k <= (wide ? 1 : 0); ++k) {
            l.fenced[k] = tick_;
            l.fenced_base[k] = base_;
        }
    }
    advance();
}

void BlockClock::gather(unsigned warp, std::uint32_t lanes, std::vector<const Node*>& out) const {
    const auto add = [&](const AcquiredList& list) {
        for (const auto& a : list)
            if (std::find(out.begin(), out.end(), a.node) == out.end()) out.push_back(a.node);
    };
    add(acquired_);
    add(warps_[warp].acquired);
    if (warps_[warp].lanes)
        for (std::uint32_t rest = lanes; rest; rest &= rest - 1)
            add((*warps_[warp].lanes)[static_cast<unsigned>(__builtin_ctz(rest))].acquired);
}

const Node* BlockClock::release(unsigned warp, std::uint32_t lanes, const Node* before) {
    auto* n = nodes_->make();
    n->block = block_;
    n->base = base_;
    n->times.push_back({warp, lanes, tick_});
    if (warps_[warp].base > base_) n->times.push_back({warp, ~0u, warps_[warp].base});
    if (before) n->parents.push_back(before);
    gather(warp, lanes, n->parents);
    for (const auto* p : n->parents) n->outside |= p->outside || p->block != block_;
    advance();
    return n;
}

const Node* BlockClock::release_fenced(unsigned warp, unsigned lane, bool wide, const Node* before) {
    if (!warps_[warp].lanes) return nullptr;
    const auto& l = (*warps_[warp].lanes)[lane];
    const int k = wide ? 1 : 0;
    if (!l.fenced[k]) return nullptr;
    auto* n = nodes_->make();
    n->block = block_;
    n->base = std::max(l.fenced_base[k], std::min(base_, all_fenced_));
    n->times.push_back({warp, 1u << lane, l.fenced[k]});
    if (const auto known = std::min(warps_[warp].base, l.fenced[k]); known > n->base)
        n->times.push_back({warp, ~0u, known});
    if (before) n->parents.push_back(before);
    gather(warp, 1u << lane, n->parents);
    // What the lane has seen is handed on with no fence between, as by the last to arrive at a barrier of the grid,
    // which lets the others go: whoever sees this store sees what was fenced before that.
    for (const auto& a : l.seen)
        if (std::find(n->parents.begin(), n->parents.end(), a.node) == n->parents.end()) n->parents.push_back(a.node);
    for (const auto* p : n->parents) n->outside |= p->outside || p->block != block_;
    return n;
}

const Node* BlockClock::join(std::vector<const Node*> parts) {
    if (parts.size() == 1) return parts[0];
    auto* n = nodes_->make();
    n->block = block_;
    for (const auto* p : parts) n->outside |= p->outside || p->block != block_;
    n->parents = std::move(parts);
    return n;
}

const Node* BlockClock::agent(std::uint32_t number, std::uint32_t upto) {
    auto* n = nodes_->make();
    n->block = block_;
    n->outside = true;
    n->times.push_back({Node::kOfAgent | number, ~0u, upto});
    return n;
}

void BlockClock::acquire(unsigned warp, std::uint32_t lanes, std::uint64_t from, const Node* node) {
    if (lane_count_ <= 32 && lanes == (lane_count_ == 32 ? ~0u : (1u << lane_count_) - 1)) {
        put(warps_[warp].acquired, {from, node, ++acquisitions_});
        return;
    }
    auto& all = lanes_of(warp);
    ++acquisitions_;
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1)
        put(all[static_cast<unsigned>(__builtin_ctz(rest))].acquired, {from, node, acquisitions_});
}

bool BlockClock::has_acquired(unsigned warp, std::uint32_t lanes) const {
    std::vector<const Node*> nodes;
    gather(warp, lanes, nodes);
    return !nodes.empty();
}

void BlockClock::see(unsigned warp, unsigned lane, std::uint64_t from, const Node* node) {
    put(lanes_of(warp)[lane].seen, {from, node, ++acquisitions_});
}

bool BlockClock::knows(Stamp s, bool mbarrier, unsigned warp, int lane) const {
    const auto b = block_of(s), tick = tick_of(s), thread = thread_of(s);
    const auto& w = warps_[warp];
    if (!(s & kAgent)) {
        if (b == block_) {
            if (tick <= base_ || (lane >= 0 && thread == warp * 32 + static_cast<unsigned>(lane))) return true;
            if (thread / 32 == warp && tick <= w.base) return true;
        }
    } else if (!mbarrier) {
        return false;
    }
    // Identifies whose access it is: another warp's of this block, or an agent's.
    const auto whom = s & kAgent ? 1024 + thread : thread / 32;
    const auto who = lane < 0 ? 1024 + warp : warp * 32 + static_cast<unsigned>(lane);
    const auto key = 1 + (std::uint64_t{b} << 22 | std::uint64_t{who} << 11 | whom);
    const auto place = (key * 0x9e3779b97f4a7c15ull >> 40) % kMemos;
    if (!memo_.empty()) {
        const auto& memo = memo_[place];
        if (memo.key == key && tick <= memo.tick && (memo.lanes >> thread % 32 & 1)) return true;
    }
    std::vector<const Node*> todo;
    gather(warp, lane < 0 ? 0 : 1u << lane, todo);
    Said said;
    if (!search(todo, s, said)) return false;
    // Most blocks never search, and clearing these for each of them would take longer than all else of its start.
    if (memo_.empty()) memo_.resize(kMemos);
    memo_[place] = {key, said.lanes, said.tick};
    return true;
}

}  // namespace warpwright::shadow

// Where a warp that starts with all its lanes can be without some of them.
#include <algorithm>

#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

/// The side of a branch that leaves the kernel counts as a detour (an assertion that failed, an error return) up to
/// this many instructions.
constexpr std::size_t kMostOnTheWayOut = 64;
/// Ways that meet only this many instructions before the end hardly meet at all.
constexpr std::size_t kMostAtTheEnd = 8;

/// Immediate post-dominators by block; the number of blocks stands for the exit. Cooper, Harvey, Kennedy on the graph
/// turned around. Blocks from which no exit is reached count as leading straight to it.
std::vector<BlockId> post_dominators(const Function& f) {
    const auto exit = static_cast<BlockId>(f.blocks.size());
    std::vector<std::uint32_t> number(exit + 1, kNone);  // in post-order of the reversed graph
    std::vector<BlockId> order;
    std::vector<std::pair<BlockId, std::size_t>> stack;
    std::vector<bool> seen(exit + 1, false);
    std::vector<std::vector<BlockId>> next(exit + 1);  // in the reversed graph
    for (BlockId b = 0; b < exit; ++b) {
        if (f.blocks[b].end.targets.empty()) next[exit].push_back(b);
        for (auto t : f.blocks[b].end.targets) next[t].push_back(b);
    }
    auto walk = [&](BlockId from) {
        stack.push_back({from, 0});
        seen[from] = true;
        while (!stack.empty()) {
            auto& [b, k] = stack.back();
            if (k < next[b].size()) {
                const auto p = next[b][k++];
                if (seen[p]) continue;
                seen[p] = true;
                stack.push_back({p, 0});
                continue;
            }
            number[b] = static_cast<std::uint32_t>(order.size());
            order.push_back(b);
            stack.pop_back();
        }
    };
    walk(exit);
    std::vector<BlockId> dom(exit + 1, kNone);
    for (BlockId b = 0; b < exit; ++b)
        if (!seen[b]) dom[b] = exit;
    dom[exit] = exit;
    bool changed = true;
    while (changed) {
        changed = false;
        for (auto at = order.rbegin(); at != order.rend(); ++at) {
            const auto b = *at;
            if (b == exit) continue;
            BlockId best = f.blocks[b].end.targets.empty() ? exit : kNone;
            for (auto t : f.blocks[b].end.targets) {
                if (dom[t] == kNone || number[t] == kNone) continue;
                if (best == kNone) {
                    best = t;
                    continue;
                }
                BlockId x = t, y = best;
                while (x != y) {
                    while (number[x] < number[y]) x = dom[x];
                    while (number[y] < number[x]) y = dom[y];
                }
                best = x;
            }
            if (best != kNone && best != dom[b]) {
                dom[b] = best;
                changed = true;
            }
        }
    }
    return dom;
}

/// Blocks on ways from `from` that do not go through `end`.
std::vector<bool> reach(const Function& f, BlockId from, BlockId end) {
    std::vector<bool> in(f.blocks.size(), false);
    if (from == end) return in;
    std::vector<BlockId> todo{from};
    in[from] = true;
    while (!todo.empty()) {
        const auto b = todo.back();
        todo.pop_back();
        for (auto t : f.blocks[b].end.targets) {
            if (t == end || in[t]) continue;
            in[t] = true;
            todo.push_back(t);
        }
    }
    return in;
}

std::size_t size(const Function& f, const std::vector<bool>& blocks) {
    std::size_t n = 0;
    for (BlockId b = 0; b < f.blocks.size(); ++b) n += blocks[b] ? f.blocks[b].insts.size() : 0;
    return n;
}

}  // namespace

std::vector<bool> partial_regions(const Function& f, const std::vector<bool>& divergent) {
    const auto exit = static_cast<BlockId>(f.blocks.size());
    const auto meets = post_dominators(f);
    std::vector<bool> partial(exit, false);
    for (BlockId d = 0; d < exit; ++d) {
        if (!divergent[d]) continue;
        const bool never = meets[d] == exit || size(f, reach(f, meets[d], exit)) <= kMostAtTheEnd;
        for (auto t : f.blocks[d].end.targets) {
            const auto side = reach(f, t, meets[d]);
            // Ways that never meet again are those of lanes that leave early, at the edge of a grid above all: few
            // warps come apart there. Not so in a loop that lanes leave one by one.
            if (never && !side[d] && size(f, side) > kMostOnTheWayOut) continue;
            for (BlockId b = 0; b < exit; ++b)
                if (side[b]) partial[b] = true;
        }
    }
    return partial;
}

}  // namespace warpwright::simt

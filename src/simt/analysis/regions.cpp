// The blocks in which a warp that starts with all its lanes can be without some of them.
#include <algorithm>

#include "simt/analysis/dominators.hpp"
#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

/// The side of a branch that leaves the kernel counts as a detour (a failed assertion, an error return) up to this many
/// instructions.
constexpr std::size_t kMostOnTheWayOut = 64;
/// Paths that meet only this many instructions before the end count as not meeting.
constexpr std::size_t kMostAtTheEnd = 8;

/// Blocks on paths from `from` that do not go through `end`.
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
            // Paths that never meet again are mostly those of lanes that leave early at the edge of a grid: few warps
            // diverge there. A loop that lanes leave one by one is different.
            if (never && !side[d] && size(f, side) > kMostOnTheWayOut) continue;
            for (BlockId b = 0; b < exit; ++b)
                if (side[b]) partial[b] = true;
        }
    }
    return partial;
}

}  // namespace warpwright::simt

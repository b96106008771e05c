// Thread frontiers (Diamos et al. 2011): which blocks may have waiting lanes while another runs.
#include <algorithm>

#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

using Blocks = std::vector<BlockId>;  // sorted

/// Adds the blocks of `from` after `first` to `into`; true when at least one was new.
bool add_after(Blocks& into, const Blocks& from, BlockId first) {
    const auto begin = std::upper_bound(from.begin(), from.end(), first);
    if (std::includes(into.begin(), into.end(), begin, from.end())) return false;
    Blocks all;
    all.reserve(into.size() + static_cast<std::size_t>(from.end() - begin));
    std::set_union(into.begin(), into.end(), begin, from.end(), std::back_inserter(all));
    into = std::move(all);
    return true;
}

}  // namespace

/// The least sets with this property: whenever lanes wait at the blocks P when a block has ended, each b of P has those
/// of P that come after b in its own set, because b runs when everything before it is empty. It is enough to require
/// this of the first block of P after the one that ended, and of those before it (the headers of loops that lanes go
/// back to): the lanes at the first continue, block by block and upwards, until the second is the first, and so on.
std::vector<std::vector<BlockId>> frontiers(const Function& f, const std::vector<bool>& divergent) {
    std::vector<Blocks> frontier(f.blocks.size());
    bool changed = true;
    auto propagate = [&](BlockId ended, const Blocks& pending) {
        for (auto b : pending) {
            changed |= add_after(frontier[b], pending, b);
            if (b > ended) break;
        }
    };
    Blocks pending;
    while (changed) {
        changed = false;
        for (BlockId a = 0; a < f.blocks.size(); ++a) {
            const auto& targets = f.blocks[a].end.targets;
            auto with = [&](std::span<const BlockId> more) {
                pending = frontier[a];
                for (auto t : more) {
                    const auto at = std::lower_bound(pending.begin(), pending.end(), t);
                    if (at == pending.end() || *at != t) pending.insert(at, t);
                }
                propagate(a, pending);
            };
            if (divergent[a] || targets.size() <= 1)
                with(targets);
            else
                for (const auto& t : targets) with({&t, 1});
        }
    }
    return frontier;
}

}  // namespace warpwright::simt

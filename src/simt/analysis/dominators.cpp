// Lengauer and Tarjan's algorithm (1979) with path compression: O(edges * log blocks) whatever the graph.
#include "simt/analysis/dominators.hpp"

#include <algorithm>

namespace warpwright::simt {

namespace {

using Edges = std::vector<std::vector<BlockId>>;

/// Numbers in the order of a depth-first walk; everything below is indexed by them, until the end.
class LengauerTarjan {
public:
    LengauerTarjan(const Edges& next, const Edges& previous, BlockId root) : previous_(previous) {
        number_.assign(next.size(), kNone);
        walk(next, root);
        const auto n = block_.size();
        semi_.resize(n);
        best_.resize(n);
        for (std::uint32_t i = 0; i < n; ++i) semi_[i] = best_[i] = i;
        ancestor_.assign(n, kNone);
        dom_.assign(n, 0);
    }

    std::vector<BlockId> run() {
        std::vector<std::vector<std::uint32_t>> bucket(block_.size());
        for (auto w = static_cast<std::uint32_t>(block_.size()); w-- > 1;) {
            for (auto p : previous_[block_[w]]) {
                if (number_[p] == kNone) continue;
                semi_[w] = std::min(semi_[w], semi_[lowest(number_[p])]);
            }
            bucket[semi_[w]].push_back(w);
            ancestor_[w] = parent_[w];
            for (auto v : bucket[parent_[w]]) {
                const auto u = lowest(v);
                dom_[v] = semi_[u] < semi_[v] ? u : parent_[w];
            }
            bucket[parent_[w]].clear();
        }
        std::vector<BlockId> out(number_.size(), kNone);
        for (std::uint32_t w = 0; w < block_.size(); ++w) {
            if (w && dom_[w] != semi_[w]) dom_[w] = dom_[dom_[w]];
            out[block_[w]] = block_[dom_[w]];
        }
        return out;
    }

private:
    void walk(const Edges& next, BlockId root) {
        std::vector<std::pair<BlockId, std::size_t>> stack;
        auto enter = [&](BlockId b, std::uint32_t from) {
            number_[b] = static_cast<std::uint32_t>(block_.size());
            block_.push_back(b);
            parent_.push_back(from);
            stack.push_back({b, 0});
        };
        enter(root, 0);
        while (!stack.empty()) {
            auto& [b, i] = stack.back();
            if (i == next[b].size()) {
                stack.pop_back();
                continue;
            }
            const auto t = next[b][i++];
            if (number_[t] == kNone) enter(t, number_[b]);
        }
    }

    /// The vertex with the lowest semidominator on the path from v up the forest built so far.
    std::uint32_t lowest(std::uint32_t v) {
        if (ancestor_[v] == kNone) return v;
        path_.clear();
        for (auto x = v; ancestor_[ancestor_[x]] != kNone; x = ancestor_[x]) path_.push_back(x);
        for (auto i = path_.rbegin(); i != path_.rend(); ++i) {
            const auto above = ancestor_[*i];
            if (semi_[best_[above]] < semi_[best_[*i]]) best_[*i] = best_[above];
            ancestor_[*i] = ancestor_[above];
        }
        return best_[v];
    }

    const Edges& previous_;
    std::vector<std::uint32_t> number_;  ///< by block
    std::vector<BlockId> block_;         ///< by number
    std::vector<std::uint32_t> parent_, semi_, best_, ancestor_, dom_, path_;
};

Edges predecessors(const Function& f) {
    Edges out(f.blocks.size());
    for (BlockId b = 0; b < f.blocks.size(); ++b) out[b] = f.blocks[b].preds;
    return out;
}

}  // namespace

DominatorTree::DominatorTree(std::vector<BlockId> parent) : parent_(std::move(parent)) {
    const auto n = parent_.size();
    children_.resize(n);
    first_.assign(n, 0);
    last_.assign(n, 0);
    BlockId root = kNone;
    for (BlockId b = 0; b < n; ++b) {
        if (parent_[b] == b)
            root = b;
        else if (parent_[b] != kNone)
            children_[parent_[b]].push_back(b);
    }
    if (root == kNone) return;
    std::uint32_t time = 0;
    std::vector<std::pair<BlockId, std::size_t>> stack{{root, 0}};
    first_[root] = ++time;
    while (!stack.empty()) {
        auto& [b, i] = stack.back();
        if (i < children_[b].size()) {
            const auto c = children_[b][i++];
            first_[c] = ++time;
            stack.push_back({c, 0});
            continue;
        }
        last_[b] = ++time;
        stack.pop_back();
    }
}

DominatorTree dominators(const Function& f) {
    Edges next(f.blocks.size());
    for (BlockId b = 0; b < f.blocks.size(); ++b) next[b] = f.blocks[b].end.targets;
    const auto previous = predecessors(f);
    return DominatorTree(LengauerTarjan(next, previous, 0).run());
}

std::vector<BlockId> post_dominators(const Function& f) {
    const auto exit = static_cast<BlockId>(f.blocks.size());
    Edges next(exit + 1), previous(exit + 1);  // of the graph turned around
    for (BlockId b = 0; b < exit; ++b) {
        previous[b] = f.blocks[b].end.targets;
        if (previous[b].empty()) previous[b].push_back(exit);
        for (auto t : previous[b]) next[t].push_back(b);
    }
    auto out = LengauerTarjan(next, previous, exit).run();
    for (auto& d : out)
        if (d == kNone) d = exit;
    return out;
}

}  // namespace warpwright::simt

// Dominators and post-dominators of the blocks of a function, and questions about them in constant time.
#pragma once

#include "simt/ir.hpp"

namespace warpwright::simt {

/// A tree over blocks in which each block's parent is its immediate dominator.
class DominatorTree {
public:
    /// `parent`: of each block; the root's own number for the root, kNone for blocks that are not in the tree.
    explicit DominatorTree(std::vector<BlockId> parent);

    /// The immediate dominator; the root's own number for the root.
    BlockId parent(BlockId b) const { return parent_[b]; }
    bool contains(BlockId b) const { return parent_[b] != kNone; }
    /// Whether every way to `b` goes through `a` (a block dominates itself).
    bool dominates(BlockId a, BlockId b) const { return first_[a] <= first_[b] && last_[b] <= last_[a]; }
    const std::vector<BlockId>& children(BlockId b) const { return children_[b]; }

private:
    std::vector<BlockId> parent_;
    std::vector<std::vector<BlockId>> children_;  ///< ascending
    std::vector<std::uint32_t> first_, last_;     ///< when a walk over the tree enters and leaves a block
};

/// The dominators of a function whose blocks have their predecessors; block 0 is the root.
DominatorTree dominators(const Function& f);

/// Immediate post-dominators by block; the number of blocks stands for the exit. Blocks that cannot reach an exit count
/// as leading directly to it.
std::vector<BlockId> post_dominators(const Function& f);

}  // namespace warpwright::simt

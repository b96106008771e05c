// The shape of the graph: unreachable blocks are removed, every natural loop gets one latch and one entry edge, and
// blocks are put in an order in which loops are contiguous. Because the lowest waiting block runs next, this order
// makes lanes meet again at the earliest point, and every lane of a loop is in the same iteration.
#include <algorithm>

#include "simt/analysis/dominators.hpp"
#include "simt/limits.hpp"
#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

std::vector<BlockId> reverse_post_order(const Function& f) {
    std::vector<BlockId> order;
    std::vector<std::uint8_t> state(f.blocks.size(), 0);
    std::vector<std::pair<BlockId, std::size_t>> stack{{0, 0}};
    state[0] = 1;
    while (!stack.empty()) {
        auto& [b, i] = stack.back();
        const auto& t = f.blocks[b].end.targets;
        if (i < t.size()) {
            auto next = t[i++];
            if (!state[next]) {
                state[next] = 1;
                stack.push_back({next, 0});
            }
        } else {
            order.push_back(b);
            stack.pop_back();
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

/// Puts the blocks in this order, drops those that are not in it, and finds their predecessors, ascending.
void renumber(Function& f, const std::vector<BlockId>& order) {
    std::vector<BlockId> to(f.blocks.size(), kNone);
    for (std::size_t i = 0; i < order.size(); ++i) to[order[i]] = static_cast<BlockId>(i);
    std::vector<Block> blocks;
    blocks.reserve(order.size());
    for (auto b : order) blocks.push_back(std::move(f.blocks[b]));
    f.blocks = std::move(blocks);
    for (auto& b : f.blocks) {
        for (auto& t : b.end.targets) t = to[t];
        b.preds.clear();
    }
    for (BlockId b = 0; b < f.blocks.size(); ++b)
        for (auto t : f.blocks[b].end.targets) {
            auto& p = f.blocks[t].preds;
            if (p.empty() || p.back() != b) p.push_back(b);
        }
}

/// Joins a block with its only successor when that has no other predecessor. The predecessors that blocks list are
/// stale afterwards; their number is not.
void merge_chains(Function& f) {
    for (auto& x : f.blocks) {
        while (x.end.kind == Terminator::Kind::jump) {
            const auto t = x.end.targets[0];
            auto& next = f.blocks[t];
            if (&next == &x || t == 0 || next.preds.size() != 1 || x.end.counted) break;
            // Blocks that wait, or before which a turn ends, stay cut where split_at_waits cut them.
            if (next.sync || next.yield || (x.sync && x.insts.size() == 1)) break;
            x.insts.insert(x.insts.end(), std::make_move_iterator(next.insts.begin()),
                           std::make_move_iterator(next.insts.end()));
            x.end = std::move(next.end);
            next.insts.clear();
            next.end = {};
            next.preds.clear();
        }
    }
}

/// Loops as find_loops() collects them: by header, with the loop around each, before they are sorted.
struct LoopForest {
    std::vector<std::uint32_t> of_header;  ///< by block; kNone
    std::vector<std::uint32_t> innermost;  ///< by block: the loop it lies in; kNone
    std::vector<std::uint32_t> parent;     ///< by loop
    std::vector<Loop> loops;
};

/// Headers and latches; marks the function irreducible where a back edge enters no natural loop.
void find_headers(Function& f, const DominatorTree& tree, LoopForest& forest) {
    forest.of_header.assign(f.blocks.size(), kNone);
    f.irreducible = false;
    for (BlockId b = 0; b < f.blocks.size(); ++b)
        for (auto t : f.blocks[b].end.targets) {
            if (t > b) continue;
            if (!tree.dominates(t, b)) {
                f.irreducible = true;
                continue;
            }
            if (forest.of_header[t] == kNone) {
                forest.of_header[t] = static_cast<std::uint32_t>(forest.loops.size());
                forest.loops.push_back({});
                forest.loops.back().header = t;
            }
            forest.loops[forest.of_header[t]].latch = b;
        }
}

/// Finds the loop of each block and of each loop: from the innermost headers outwards, backwards from the latches. A
/// loop found earlier is passed in one step, from its outermost loop so far to the predecessors of that loop's header.
void nest_loops(const Function& f, const DominatorTree& tree, LoopForest& forest) {
    forest.innermost.assign(f.blocks.size(), kNone);
    forest.parent.assign(forest.loops.size(), kNone);
    auto above = forest.parent;  // path compression
    auto outermost = [&](std::uint32_t loop) {
        while (above[loop] != kNone) {
            if (above[above[loop]] != kNone) above[loop] = above[above[loop]];
            loop = above[loop];
        }
        return loop;
    };
    std::vector<BlockId> todo;
    for (auto header = static_cast<BlockId>(f.blocks.size()); header-- > 0;) {
        const auto loop = forest.of_header[header];
        if (loop == kNone) continue;
        auto enter = [&](const std::vector<BlockId>& preds) { todo.insert(todo.end(), preds.begin(), preds.end()); };
        for (auto p : f.blocks[header].preds)
            if (p >= header && tree.dominates(header, p)) todo.push_back(p);
        forest.innermost[header] = loop;
        while (!todo.empty()) {
            const auto b = todo.back();
            todo.pop_back();
            if (forest.innermost[b] == kNone) {
                forest.innermost[b] = loop;
                enter(f.blocks[b].preds);
                continue;
            }
            const auto inner = outermost(forest.innermost[b]);
            if (inner == loop) continue;
            forest.parent[inner] = above[inner] = loop;
            enter(f.blocks[forest.loops[inner].header].preds);
        }
    }
}

/// Finds natural loops (graph in reverse post-order): bigger ones first, each with its blocks, ascending.
Result<void> find_loops(Function& f) {
    LoopForest forest;
    const auto tree = dominators(f);
    find_headers(f, tree, forest);
    nest_loops(f, tree, forest);
    const auto count = static_cast<std::uint32_t>(forest.loops.size());
    // The loop around another has the lower header: outer loops come first in this order.
    std::vector<std::uint32_t> by_header;
    for (auto loop : forest.of_header)
        if (loop != kNone) by_header.push_back(loop);
    for (auto loop : by_header) {
        const auto parent = forest.parent[loop];
        auto& depth = forest.loops[loop].depth;
        depth = parent == kNone ? 1 : forest.loops[parent].depth + 1;
        if (depth > kMaxLoopDepth)
            return pass_error(
                f, "loops are nested more than " + std::to_string(kMaxLoopDepth) + " deep in '" + f.name + "'",
                "simplify the loops: the emulated GPU executes no deeper nest");
    }
    for (BlockId b = 0; b < f.blocks.size(); ++b)
        for (auto l = forest.innermost[b]; l != kNone; l = forest.parent[l]) forest.loops[l].blocks.push_back(b);
    std::vector<std::uint32_t> sorted(count), place(count);
    for (std::uint32_t i = 0; i < count; ++i) sorted[i] = i;
    std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t x, std::uint32_t y) {
        const auto &a = forest.loops[x], &b = forest.loops[y];
        return a.blocks.size() != b.blocks.size() ? a.blocks.size() > b.blocks.size() : a.header < b.header;
    });
    for (std::uint32_t i = 0; i < count; ++i) place[sorted[i]] = i;
    f.loops.clear();
    for (auto l : sorted) {
        f.loops.push_back(std::move(forest.loops[l]));
        f.loops.back().parent = forest.parent[l] == kNone ? kNone : place[forest.parent[l]];
    }
    for (BlockId b = 0; b < f.blocks.size(); ++b)
        f.blocks[b].loop = forest.innermost[b] == kNone ? kNone : place[forest.innermost[b]];
    return {};
}

bool contains(const Loop& loop, BlockId b) { return std::binary_search(loop.blocks.begin(), loop.blocks.end(), b); }

/// Whether blocks of this loop come behind its latch in every order: the latch lies in a loop inside of this one, whose
/// other blocks follow it.
bool latch_of_inner_loop_too_early(const Function& f, std::uint32_t loop) {
    const auto latch = f.loops[loop].latch;
    for (auto l = f.blocks[latch].loop; l != loop; l = f.loops[l].parent)
        if (f.loops[l].latch != latch) return true;
    return false;
}

/// One latch, which can be last, and one entering edge for each loop. True when it added blocks: the caller renumbers.
bool canonical_loops(Function& f) {
    bool changed = false;
    for (std::uint32_t l = 0; l < f.loops.size(); ++l) {
        const auto& loop = f.loops[l];
        const auto header = loop.header;
        std::vector<BlockId> inside, outside;
        for (auto p : f.blocks[header].preds) (contains(loop, p) ? inside : outside).push_back(p);
        auto redirect = [&](const std::vector<BlockId>& from) {
            auto fresh = static_cast<BlockId>(f.blocks.size());
            f.blocks.emplace_back();
            f.blocks[fresh].end.kind = Terminator::Kind::jump;
            f.blocks[fresh].end.counted = false;
            f.blocks[fresh].end.targets = {header};
            for (auto p : from)
                for (auto& t : f.blocks[p].end.targets)
                    if (t == header) t = fresh;
            changed = true;
        };
        auto jumps = [&](BlockId p) { return f.blocks[p].end.kind == Terminator::Kind::jump; };
        auto edges = [&](BlockId p) {
            const auto& t = f.blocks[p].end.targets;
            return std::count(t.begin(), t.end(), header);
        };
        if (inside.size() > 1 || (inside.size() == 1 && !jumps(inside[0]) && edges(inside[0]) > 1) ||
            (!f.irreducible && latch_of_inner_loop_too_early(f, l)))
            redirect(inside);
        if (outside.size() > 1 || (outside.size() == 1 && !jumps(outside[0]))) redirect(outside);
    }
    return changed;
}

/// The number of loops that contain both blocks.
unsigned common_loops(const Function& f, BlockId a, BlockId b) {
    auto depth = [&](std::uint32_t l) { return l == kNone ? 0 : f.loops[l].depth; };
    auto x = f.blocks[a].loop, y = f.blocks[b].loop;
    while (x != y) {
        auto& inner = depth(x) >= depth(y) ? x : y;
        inner = f.loops[inner].parent;
    }
    return depth(x);
}

/// A post-order walk that, at each block, visits successors leaving more loops first: in the reverse they end up later.
std::vector<BlockId> reverse_post_order_by_loops(const Function& f) {
    std::vector<BlockId> post;
    std::vector<std::uint8_t> state(f.blocks.size(), 0);
    struct Item {
        BlockId b;
        std::vector<BlockId> next;
        std::size_t i = 0;
    };
    std::vector<Item> stack;
    auto push = [&](BlockId b) {
        state[b] = 1;
        Item item{b, f.blocks[b].end.targets, 0};
        std::stable_sort(item.next.begin(), item.next.end(),
                         [&](BlockId x, BlockId y) { return common_loops(f, b, x) < common_loops(f, b, y); });
        stack.push_back(std::move(item));
    };
    push(0);
    while (!stack.empty()) {
        auto& top = stack.back();
        if (top.i < top.next.size()) {
            auto n = top.next[top.i++];
            if (!state[n]) push(n);
        } else {
            post.push_back(top.b);
            stack.pop_back();
        }
    }
    std::reverse(post.begin(), post.end());
    return post;
}

/// A topological order (back edges left out) in which each loop's blocks are contiguous: the order of the walk, with
/// each loop standing as one where its header is.
std::vector<BlockId> loop_order(const Function& f) {
    const auto walk = reverse_post_order_by_loops(f);
    // The direct contents of each loop (the last list: outside any loop), in order: blocks, and headers of the loops
    // inside.
    const auto none = f.loops.size();
    std::vector<std::vector<BlockId>> directly(none + 1);
    for (auto b : walk) {
        const auto l = f.blocks[b].loop;
        if (l != kNone && f.loops[l].header == b) {
            const auto parent = f.loops[l].parent;
            directly[parent == kNone ? none : parent].push_back(b);
        }
        directly[l == kNone ? none : l].push_back(b);
    }
    std::vector<BlockId> out;
    std::vector<std::pair<std::size_t, std::size_t>> stack{{none, 0}};  // a list, and how much of it is placed
    while (!stack.empty()) {
        auto& [list, i] = stack.back();
        if (i == directly[list].size()) {
            stack.pop_back();
            continue;
        }
        const auto b = directly[list][i++];
        const auto l = f.blocks[b].loop;
        if (l != kNone && l != list && f.loops[l].header == b)
            stack.push_back({l, 0});
        else
            out.push_back(b);
    }
    return out;
}

}  // namespace

Result<void> order_blocks(Function& f) {
    renumber(f, reverse_post_order(f));
    merge_chains(f);
    do {
        renumber(f, reverse_post_order(f));
        if (auto r = find_loops(f); !r) return r;
    } while (canonical_loops(f));
    if (!f.irreducible) {
        renumber(f, loop_order(f));
        if (auto r = find_loops(f); !r) return r;
    }
    f.stage = Stage::ordered;
    return {};
}

}  // namespace warpwright::simt

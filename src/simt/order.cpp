// Shape of the graph: unreachable blocks go, every natural loop gets one latch and one entry edge, blocks are put
// in an order in which loops are contiguous. With "lowest waiting block runs next" this order makes lanes meet
// again at the earliest point, and every lane of a loop is in the same iteration.
#include <algorithm>
#include <functional>

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

void renumber(Function& f, const std::vector<BlockId>& order) {
    std::vector<BlockId> to(f.blocks.size(), kNone);
    for (std::size_t i = 0; i < order.size(); ++i) to[order[i]] = static_cast<BlockId>(i);
    std::vector<Block> blocks;
    for (auto b : order) blocks.push_back(std::move(f.blocks[b]));
    f.blocks = std::move(blocks);
    for (auto& b : f.blocks) {
        for (auto& t : b.end.targets) t = to[t];
        b.preds.clear();
    }
    for (BlockId b = 0; b < f.blocks.size(); ++b)
        for (auto t : f.blocks[b].end.targets) {
            auto& p = f.blocks[t].preds;
            if (std::find(p.begin(), p.end(), b) == p.end()) p.push_back(b);
        }
}

/// Joins a block with its only successor when that has no other predecessor.
void merge_chains(Function& f) {
    for (BlockId b = 0; b < f.blocks.size(); ++b) {
        for (;;) {
            auto& x = f.blocks[b];
            if (x.end.kind != Terminator::Kind::jump) break;
            auto t = x.end.targets[0];
            if (t == b || t == 0 || f.blocks[t].preds.size() != 1 || x.end.counted) break;
            // Waiting blocks stay cut where split_at_waits cut them.
            if (f.blocks[t].sync || (x.sync && x.insts.size() == 1)) break;
            for (auto& i : f.blocks[t].insts) x.insts.push_back(std::move(i));
            x.end = f.blocks[t].end;
            f.blocks[t].insts.clear();
            f.blocks[t].end = {};
            f.blocks[t].preds.clear();
            for (auto s : x.end.targets)
                for (auto& p : f.blocks[s].preds)
                    if (p == t) p = b;
        }
    }
}

bool dominates(const std::vector<BlockId>& idom, BlockId a, BlockId b) {
    while (b > a) b = idom[b];
    return a == b;
}

}  // namespace

std::vector<BlockId> dominators(const Function& f) {
    // Cooper, Harvey, Kennedy 2001; blocks are in reverse post-order.
    std::vector<BlockId> idom(f.blocks.size(), kNone);
    idom[0] = 0;
    bool changed = true;
    while (changed) {
        changed = false;
        for (BlockId b = 1; b < f.blocks.size(); ++b) {
            BlockId dom = kNone;
            for (auto p : f.blocks[b].preds) {
                if (idom[p] == kNone) continue;
                if (dom == kNone) {
                    dom = p;
                    continue;
                }
                BlockId x = p, y = dom;
                while (x != y) {
                    while (x > y) x = idom[x];
                    while (y > x) y = idom[y];
                }
                dom = x;
            }
            if (dom != idom[b]) {
                idom[b] = dom;
                changed = true;
            }
        }
    }
    return idom;
}

namespace {

/// Finds natural loops (graph in reverse post-order); marks the function irreducible where they are not all there is.
void find_loops(Function& f) {
    f.loops.clear();
    for (auto& b : f.blocks) b.loop = kNone;
    f.irreducible = false;
    auto idom = dominators(f);
    std::vector<std::uint32_t> loop_of_header(f.blocks.size(), kNone);
    for (BlockId b = 0; b < f.blocks.size(); ++b)
        for (auto t : f.blocks[b].end.targets) {
            if (t > b) continue;
            if (!dominates(idom, t, b)) {
                f.irreducible = true;
                continue;
            }
            if (loop_of_header[t] == kNone) {
                loop_of_header[t] = static_cast<std::uint32_t>(f.loops.size());
                f.loops.push_back({});
                f.loops.back().header = t;
            }
            auto& loop = f.loops[loop_of_header[t]];
            loop.latch = b;
        }
    for (auto& loop : f.loops) {
        std::vector<bool> in(f.blocks.size(), false);
        in[loop.header] = true;
        std::vector<BlockId> todo;
        for (auto p : f.blocks[loop.header].preds)
            if (p >= loop.header && dominates(idom, loop.header, p)) todo.push_back(p);
        while (!todo.empty()) {
            auto b = todo.back();
            todo.pop_back();
            if (in[b]) continue;
            in[b] = true;
            for (auto p : f.blocks[b].preds) todo.push_back(p);
        }
        for (BlockId b = 0; b < f.blocks.size(); ++b)
            if (in[b]) loop.blocks.push_back(b);
    }
    // Bigger loops first, so that the innermost wins below.
    std::sort(f.loops.begin(), f.loops.end(), [](const Loop& a, const Loop& b) {
        return a.blocks.size() != b.blocks.size() ? a.blocks.size() > b.blocks.size() : a.header < b.header;
    });
    for (std::uint32_t i = 0; i < f.loops.size(); ++i) {
        auto& loop = f.loops[i];
        loop.parent = f.blocks[loop.header].loop;
        loop.depth = loop.parent == kNone ? 1 : f.loops[loop.parent].depth + 1;
        for (auto b : loop.blocks) f.blocks[b].loop = i;
    }
}

bool contains(const Loop& loop, BlockId b) { return std::binary_search(loop.blocks.begin(), loop.blocks.end(), b); }

/// One latch and one entering edge a loop. True when it added blocks.
bool canonical_loops(Function& f) {
    bool changed = false;
    const auto count = f.loops.size();
    for (std::size_t l = 0; l < count; ++l) {
        const auto loop = f.loops[l];
        std::vector<BlockId> inside, outside;
        for (auto p : f.blocks[loop.header].preds) (contains(loop, p) ? inside : outside).push_back(p);
        auto redirect = [&](const std::vector<BlockId>& from) {
            auto fresh = static_cast<BlockId>(f.blocks.size());
            f.blocks.emplace_back();
            f.blocks[fresh].end.kind = Terminator::Kind::jump;
            f.blocks[fresh].end.counted = false;
            f.blocks[fresh].end.targets = {loop.header};
            for (auto p : from)
                for (auto& t : f.blocks[p].end.targets)
                    if (t == loop.header) t = fresh;
            changed = true;
        };
        if (inside.size() > 1 || (inside.size() == 1 && f.blocks[inside[0]].end.kind != Terminator::Kind::jump &&
                                  std::count(f.blocks[inside[0]].end.targets.begin(),
                                             f.blocks[inside[0]].end.targets.end(), loop.header) > 1))
            redirect(inside);
        if (outside.size() > 1 || (outside.size() == 1 && f.blocks[outside[0]].end.kind != Terminator::Kind::jump))
            redirect(outside);
        if (changed) return true;  // preds are stale: the caller renumbers and comes back
    }
    return false;
}

/// A topological order (back edges left out) in which each loop's blocks are contiguous.
std::vector<BlockId> loop_order(const Function& f) {
    std::vector<BlockId> out;
    std::vector<std::uint8_t> state(f.blocks.size(), 0);
    auto inside = [&](std::uint32_t loop, BlockId b) {
        for (auto l = f.blocks[b].loop; l != kNone; l = f.loops[l].parent)
            if (l == loop) return true;
        return false;
    };
    // Post-order walk that, at each block, visits successors leaving more loops first: they end up later.
    std::vector<BlockId> post;
    struct Item {
        BlockId b;
        std::vector<BlockId> next;
        std::size_t i = 0;
    };
    std::vector<Item> stack;
    auto push = [&](BlockId b) {
        state[b] = 1;
        Item item{b, f.blocks[b].end.targets, 0};
        // Fewer loops in common with this block: visited earlier, so placed later in the reverse.
        std::stable_sort(item.next.begin(), item.next.end(), [&](BlockId x, BlockId y) {
            auto common = [&](BlockId t) {
                unsigned d = 0;
                for (auto l = f.blocks[b].loop; l != kNone; l = f.loops[l].parent)
                    if (inside(l, t)) ++d;
                return d;
            };
            return common(x) < common(y);
        });
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
    // The walk gives a topological order; make loops contiguous by a stable grouping, outermost loops first.
    std::vector<std::size_t> position(f.blocks.size(), 0);
    std::function<void(const std::vector<BlockId>&, std::uint32_t)> place = [&](const std::vector<BlockId>& blocks,
                                                                                std::uint32_t loop) {
        // Blocks directly in `loop`, with each child loop standing as one unit where its header is.
        for (auto b : blocks) {
            auto l = f.blocks[b].loop;
            if (l == loop) {
                out.push_back(b);
                continue;
            }
            // The child of `loop` that holds b.
            while (f.loops[l].parent != loop) l = f.loops[l].parent;
            if (f.loops[l].header != b) continue;  // placed with its header
            std::vector<BlockId> inner;
            for (auto c : blocks)
                if (inside(l, c)) inner.push_back(c);
            place(inner, l);
        }
    };
    place(post, kNone);
    return out;
}

}  // namespace

void order(Function& f) {
    renumber(f, reverse_post_order(f));
    merge_chains(f);
    renumber(f, reverse_post_order(f));
    find_loops(f);
    for (int guard = 0; canonical_loops(f) && guard < 10000; ++guard) {
        renumber(f, reverse_post_order(f));
        find_loops(f);
    }
    if (!f.irreducible) {
        renumber(f, loop_order(f));
        find_loops(f);
    }
}

}  // namespace warpwright::simt

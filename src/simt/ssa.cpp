// Registers to static single assignment, liveness, dead code, thread frontiers.
#include <algorithm>
#include <set>

#include "simt/passes.hpp"

namespace warpwright::simt {

std::vector<BitSet> live_in(const Function& f, const std::vector<std::vector<ValueId>>& extra) {
    const auto nb = f.blocks.size(), nv = f.values.size();
    std::vector<BitSet> use(nb, BitSet(nv)), def(nb, BitSet(nv)), in(nb, BitSet(nv)), at_edge(nb, BitSet(nv));
    auto mark = [&](BlockId b, const Operand& o, bool before_defs) {
        if (!o.is_value()) return;
        auto one = [&](ValueId v) {
            if (!before_defs || !def[b].test(v)) use[b].set(v);
        };
        one(o.value);
        if (!extra.empty())
            for (auto e : extra[o.value]) one(e);
    };
    for (BlockId b = 0; b < nb; ++b) {
        for (const auto& i : f.blocks[b].insts) {
            if (i.kind != InstKind::phi)
                for (const auto& o : i.in) mark(b, o, true);
            for (auto v : i.out)
                if (v != kNone) def[b].set(v);
        }
        mark(b, f.blocks[b].end.condition, true);
    }
    // A phi reads on the edge: live out of the predecessor, not into the block.
    for (BlockId b = 0; b < nb; ++b)
        for (const auto& i : f.blocks[b].insts) {
            if (i.kind != InstKind::phi) continue;
            for (std::size_t k = 0; k < i.in.size(); ++k)
                if (i.in[k].is_value()) {
                    at_edge[i.from[k]].set(i.in[k].value);
                    if (!extra.empty())
                        for (auto e : extra[i.in[k].value]) at_edge[i.from[k]].set(e);
                }
        }
    bool changed = true;
    while (changed) {
        changed = false;
        for (BlockId b = static_cast<BlockId>(nb); b-- > 0;) {
            BitSet out = at_edge[b];
            for (auto t : f.blocks[b].end.targets) out.merge(in[t]);
            for (std::size_t w = 0; w < out.words.size(); ++w) {
                auto n = use[b].words[w] | (out.words[w] & ~def[b].words[w]);
                if (n != in[b].words[w]) {
                    in[b].words[w] |= n;
                    changed = true;
                }
            }
        }
    }
    return in;
}

void to_ssa(Function& f) {
    const auto nb = f.blocks.size(), nv = f.values.size();
    auto idom = dominators(f);
    auto live = live_in(f, {});
    std::vector<std::vector<BlockId>> frontier(nb), children(nb);
    for (BlockId b = 0; b < nb; ++b) {
        if (b != 0) children[idom[b]].push_back(b);
        if (f.blocks[b].preds.size() < 2) continue;
        for (auto p : f.blocks[b].preds)
            for (auto r = p; r != idom[b]; r = idom[r]) {
                if (std::find(frontier[r].begin(), frontier[r].end(), b) == frontier[r].end()) frontier[r].push_back(b);
                if (r == 0) break;
            }
    }
    std::vector<std::vector<BlockId>> defs(nv);
    for (BlockId b = 0; b < nb; ++b)
        for (const auto& i : f.blocks[b].insts)
            for (auto v : i.out)
                if (v != kNone && (defs[v].empty() || defs[v].back() != b)) defs[v].push_back(b);
    // phi_for[b]: registers that get a phi in block b.
    std::vector<std::vector<ValueId>> phi_for(nb);
    for (ValueId v = 0; v < nv; ++v) {
        if (defs[v].size() < 1) continue;
        std::set<BlockId> placed;
        auto todo = defs[v];
        while (!todo.empty()) {
            auto b = todo.back();
            todo.pop_back();
            for (auto d : frontier[b]) {
                if (!live[d].test(v) || !placed.insert(d).second) continue;
                phi_for[d].push_back(v);
                todo.push_back(d);
            }
        }
    }
    for (BlockId b = 0; b < nb; ++b) {
        std::vector<Inst> phis;
        for (auto v : phi_for[b]) {
            Inst p;
            p.kind = InstKind::phi;
            p.counted = false;
            p.type = f.values[v].type;
            p.out = {v};
            for (auto pred : f.blocks[b].preds) {
                p.from.push_back(pred);
                p.in.push_back(Operand::of(v));
            }
            phis.push_back(std::move(p));
        }
        auto& insts = f.blocks[b].insts;
        insts.insert(insts.begin(), std::make_move_iterator(phis.begin()), std::make_move_iterator(phis.end()));
    }
    // Rename along the dominator tree.
    std::vector<Value> values;
    std::vector<std::vector<ValueId>> stack(nv);
    auto current = [&](Operand& o) {
        if (!o.is_value()) return;
        if (stack[o.value].empty()) {
            o = Operand{};  // read before any write: undefined
        } else {
            o.value = stack[o.value].back();
        }
    };
    struct Visit {
        BlockId b;
        std::size_t child = 0;
        std::vector<ValueId> pushed;
    };
    std::vector<Visit> visits;
    auto enter = [&](BlockId b) {
        visits.push_back({b, 0, {}});
        auto& pushed = visits.back().pushed;
        for (std::uint32_t k = 0; k < f.blocks[b].insts.size(); ++k) {
            auto& i = f.blocks[b].insts[k];
            if (i.kind != InstKind::phi)
                for (auto& o : i.in) current(o);
            for (auto& v : i.out) {
                if (v == kNone) continue;
                auto fresh = static_cast<ValueId>(values.size());
                values.push_back({f.values[v].type, b, k});
                stack[v].push_back(fresh);
                pushed.push_back(v);
                v = fresh;
            }
        }
        current(f.blocks[b].end.condition);
        for (auto t : f.blocks[b].end.targets) {
            std::size_t n = 0;
            for (auto& i : f.blocks[t].insts) {
                if (i.kind != InstKind::phi) break;
                for (std::size_t k = 0; k < i.from.size(); ++k)
                    if (i.from[k] == b && i.in[k].is_value() && i.in[k].value == phi_for[t][n] && !i.in[k].f32_bits) {
                        current(i.in[k]);
                        i.in[k].f32_bits = true;  // renamed (this bit has no other meaning here)
                    }
                ++n;
            }
        }
    };
    enter(0);
    while (!visits.empty()) {
        auto& v = visits.back();
        if (v.child < children[v.b].size()) {
            enter(children[v.b][v.child++]);
        } else {
            for (auto r : v.pushed) stack[r].pop_back();
            visits.pop_back();
        }
    }
    for (auto& b : f.blocks)
        for (auto& i : b.insts)
            if (i.kind == InstKind::phi)
                for (auto& o : i.in) o.f32_bits = false;
    f.values = std::move(values);
}

void remove_dead(Function& f) {
    std::vector<bool> live(f.values.size(), false);
    std::vector<std::pair<BlockId, std::uint32_t>> todo;
    auto need = [&](const Operand& o) {
        if (!o.is_value() || live[o.value]) return;
        live[o.value] = true;
        todo.push_back({f.values[o.value].block, f.values[o.value].inst});
    };
    auto pure = [](const Inst& i) {
        switch (i.kind) {
            case InstKind::data:
            case InstKind::move:
            case InstKind::select:
            case InstKind::pack:
            case InstKind::unpack:
            case InstKind::special:
            case InstKind::address:
            case InstKind::function:
            case InstKind::param:
            case InstKind::phi:
            case InstKind::to_generic:
            case InstKind::from_generic:
            case InstKind::in_space:
                return true;
            default:
                return false;
        }
    };
    for (auto& b : f.blocks) {
        for (auto& i : b.insts)
            if (!pure(i))
                for (auto& o : i.in) need(o);
        need(b.end.condition);
    }
    while (!todo.empty()) {
        auto [b, k] = todo.back();
        todo.pop_back();
        auto& i = f.blocks[b].insts[k];
        if (pure(i))
            for (auto& o : i.in) need(o);
    }
    // What is dead keeps its place as a counted no-op: the hardware executes what the text says.
    for (auto& b : f.blocks) {
        std::vector<Inst> kept;
        for (auto& i : b.insts) {
            bool used = !pure(i);
            for (auto v : i.out) used |= v != kNone && live[v];
            if (used) {
                for (auto& v : i.out)
                    if (v != kNone && !live[v]) v = kNone;
                kept.push_back(std::move(i));
            } else if (i.counted && i.ptx) {
                Inst n;
                n.kind = InstKind::nop;
                n.ptx = i.ptx;
                kept.push_back(std::move(n));
            }
        }
        b.insts = std::move(kept);
    }
    for (BlockId b = 0; b < f.blocks.size(); ++b)
        for (std::uint32_t k = 0; k < f.blocks[b].insts.size(); ++k)
            for (auto v : f.blocks[b].insts[k].out)
                if (v != kNone) f.values[v].block = b, f.values[v].inst = k;
}

void find_spins(Function& f) {
    using ptx::Mod;
    for (auto& loop : f.loops) {
        bool watches = false, exits = false;
        for (auto b : loop.blocks) {
            for (const auto& i : f.blocks[b].insts) {
                if (i.kind == InstKind::sleep || i.kind == InstKind::fence) watches = true;
                if (i.kind == InstKind::atomic && !i.out.empty() && i.out[0] != kNone) watches = true;
                if (i.kind == InstKind::load && i.ptx &&
                    (i.ptx->has(Mod::volatile_) || i.ptx->has(Mod::relaxed) || i.ptx->has(Mod::acquire) ||
                     i.ptx->has(Mod::mmio) || i.ptx->has(Mod::cv)))
                    watches = true;
                if (i.kind == InstKind::call) watches = true;
                // Asking whether a phase is over does not wait for it (try_wait does: the retry around it is no
                // spinning).
                if (i.kind == InstKind::async_op && i.ptx->has(Mod::test_wait)) watches = true;
            }
            for (auto t : f.blocks[b].end.targets)
                exits |= !std::binary_search(loop.blocks.begin(), loop.blocks.end(), t);
        }
        loop.spins = watches && exits;
        if (loop.spins) {
            f.strict = true;
            for (auto b : loop.blocks)
                for (auto t : f.blocks[b].end.targets)
                    if (t == loop.header) f.blocks[b].yield = true;
        }
    }
    if (f.irreducible) f.strict = true;
}

std::vector<std::vector<BlockId>> frontiers(const Function& f, const std::vector<bool>& divergent) {
    const auto n = f.blocks.size();
    std::vector<BitSet> tf(n, BitSet(n));
    bool changed = true;
    while (changed) {
        changed = false;
        for (BlockId a = 0; a < n; ++a) {
            const auto& end = f.blocks[a].end;
            auto propagate = [&](const BitSet& pending) {
                pending.each([&](std::uint32_t b) {
                    // b runs next when everything before it is empty: what is after it may be waiting.
                    BitSet later = pending;
                    for (std::size_t w = 0; w < later.words.size(); ++w) {
                        if (w * 64 + 63 <= b) later.words[w] = 0;
                    }
                    for (std::size_t x = (b / 64) * 64; x <= b; ++x) later.reset(x);
                    changed |= tf[b].merge(later);
                });
            };
            if (divergent[a] || end.targets.size() <= 1) {
                BitSet pending = tf[a];
                for (auto t : end.targets) pending.set(t);
                propagate(pending);
            } else {
                for (auto t : end.targets) {
                    BitSet pending = tf[a];
                    pending.set(t);
                    propagate(pending);
                }
            }
        }
    }
    std::vector<std::vector<BlockId>> out(n);
    for (BlockId b = 0; b < n; ++b) tf[b].each([&](std::uint32_t x) { out[b].push_back(x); });
    return out;
}

}  // namespace warpwright::simt

// Registers to static single assignment.
#include <algorithm>

#include "simt/analysis/dominators.hpp"
#include "simt/analysis/liveness.hpp"
#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

/// Dominance frontiers, ascending.
std::vector<std::vector<BlockId>> dominance_frontiers(const Function& f, const DominatorTree& tree) {
    std::vector<std::vector<BlockId>> frontier(f.blocks.size());
    for (BlockId b = 0; b < f.blocks.size(); ++b) {
        if (f.blocks[b].preds.size() < 2) continue;
        for (auto p : f.blocks[b].preds)
            for (auto r = p; r != tree.parent(b); r = tree.parent(r)) {
                if (!frontier[r].empty() && frontier[r].back() == b) break;  // seen from here upwards
                frontier[r].push_back(b);
                if (r == 0) break;
            }
    }
    return frontier;
}

/// Registers that get a phi, by block, ascending: where definitions meet and the register is still read.
std::vector<std::vector<ValueId>> place_phis(const Function& f, const DominatorTree& tree) {
    const auto frontier = dominance_frontiers(f, tree);
    std::vector<std::vector<ValueId>> phi_for(f.blocks.size());
    std::vector<ValueId> live_at(f.blocks.size(), kNone), placed(f.blocks.size(), kNone);
    std::vector<BlockId> todo;
    each_live_value(f, {}, [&](ValueId v, std::span<const BlockId> written, const std::vector<BlockId>& live) {
        for (auto b : live) live_at[b] = v;
        todo.assign(written.begin(), written.end());
        while (!todo.empty()) {
            const auto b = todo.back();
            todo.pop_back();
            for (auto d : frontier[b]) {
                if (live_at[d] != v || placed[d] == v) continue;
                placed[d] = v;
                phi_for[d].push_back(v);
                todo.push_back(d);
            }
        }
    });
    return phi_for;
}

/// Phis whose inputs still name the register.
void insert_phis(Function& f, const std::vector<std::vector<ValueId>>& phi_for) {
    for (BlockId b = 0; b < f.blocks.size(); ++b) {
        std::vector<Inst> phis;
        for (auto v : phi_for[b]) {
            Inst p;
            p.kind = InstKind::phi;
            p.counted = false;
            p.type = f.values[v].type;
            p.out = {v};
            p.from = f.blocks[b].preds;
            p.in.assign(p.from.size(), Operand::of(v));
            phis.push_back(std::move(p));
        }
        auto& insts = f.blocks[b].insts;
        insts.insert(insts.begin(), std::make_move_iterator(phis.begin()), std::make_move_iterator(phis.end()));
    }
}

/// Gives each definition a value of its own, in a walk over the dominator tree.
class Renaming {
public:
    Renaming(Function& f, const DominatorTree& tree, const std::vector<std::vector<ValueId>>& phi_for)
        : f_(f), tree_(tree), phi_for_(phi_for), stack_(f.values.size()), filled_from_(f.blocks.size(), kNone) {}

    void run() {
        enter(0);
        while (!visits_.empty()) {
            auto& v = visits_.back();
            const auto& children = tree_.children(v.b);
            if (v.child < children.size()) {
                enter(children[v.child++]);
            } else {
                for (auto r : v.pushed) stack_[r].pop_back();
                visits_.pop_back();
            }
        }
        f_.values = std::move(values_);
    }

private:
    struct Visit {
        BlockId b;
        std::size_t child = 0;
        std::vector<ValueId> pushed;
    };

    void rename(Operand& o) const {
        if (!o.is_value()) return;
        if (stack_[o.value].empty())
            o = Operand{};  // read before any write: undefined
        else
            o.value = stack_[o.value].back();
    }

    void enter(BlockId b) {
        visits_.push_back({b, 0, {}});
        auto& pushed = visits_.back().pushed;
        auto& insts = f_.blocks[b].insts;
        for (std::uint32_t k = 0; k < insts.size(); ++k) {
            auto& i = insts[k];
            if (i.kind != InstKind::phi)
                for (auto& o : i.in) rename(o);
            for (auto& v : i.out) {
                if (v == kNone) continue;
                auto fresh = static_cast<ValueId>(values_.size());
                values_.push_back({f_.values[v].type, b, k});
                stack_[v].push_back(fresh);
                pushed.push_back(v);
                v = fresh;
            }
        }
        rename(f_.blocks[b].end.condition);
        for (auto t : f_.blocks[b].end.targets) {
            if (filled_from_[t] == b) continue;  // a branch that names it twice
            filled_from_[t] = b;
            fill_phis(b, t);
        }
    }

    /// The inputs of t's phis that come from b.
    void fill_phis(BlockId b, BlockId t) {
        const auto& preds = f_.blocks[t].preds;
        const auto k = std::lower_bound(preds.begin(), preds.end(), b) - preds.begin();
        for (std::size_t n = 0; n < phi_for_[t].size(); ++n)
            rename(f_.blocks[t].insts[n].in[static_cast<std::size_t>(k)]);
    }

    Function& f_;
    const DominatorTree& tree_;
    const std::vector<std::vector<ValueId>>& phi_for_;
    std::vector<Value> values_;
    std::vector<std::vector<ValueId>> stack_;
    std::vector<BlockId> filled_from_;
    std::vector<Visit> visits_;
};

}  // namespace

Result<void> to_ssa(Function& f) {
    const auto tree = dominators(f);
    const auto phi_for = place_phis(f, tree);
    insert_phis(f, phi_for);
    Renaming(f, tree, phi_for).run();
    f.stage = Stage::ssa;
    return {};
}

}  // namespace warpwright::simt

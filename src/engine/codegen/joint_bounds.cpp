// The values that the versions define meet in phis. Addresses that are computed between accesses are computed before
// all of them, which no other instruction can tell. Nothing in a stretch waits, calls or ends the warp.
#include "engine/codegen/joint_bounds.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "engine/codegen/affine_values.hpp"
#include "engine/codegen/bounds_groups.hpp"
#include "engine/codegen/joint_counts.hpp"
#include "engine/codegen/memory.hpp"
#include "engine/codegen/next_rows.hpp"
#include "engine/codegen/scattered_access.hpp"
#include "engine/codegen/two_ways.hpp"
#include "engine/codegen/values.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;
using simt::kNone;
using simt::ValueId;

namespace {

/// A stretch has so many instructions at most: they are compiled twice.
constexpr std::size_t kMostInstructions = 192;
/// An access further behind the one before than that begins another stretch.
constexpr std::size_t kMostBetween = 24;
/// So many instructions behind the last access are in both versions, if they use what the stretch defines.
constexpr std::size_t kMostBehind = 8;
/// With fewer checks to join, one of them for each access costs as little.
constexpr std::size_t kFewestChecks = 3;

/// Whether an instruction does nothing but compute, read or write, so that two versions of it are as one.
bool stays(const simt::Inst& i) {
    return simt::facts(i.kind).pure || i.kind == InstKind::load || i.kind == InstKind::store ||
           i.kind == InstKind::prefetch || i.kind == InstKind::nop;
}

/// What a stretch's checks need of the instructions within it.
class Early {
public:
    Early(const FunctionState& fn, std::size_t first) : fn_(fn), first_(first) {}

    /// Whether the address can be known before the stretch; then what computes it is among indices().
    bool reaches(ValueId address) {
        auto before = indices_;
        const auto& parts = fn_.values.extra[address];
        if (reach(address, 0) && std::all_of(parts.begin(), parts.end(), [&](ValueId v) { return reach(v, 0); }))
            return true;
        indices_ = std::move(before);
        return false;
    }
    const std::set<std::size_t>& indices() const { return indices_; }

private:
    static constexpr unsigned kDeepest = 16;

    bool computes(const simt::Inst& i) const {
        if (i.kind == InstKind::special || i.kind == InstKind::load || !simt::facts(i.kind).pure) return false;
        return std::all_of(i.out.begin(), i.out.end(), [&](ValueId v) { return v == kNone || fn_.scalar_kind(v); });
    }
    bool reach(ValueId v, unsigned depth) {
        const auto& value = fn_.ir.values[v];
        if (value.block != fn_.at.block || value.inst < first_ || indices_.contains(value.inst)) return true;
        const auto& i = fn_.ir.blocks[value.block].insts[value.inst];
        if (depth == kDeepest || !computes(i)) return false;
        const auto all = [&](const std::vector<ValueId>& of) {
            return std::all_of(of.begin(), of.end(), [&](ValueId x) { return x == v || reach(x, depth + 1); });
        };
        if (!all(fn_.values.extra[v])) return false;
        for (const auto& o : i.in)
            if (o.is_value() && (!reach(o.value, depth + 1) || !all(fn_.values.extra[o.value]))) return false;
        indices_.insert(value.inst);
        return true;
    }

    const FunctionState& fn_;
    std::size_t first_;
    std::set<std::size_t> indices_;
};

/// The access of an instruction, where its form says what its bounds are.
std::optional<Access> regular_access(FunctionState& fn, const simt::Inst& i) {
    if ((i.kind != InstKind::load && i.kind != InstKind::store) || !has_way(i)) return std::nullopt;
    auto a = classify(fn, i);
    if (!i.in[0].is_value()) return std::nullopt;
    if (takes_one_address(fn, a) || takes_runs(fn, a)) return a;
    if (!scatterable(fn, a)) return std::nullopt;
    a.runs.clear();
    return a;
}

/// Whether an instruction computes from what instructions of the block from `first` on define.
bool computes_from(const FunctionState& fn, const simt::Inst& i, std::size_t first) {
    return simt::facts(i.kind).pure && i.kind != InstKind::load && stays(i) &&
           std::any_of(i.in.begin(), i.in.end(), [&](const simt::Operand& o) {
               if (!o.is_value()) return false;
               const auto& value = fn.ir.values[o.value];
               return value.block == fn.at.block && value.inst >= first;
           });
}

/// The stretch that begins with the access at `first`.
Stretch stretch_from(FunctionState& fn, std::size_t first) {
    const auto& insts = fn.ir.blocks[fn.at.block].insts;
    Stretch out;
    out.first = out.last = first;
    Early early(fn, first);
    for (auto k = first; k < insts.size() && k - first < kMostInstructions && k - out.last <= kMostBetween; ++k) {
        // Nothing else would keep LLVM from joining or moving what the memory model orders.
        if (!stays(insts[k]) || looks_again(insts[k])) break;
        auto a = regular_access(fn, insts[k]);
        if (!a || !early.reaches(insts[k].in[0].value)) continue;
        out.accesses.push_back(std::move(*a));
        out.last = k;
    }
    out.early = early.indices();
    // What both versions define meets behind them in phis: better one sum than all of its operands.
    const auto end = std::min(insts.size(), out.last + 1 + kMostBehind);
    while (out.last + 1 < end && computes_from(fn, insts[out.last + 1], first)) ++out.last;
    return out;
}

bool pays(const Stretch& stretch) {
    std::size_t checks = 0;
    for (const auto& a : stretch.accesses) checks += std::max<std::size_t>(1, a.distinct_runs().size());
    return checks >= kFewestChecks;
}

/// Goes on only where `holds`.
void require(FunctionState& fn, V holds, llvm::BasicBlock* otherwise) {
    auto next = fn.new_block("holds");
    fn.b.CreateCondBr(holds, next, otherwise, fn.weights(true));
    fn.b.SetInsertPoint(next);
}

/// Whether what a form assumes is known before the block.
bool assumes_known(const FunctionState& fn, const simt::Affine& form) {
    const auto known = [&](ValueId v) { return known_before(fn, {{v, simt::Factor::Extend::none}}); };
    return std::all_of(form.assumes.begin(), form.assumes.end(), [&](const auto& e) {
        const auto at = fn.shapes.affine.find(e.first.widening.value);
        return known(e.first.widening.value) &&
               (at == fn.shapes.affine.end() ||
                std::ranges::all_of(at->second.terms, [&](const auto& t) { return known_before(fn, t.scalar); }));
    });
}

/// What is known before the block is one condition, which a loop has before it.
void check_all(FunctionState& fn, const Stretch& stretch, llvm::BasicBlock* otherwise) {
    std::vector<Access> open;
    std::ranges::copy_if(stretch.accesses, std::back_inserter(open), [&](const auto& a) { return !is_inside(fn, a); });
    const auto groups = bounds_groups(fn, open);
    V before = nullptr;
    std::vector<V> within;
    const auto hold = [&](V condition, bool known) {
        if (!known) return within.push_back(condition);
        before = before ? fn.b.CreateAnd(before, condition) : condition;
    };
    std::set<std::map<simt::Assumption, std::int64_t>> assumed;
    for (const auto& a : stretch.accesses)
        if (a.affine && !a.affine->assumes.empty() && assumed.insert(a.affine->assumes).second)
            hold(assumptions_hold(fn, *a.affine), assumes_known(fn, *a.affine));
    for (const auto& g : groups)
        if (V fits = pitch_fits(fn, g)) hold(fits, true);
    if (before) require(fn, before, otherwise);
    for (V condition : within) require(fn, condition, otherwise);
    const auto inside = [&](const BoundsGroup& g, const Part& e) {
        V base = address_scalar(fn, *e.access);
        V address = e.run              ? run_address(fn, *e.access, *e.run, base)
                    : e.access->affine ? scattered_address(fn, *e.access, base)
                                       : base;
        require(fn, fn.b.CreateNot(out_of_bounds(fn, *e.access, g.first.access->site, address, e.span)), otherwise);
    };
    for (const auto& g : groups) {
        inside(g, g.lowest);
        if (g.highest.form.constant != g.lowest.form.constant || g.highest.form.times != g.lowest.form.times)
            inside(g, g.highest);
    }
}

/// What was defined since so many values were, and forgets it.
std::vector<std::pair<ValueId, V>> take_defined(FunctionState& fn, std::size_t since) {
    std::vector<std::pair<ValueId, V>> out;
    auto& set = fn.values.local_set;
    for (auto k = since; k < set.size(); ++k) {
        out.emplace_back(set[k], fn.values.local[set[k]]);
        fn.values.local[set[k]] = nullptr;
    }
    set.resize(since);
    return out;
}

}  // namespace

std::vector<Stretch> find_stretches(FunctionState& fn) {
    std::vector<Stretch> out;
    const auto& o = fn.options;
    if (!fn.at.converged || o.check || o.trace || o.linked || fn.times.on) return out;
    const auto& insts = fn.ir.blocks[fn.at.block].insts;
    for (std::size_t k = 0; k < insts.size(); ++k) {
        if (looks_again(insts[k]) || !regular_access(fn, insts[k])) continue;
        auto stretch = stretch_from(fn, k);
        if (!pays(stretch)) continue;
        k = stretch.last;
        out.push_back(std::move(stretch));
    }
    return out;
}

Result<void> write_stretch(FunctionState& fn, const Stretch& stretch,
                           const std::function<Result<void>(std::size_t)>& emit) {
    const auto& insts = fn.ir.blocks[fn.at.block].insts;
    for (auto k = stretch.first; k <= stretch.last; ++k) fn.layout.note_line(fn.at.block, insts[k].ptx);
    for (const auto k : stretch.early)
        if (auto r = emit(k); !r) return r;
    const auto version = [&]() -> Result<void> {
        for (auto k = stretch.first; k <= stretch.last; ++k)
            if (!stretch.early.contains(k))
                if (auto r = emit(k); !r) return r;
        return {};
    };
    auto together = fn.new_block("together"), apart = fn.new_block("apart"), join = fn.new_block("joined");
    begin_versions(fn.b, together, apart);
    const auto since = fn.values.local_set.size();
    const auto followed = fn.followed;
    fn.b.SetInsertPoint(together);
    check_all(fn, stretch, apart);
    for (const auto& a : stretch.accesses) fn.at.in_bounds.insert(a.inst);
    count_together(fn, stretch.accesses);
    fetch_next_rows(fn, stretch.accesses);
    auto r = version();
    fn.at.in_bounds.clear();
    fn.at.counted.clear();
    if (!r) return r;
    add_size_of_blocks(fn, together, apart);
    auto* const from_together = fn.b.GetInsertBlock();
    fn.b.CreateBr(join);
    const auto x = take_defined(fn, since);

    fn.b.SetInsertPoint(apart);
    fn.followed = followed;
    fn.at.again = true;
    r = version();
    fn.at.again = false;
    if (!r) return r;
    auto* const from_apart = fn.b.GetInsertBlock();
    fn.b.CreateBr(join);
    const auto y = take_defined(fn, since);

    fn.b.SetInsertPoint(join);
    for (std::size_t k = 0; k < x.size(); ++k) {
        auto* phi = fn.b.CreatePHI(x[k].second->getType(), 2);
        phi->addIncoming(x[k].second, from_together);
        phi->addIncoming(y[k].second, from_apart);
        fn.values.local[x[k].first] = phi;
        fn.values.local_set.push_back(x[k].first);
    }
    return {};
}

}  // namespace warpwright::engine::codegen

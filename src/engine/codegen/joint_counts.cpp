// Distances may contain scalars that are known before the block, as the pitch of a matrix: where these are multiples of
// a transaction they change no place, which is one test, of a loop once before it. Else each address that differs by
// them has counters of its own. Lanes in two rows are in different transactions where the rows lie far apart, which is
// the same kind of test.
#include "engine/codegen/joint_counts.hpp"

#include <algorithm>
#include <bit>

#include "engine/codegen/access_costs.hpp"
#include "engine/codegen/affine_values.hpp"
#include "engine/codegen/code_places.hpp"
#include "engine/codegen/linear_forms.hpp"
#include "engine/codegen/place_counts.hpp"
#include "engine/codegen/two_ways.hpp"

namespace warpwright::engine::codegen {

using simt::Product;

namespace {

/// More places than that are counted by each access for itself.
constexpr unsigned kMostPlaces = 32;
/// What it takes to count a place, in instructions, and to test a condition beside what it consists of.
constexpr std::size_t kOfPlace = 3, kOfTest = 2;

/// What is counted by one place.
struct Piece {
    const Access* access = nullptr;
    const Run* run = nullptr;  ///< of a pair; null: the access as a whole
    Linear form;               ///< of its first byte's address
    CostByPlace cost;
};

/// Pieces whose distances are known.
struct CountGroup {
    std::vector<const Piece*> pieces;
    const Linear& form() const { return pieces[0]->form; }
};

struct CountPlan {
    std::vector<Piece> pieces;
    std::vector<const Access*> pairs;            ///< two runs each, whose transactions are others where they are far
    std::vector<CountGroup> groups;              ///< where all conditions hold
    std::map<Product, std::uint64_t> multiples;  ///< conditions: no bit of the mask is set in the product
};

Piece piece_of(FunctionState& fn, LinearForms& forms, const Access& a, const Run* run) {
    return {&a, run, forms.reduced(lowest_address(fn, forms, a, run)),
            run ? cost_by_place(fn, a, *run) : cost_by_place(fn, a)};
}

void find_pieces(FunctionState& fn, const std::vector<Access>& accesses, CountPlan& plan) {
    LinearForms forms(fn, transaction_bits(fn));
    for (const auto& a : accesses) {
        if (!a.inst->counted || a.space != simt::Space::global || !a.affine || places_of(fn, a.total()) > kMostPlaces)
            continue;
        if (a.affine->terms.empty()) {
            auto piece = piece_of(fn, forms, a, nullptr);
            if (!is_same(piece.cost)) plan.pieces.push_back(std::move(piece));
            continue;
        }
        const auto distinct = a.distinct_runs();
        if (distinct.empty() || distinct.size() > 2) continue;
        if (distinct.size() == 2) plan.pairs.push_back(&a);
        if (a.has_two_places()) continue;
        for (const auto* run : distinct) plan.pieces.push_back(piece_of(fn, forms, a, run));
    }
}

/// By what their forms consist of.
std::vector<CountGroup> grouped(const std::vector<Piece>& pieces, const std::function<bool(const Piece&)>& wanted) {
    std::vector<CountGroup> out;
    for (const auto& p : pieces) {
        if (!wanted(p)) continue;
        const auto at =
            std::find_if(out.begin(), out.end(), [&](const CountGroup& g) { return g.form().times == p.form.times; });
        if (at == out.end())
            out.push_back(CountGroup{{&p}});
        else
            at->pieces.push_back(&p);
    }
    return out;
}

/// Joins groups whose distance consists of what is known before the block, and says what must be multiples of a
/// transaction for that, as far as it pays.
void join(FunctionState& fn, CountPlan& plan) {
    const auto bits = transaction_bits(fn);
    std::vector<CountGroup> joined;
    std::map<Product, std::uint64_t> multiples;
    for (const auto& g : plan.groups) {
        const auto apart = [&](const CountGroup& from) { return sum(g.form(), from.form(), -1).times; };
        const auto at = std::find_if(joined.begin(), joined.end(), [&](const CountGroup& from) {
            const auto times = apart(from);
            return std::all_of(times.begin(), times.end(), [&](const auto& e) { return known_before(fn, e.first); });
        });
        if (at == joined.end()) {
            joined.push_back(g);
            continue;
        }
        for (const auto& [product, n] : apart(*at)) {
            const auto zeros = static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(n)));
            multiples[product] |= (std::uint64_t{1} << (bits - std::min(bits, zeros))) - 1;
        }
        at->pieces.insert(at->pieces.end(), g.pieces.begin(), g.pieces.end());
    }
    // Of a loop the test is mostly done before it.
    const bool in_loop = fn.ir.blocks[fn.at.block].loop != simt::kNone;
    const auto costs = in_loop ? 1 : multiples.size() + (plan.pairs.empty() ? kOfTest : 0);
    if (kOfPlace * (plan.groups.size() - joined.size()) <= costs) return;
    plan.groups = std::move(joined);
    plan.multiples = std::move(multiples);
}

V address_of(FunctionState& fn, const Piece& p) {
    V base = address_scalar(fn, *p.access);
    if (p.run) return run_address(fn, *p.access, *p.run, base);
    return fn.b.CreateAdd(base, fn.i64(static_cast<std::uint64_t>(lowest_offset(fn, *p.access->affine))));
}

void count_groups(FunctionState& fn, const std::vector<CountGroup>& groups) {
    for (const auto& g : groups) {
        const auto& root = *g.pieces[0];
        const auto places = add_places(fn, root.access->total());
        count_place(fn, places, address_of(fn, root));
        for (const auto* p : g.pieces)
            cost_at(fn, places, p->access->site, p->cost, wrapped_sum(p->form.constant, -root.form.constant));
    }
}

/// Whether no transaction holds bytes of both runs.
V are_far(FunctionState& fn, const Access& a) {
    const auto distinct = a.distinct_runs();
    const auto &one = *distinct[0], &other = *distinct[1];
    V distance = fn.i64(static_cast<std::uint64_t>(other.offset) - static_cast<std::uint64_t>(one.offset));
    for (std::size_t k = 0; k < one.scale.size(); ++k)
        if (const auto by = wrapped_sum(other.scale[k], -one.scale[k]); by != 0)
            distance = fn.b.CreateAdd(distance, fn.b.CreateMul(factor(fn, a.affine->terms[k].scalar, 64),
                                                               fn.i64(static_cast<std::uint64_t>(by))));
    const auto near = std::max(a.run_bytes(one), a.run_bytes(other)) + fn.options.transaction_bytes - 2;
    return fn.b.CreateICmpUGT(fn.b.CreateAdd(distance, fn.i64(near)), fn.i64(2 * near));
}

/// Whether all pairs are far; null where there is none.
V pairs_far(FunctionState& fn, const CountPlan& plan) {
    V holds = nullptr;
    for (const auto* a : plan.pairs) {
        V far = are_far(fn, *a);
        holds = holds ? fn.b.CreateAnd(holds, far) : far;
    }
    return holds;
}

/// Whether what the groups' distances contain are multiples of a transaction; null where there is nothing.
V multiples_hold(FunctionState& fn, const CountPlan& plan) {
    V bits = nullptr;
    for (const auto& [product, mask] : plan.multiples) {
        V x = fn.b.CreateAnd(factor(fn, product, 64), fn.i64(mask));
        bits = bits ? fn.b.CreateOr(bits, x) : x;
    }
    return bits ? fn.b.CreateICmpEQ(bits, fn.i64(0)) : nullptr;
}

/// The usual way, and another where the condition does not hold; the usual one alone where there is no condition.
void if_holds(FunctionState& fn, V condition, const std::function<void()>& usual, const std::function<void()>& other) {
    if (!condition) return usual();
    const auto nothing = [](const std::function<void()>& f) {
        return [&]() -> V {
            f();
            return nullptr;
        };
    };
    in_two_ways(fn, condition, nothing(usual), nothing(other));
}

}  // namespace

void count_together(FunctionState& fn, const std::vector<Access>& accesses) {
    if (!fn.options.counters) return;
    const PlacedAs as(fn, host_time::Work::counting);
    CountPlan plan;
    find_pieces(fn, accesses, plan);
    plan.groups = grouped(plan.pieces, [](const Piece&) { return true; });
    join(fn, plan);
    V far = pairs_far(fn, plan), multiples = multiples_hold(fn, plan);
    const auto each_distance = [&] { count_groups(fn, grouped(plan.pieces, [](const Piece&) { return true; })); };
    const auto each_pair = [&] {
        const auto is_pair = [&](const Access* a) { return std::ranges::count(plan.pairs, a) != 0; };
        count_groups(fn, grouped(plan.pieces, [&](const Piece& p) { return !is_pair(p.access); }));
        for (const auto* a : plan.pairs) count_converged(fn, *a, address_scalar(fn, *a));
    };
    V all = far && multiples ? fn.b.CreateAnd(far, multiples) : far ? far : multiples;
    if_holds(
        fn, all, [&] { count_groups(fn, plan.groups); },
        [&] {
            if (multiples)
                if_holds(fn, far, each_distance, each_pair);
            else
                each_pair();
        });
    for (const auto& p : plan.pieces) fn.at.counted.insert(p.access->inst);
    for (const auto* a : plan.pairs) fn.at.counted.insert(a->inst);
}

}  // namespace warpwright::engine::codegen

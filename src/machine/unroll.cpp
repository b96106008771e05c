// A loop is recognised by its counter and by the comparison at its end. Results of all turns but the last get new
// names, so that what follows the loop reads the names that it knows.
#include "machine/unroll.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "machine/translate.hpp"
#include "machine/view.hpp"

namespace warpwright::machine {

namespace {

using simt::InstKind;
using POp = simt::Op;

constexpr unsigned kTurns = 4;
/// What a body may weigh: an operation 1, a load of global memory a quarter, a store or an atomic 2.
constexpr double kMostWeight = 21, kLoad = 0.25, kStore = 2;
/// Registers of a kernel whose warps are all resident, those that every kernel has, and the fewest for loads (of wide
/// ones of global memory two).
constexpr unsigned kForAllWarps = 32, kOfEvery = 4, kLeastRoom = 4, kLeastWide = 8;
/// Larger bodies have accesses whose numbers, four times, would not fit.
constexpr unsigned kMostAccesses = 1000;

bool is_long(const simt::Inst& i) { return i.ptx && simt::bits(i.ptx->type()) == 64 && !simt::is_float(i.ptx->type()); }

/// What an instruction adds to the weight of a loop's body.
double weight(const simt::Inst& i) {
    if (!i.counted || !i.ptx) return 0;
    if (i.kind == InstKind::load && i.space != simt::Space::shared) return kLoad;
    if (i.kind == InstKind::store || i.kind == InstKind::atomic) return kStore;
    if (i.kind == InstKind::data) {
        const bool sum = i.ptx->op == POp::add || i.ptx->op == POp::sub;
        if (sum && is_long(i)) return i.in[0].is_value() && i.in[1].is_value() ? 0.5 : 0;
        if (i.ptx->op == POp::mul && i.ptx->has(simt::Mod::wide)) return 0.5;
    }
    return translate(i).issues;
}

/// One loop of one block, as the view has it.
class Loop {
public:
    Loop(const Block& body, const simt::Function& f, simt::BlockId b, std::uint32_t block)
        : body_(body), f_(f), b_(b), block_(block) {
        for (const auto& phi : body.phis)
            for (const auto& [from, v] : phi.in)
                if (from == block_) next_[phi.out] = v;
        for (const auto& op : body.ops)
            for (auto v : op.out) made_[v] = &op;
    }

    bool counts() const {
        const auto& end = f_.blocks[b_].end;
        if (end.kind != simt::Terminator::Kind::branch || (end.targets[0] != b_ && end.targets[1] != b_)) return false;
        if (body_.ops.empty() || body_.ops.back().pipe != Pipe::branch || body_.accesses > kMostAccesses) return false;
        return small() && compare() != nullptr;
    }

    /// The four turns, before they are scheduled.
    Block repeated(std::uint32_t& values) const {
        Block out;
        out.phis = body_.phis, out.guards = body_.guards;
        std::unordered_map<std::uint32_t, std::uint32_t> now;  // by value of the body: where this turn has it
        for (unsigned turn = 0; turn < kTurns; ++turn) {
            const bool last = turn + 1 == kTurns;
            if (turn > 0) advance(now);
            for (const auto& op : body_.ops) {
                const auto counter = counter_of(op);
                if (!last && (&op == compare() || op.pipe == Pipe::branch)) continue;
                if (!last && counter && folds(*counter, op.out[0])) {
                    now[op.out[0]] = find(now, op.in[0]);
                    continue;
                }
                Op copy = op;
                for (auto& v : copy.in) v = find(now, v);
                for (auto& v : copy.out) {
                    const auto name = last ? v : values++;
                    now[v] = name, v = name;
                }
                if (copy.access >= 0)
                    copy.access =
                        static_cast<std::int16_t>(copy.access + static_cast<int>(turn * (body_.accesses + 1u)));
                out.ops.push_back(std::move(copy));
            }
        }
        out.accesses = static_cast<std::uint16_t>(kTurns * (body_.accesses + 1u) - 1);
        return out;
    }

    /// Registers that the turns have for what they load early: all that a kernel takes whose warps are all resident,
    /// without what the loop holds from turn to turn.
    unsigned room(std::uint32_t first_value) const {
        std::set<std::uint32_t> held;
        for (const auto& op : body_.ops)
            for (auto v : op.in)
                if (!made_.contains(v)) held.insert(v);
        for (const auto& [phi, v] : next_) held.insert(phi);
        unsigned registers = kOfEvery;
        for (auto v : held) {
            const auto type = f_.values[v - first_value].type;
            if (type != simt::Type::pred) registers += std::max(1u, simt::bits(type) / 32);
        }
        const bool wide = std::any_of(body_.ops.begin(), body_.ops.end(), [](const Op& op) {
            return op.effect == Effect::load && op.space != simt::Space::shared && op.bytes > 8;
        });
        const unsigned least = wide ? kLeastWide : kLeastRoom;
        return registers + least < kForAllWarps ? kForAllWarps - registers : least;
    }

private:
    using Names = std::unordered_map<std::uint32_t, std::uint32_t>;
    static std::uint32_t find(const Names& names, std::uint32_t v) {
        const auto at = names.find(v);
        return at == names.end() ? v : at->second;
    }

    /// The next turn's phis are what the turn before has made for it.
    void advance(Names& now) const {
        Names then;
        for (const auto& [phi, v] : next_) then[phi] = find(now, v);
        for (const auto& [phi, v] : then) now[phi] = v;
    }

    bool small() const {
        double all = 0;
        for (const auto& i : f_.blocks[b_].insts) {
            if (i.ptx && i.ptx->nounroll) return false;
            all += weight(i);
        }
        if (const auto* p = f_.blocks[b_].end.ptx; p && p->nounroll) return false;
        const bool splits = std::any_of(body_.ops.begin(), body_.ops.end(), [](const Op& op) { return op.splits; });
        return !splits && all + 1 <= kMostWeight;
    }

    /// The phi that an operation moves by a constant for the next turn; none if it does anything else.
    std::optional<std::uint32_t> counter_of(const Op& op) const {
        if (op.effect != Effect::none || op.in.size() != 1 || op.out.size() != 1 || !op.ptx) return std::nullopt;
        if ((op.ptx->op != POp::add && op.ptx->op != POp::sub) || simt::is_float(op.ptx->type())) return std::nullopt;
        const auto at = next_.find(op.in[0]);
        if (at == next_.end() || at->second != op.out[0]) return std::nullopt;
        return op.in[0];
    }

    /// Whether every reader of a counter takes a constant beside it: accesses, the compare, and its own next step.
    bool folds(std::uint32_t phi, std::uint32_t moved) const {
        for (const auto& op : body_.ops) {
            const bool reads = std::any_of(op.in.begin(), op.in.end(), [&](auto v) { return v == phi || v == moved; });
            if (reads && op.effect == Effect::none && &op != compare() && !counter_of(op)) return false;
        }
        return true;
    }

    /// The operation that ends the loop: a counter against what the loop does not change.
    const Op* compare() const {
        const auto& ends = body_.ops.back().in;
        if (ends.size() != 1) return nullptr;
        const auto at = made_.find(ends[0]);
        if (at == made_.end()) return nullptr;
        const Op& op = *at->second;
        if (!op.ptx || op.ptx->op != POp::setp || simt::is_float(op.ptx->type())) return nullptr;
        unsigned counters = 0, others = 0;
        for (auto v : op.in) {
            const auto made = made_.find(v);
            if (made != made_.end())
                counter_of(*made->second) ? ++counters : ++others;
            else if (const auto next = next_.find(v); next != next_.end()) {
                const auto step = made_.find(next->second);
                step != made_.end() && counter_of(*step->second) ? ++counters : ++others;
            }
        }
        return counters == 1 && others == 0 ? &op : nullptr;
    }

    const Block& body_;
    const simt::Function& f_;
    simt::BlockId b_;
    std::uint32_t block_;
    Names next_;  ///< by phi: what it is in the next turn
    std::unordered_map<std::uint32_t, const Op*> made_;
};

}  // namespace

std::optional<Unrolled> unroll(const Block& body, const simt::Function& f, simt::BlockId b, std::uint32_t first_block,
                               std::uint32_t first_value, std::uint32_t& values) {
    const Loop loop(body, f, b, first_block + b);
    if (!loop.counts()) return std::nullopt;
    return Unrolled{loop.repeated(values), kTurns, loop.room(first_value)};
}

}  // namespace warpwright::machine

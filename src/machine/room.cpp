// What lives across a block is what its begin and the begin of a block behind it have, and what a loop changes from
// turn to turn.
#include "machine/room.hpp"

#include <algorithm>
#include <set>

namespace warpwright::machine {

namespace {

/// Registers of a kernel whose warps are all resident, and those that every kernel has.
constexpr unsigned kForAllWarps = 32, kOfEvery = 2;
/// Words of loads that the rule is for, and how many of these are under way at least: of all, and of those under a
/// predicate or with an address that is computed for them.
constexpr unsigned kWide = 4, kLeast = 4, kLeastPrepared = 2;

bool is_early(const Op& op) {
    return op.effect == Effect::load && op.space != simt::Space::shared && op.pipe == Pipe::memory && op.spill < 0;
}

/// Whether a load waits for a predicate, or for an address that one of the operations makes.
bool is_prepared(const Op& op, const std::set<std::uint32_t>& made) {
    for (std::size_t k = 0; k < op.in.size(); ++k)
        if (made.contains(op.in[k]) || (k < op.uses.size() && op.uses[k] == Use::guard)) return true;
    return false;
}

}  // namespace

Rooms::Rooms(const simt::Function& f) : f_(f), live_in_(simt::live_in(f, {})), constant_(f.values.size()) {
    for (const auto& block : f.blocks)
        for (const auto& i : block.insts)
            if (i.kind == simt::InstKind::load && (i.space == simt::Space::param || i.space == simt::Space::constant))
                for (auto v : i.out)
                    if (v != simt::kNone) constant_[v] = true;
}

unsigned Rooms::width(simt::ValueId v) const {
    const auto type = f_.values[v].type;
    return constant_[v] || type == simt::Type::pred ? 0 : std::max(1u, simt::bits(type) / 32);
}

unsigned Rooms::held(simt::BlockId from, simt::BlockId to) const {
    std::set<simt::ValueId> across;
    bool again = false;
    for (const auto t : f_.blocks[to].end.targets) {
        if (t == simt::kNone) continue;
        again |= t == from;
        live_in_[t].each([&](std::uint32_t v) {
            if (live_in_[from].test(v)) across.insert(v);
        });
        for (const auto& i : f_.blocks[t].insts) {
            if (i.kind != simt::InstKind::phi) break;
            for (std::size_t k = 0; k < i.in.size(); ++k)
                if (i.from[k] == to && i.in[k].is_value() && live_in_[from].test(i.in[k].value))
                    across.insert(i.in[k].value);
        }
    }
    unsigned out = 0;
    for (const auto v : across) out += width(v);
    if (again)
        for (const auto& i : f_.blocks[from].insts) {
            if (i.kind != simt::InstKind::phi) break;
            if (i.out[0] != simt::kNone) out += width(i.out[0]);
        }
    return out;
}

unsigned Rooms::words(simt::BlockId from, simt::BlockId to, const std::vector<Op>& ops) const {
    unsigned loads = 0, widest = 1;
    std::set<std::uint32_t> made;
    bool prepared = false;
    for (const Op& op : ops) {
        if (is_early(op)) {
            ++loads;
            widest = std::max<unsigned>(widest, op.bytes / 4u);
            prepared |= is_prepared(op, made);
        }
        made.insert(op.out.begin(), op.out.end());
    }
    if (loads <= kLeastPrepared || widest < kWide) return ~0u;
    const unsigned least = prepared ? kLeastPrepared : kLeast;
    const unsigned taken = kOfEvery + held(from, to);
    return std::max(kForAllWarps - std::min(kForAllWarps, taken), least * widest);
}

}  // namespace warpwright::machine

// Four classes take the steps: how far the next uses are, which values give up their registers, which places in memory
// they share, and the rewriting of the blocks. Where an assembler told what it spills, a bisection finds the number of
// registers that moves as many bytes.
#include "machine/spill.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "machine/registers.hpp"
#include "machine/schedule.hpp"
#include "machine/view.hpp"

namespace warpwright::machine {

namespace {

/// What a loop's exit adds to the distance of a use: more than any loop is long.
constexpr std::uint32_t kExit = 1'000'000, kNever = std::numeric_limits<std::uint32_t>::max();
/// The fewest registers that loads may take before they are read.
constexpr unsigned kLeastRoom = 4;
/// Of functions with more blocks times values nothing is spilled.
constexpr std::size_t kMostWork = 200'000'000;

using Value = std::uint32_t;
using Distances = std::unordered_map<Value, std::uint32_t>;

std::uint32_t sum(std::uint32_t a, std::uint32_t b) { return a > kNever - b ? kNever : a + b; }

/// The blocks of one function in a Code, and how far each of its values is from its next use.
class Uses {
public:
    Uses(const Code& code, std::size_t first_block, const simt::Function& f, Value first_value)
        : f_(f),
          first_value_(first_value),
          blocks_(code.blocks.begin() + static_cast<std::ptrdiff_t>(first_block), code.blocks.end()),
          first_block_(static_cast<std::uint32_t>(first_block)),
          head_(blocks_.size()) {
        for (const Block& b : blocks_)
            for (const Op& op : b.ops)
                if (op.pipe == Pipe::none && op.space == simt::Space::constant)
                    for (Value v : op.out) free_.insert(v);  // an operand of whoever reads it
        for (bool any = true; any;) {
            any = false;
            for (std::size_t b = blocks_.size(); b-- > 0;) {
                Distances now = walk(b);
                any |= now != head_[b];
                head_[b] = std::move(now);
            }
        }
    }

    const std::vector<Block>& blocks() const { return blocks_; }
    const simt::Function& function() const { return f_; }

    /// Registers of a value; 0 for those that need none.
    unsigned width(Value v) const {
        if (v < first_value_ || v - first_value_ >= f_.values.size() || free_.contains(v)) return 0;
        const auto t = f_.values[v - first_value_].type;
        return t == simt::Type::pred ? 0 : std::max(1u, simt::bits(t) / 32);
    }
    /// What is live at a block's begin, its phis among them, and how far it is from its next use.
    const Distances& head(std::size_t b) const { return head_[b]; }
    /// The same at its end, from there on.
    Distances tail(std::size_t b) const {
        Distances out;
        for (auto to : f_.blocks[b].end.targets) {
            const std::uint32_t more = kExit * exits(b, to);
            for (const auto& [v, d] : head_[to])
                if (!is_phi(to, v)) nearer(out, v, sum(d, more));
            for (const auto& phi : blocks_[to].phis)
                if (const auto v = from(phi, b); v != simt::kNone && head_[to].contains(phi.out) && width(v) > 0)
                    nearer(out, v, more);
        }
        return out;
    }
    /// What a phi is where the warp comes from block `b`; kNone: a constant.
    Value from(const Phi& phi, std::size_t b) const {
        for (const auto& [block, v] : phi.in)
            if (block == first_block_ + b) return v;
        return simt::kNone;
    }
    bool is_phi(std::size_t b, Value v) const {
        return std::any_of(blocks_[b].phis.begin(), blocks_[b].phis.end(), [&](const Phi& p) { return p.out == v; });
    }
    /// The loop that begins with this block; kNone.
    std::uint32_t loop_of_header(std::size_t b) const {
        const auto loop = f_.blocks[b].loop;
        return loop != simt::kNone && f_.loops[loop].header == b ? loop : simt::kNone;
    }

private:
    static void nearer(Distances& all, Value v, std::uint32_t d) {
        const auto [at, fresh] = all.try_emplace(v, d);
        if (!fresh) at->second = std::min(at->second, d);
    }
    unsigned depth(std::size_t b) const {
        const auto loop = f_.blocks[b].loop;
        return loop == simt::kNone ? 0 : f_.loops[loop].depth;
    }
    unsigned exits(std::size_t from, std::size_t to) const {
        return depth(from) > depth(to) ? depth(from) - depth(to) : 0;
    }
    Distances walk(std::size_t b) const {
        const auto& ops = blocks_[b].ops;
        Distances live;
        for (const auto& [v, d] : tail(b)) live[v] = sum(d, static_cast<std::uint32_t>(ops.size()));
        for (std::size_t k = ops.size(); k-- > 0;) {
            for (Value v : ops[k].out) live.erase(v);
            for (Value v : ops[k].in)
                if (width(v) > 0) live[v] = static_cast<std::uint32_t>(k);
        }
        return live;
    }

    const simt::Function& f_;
    Value first_value_;
    std::vector<Block> blocks_;
    std::uint32_t first_block_;
    std::set<Value> free_;
    std::vector<Distances> head_;
};

/// Chooses which values have registers where.
class Spiller {
public:
    Spiller(const Uses& uses, unsigned registers)
        : uses_(uses),
          registers_(registers),
          blocks_(uses.blocks().size()),
          entry_(blocks_),
          exit_(blocks_),
          done_(blocks_),
          loads_(blocks_) {
        for (std::size_t b = 0; b < blocks_; ++b) block(b);
        for (std::size_t b = 0; b < blocks_; ++b)
            for (auto p : uses_.function().blocks[b].preds) edge(p, b);
        // A phi and what it is made of lie at one place.
        for (bool any = true; any;) {
            any = false;
            for (std::size_t b = 0; b < blocks_; ++b)
                for (const Phi& phi : uses_.blocks()[b].phis)
                    if (spilled_.contains(phi.out))
                        for (const auto& [from, v] : phi.in)
                            if (uses_.width(v) > 0) any |= spilled_.insert(v).second;
        }
    }

    const std::set<Value>& spilled() const { return spilled_; }
    /// Registers that a block does not begin with: for what it loads early.
    unsigned room(std::size_t b) const {
        unsigned held = 0;
        for (Value v : entry_[b]) held += uses_.width(v);
        return std::max(kLeastRoom, registers_ - std::min(registers_, held));
    }
    /// What block `b` loads before its operation number `first`.
    const std::multimap<std::size_t, Value>& loads(std::size_t b) const { return loads_[b]; }

private:
    using Held = std::map<Value, std::uint32_t>;  ///< with the place of its next use, in the block or beyond

    unsigned taken(const Held& held) const {
        return std::accumulate(held.begin(), held.end(), 0u,
                               [&](unsigned n, const auto& one) { return n + uses_.width(one.first); });
    }

    /// Values give up registers until no more than `most` are taken, those that are read latest first.
    void limit(Held& held, unsigned most) {
        for (unsigned now = taken(held); now > most && !held.empty();) {
            const auto last = std::max_element(held.begin(), held.end(),
                                               [](const auto& a, const auto& b) { return a.second < b.second; });
            if (last->second != kNever) spilled_.insert(last->first);
            now -= uses_.width(last->first);
            held.erase(last);
        }
    }

    void block(std::size_t b) {
        const auto& ops = uses_.blocks()[b].ops;
        const Distances beyond = uses_.tail(b);
        // By value: the places of its uses, the last first.
        std::unordered_map<Value, std::vector<std::uint32_t>> places;
        for (std::size_t k = ops.size(); k-- > 0;)
            for (Value v : ops[k].in)
                if (auto& list = places[v]; list.empty() || list.back() != k)
                    list.push_back(static_cast<std::uint32_t>(k));
        const auto next = [&](Value v, std::size_t from) {
            auto& list = places[v];
            while (!list.empty() && list.back() < from) list.pop_back();
            if (!list.empty()) return list.back();
            const auto at = beyond.find(v);
            return at == beyond.end() ? kNever : sum(at->second, static_cast<std::uint32_t>(ops.size()));
        };
        Held held;
        for (Value v : at_begin(b)) held[v] = next(v, 0);
        for (const auto& [v, place] : held) entry_[b].insert(v);
        for (std::size_t k = 0; k < ops.size(); ++k) {
            for (Value v : ops[k].in) {
                if (uses_.width(v) == 0) continue;
                if (!held.contains(v)) loads_[b].emplace(k, v), spilled_.insert(v);
                held[v] = static_cast<std::uint32_t>(k);
            }
            limit(held, registers_);
            unsigned made = 0;
            for (Value v : ops[k].in)
                if (const auto at = held.find(v); at != held.end()) {
                    at->second = next(v, k + 1);
                    if (at->second == kNever) held.erase(at);
                }
            for (Value v : ops[k].out) made += uses_.width(v);
            limit(held, registers_ - std::min(registers_, made));
            for (Value v : ops[k].out)
                if (uses_.width(v) > 0)
                    if (const auto place = next(v, k + 1); place != kNever) held[v] = place;
        }
        for (const auto& [v, place] : held) exit_[b].insert(v);
        done_[b] = true;
    }

    /// What has a register at a block's begin.
    std::vector<Value> at_begin(std::size_t b) const {
        std::vector<std::pair<std::uint64_t, Value>> list;
        const auto loop = uses_.loop_of_header(b);
        unsigned through = 0, in_loop = 0;
        if (loop != simt::kNone) {
            for (const auto& [v, d] : uses_.head(b))
                if (d >= kExit) through += uses_.width(v);
            for (auto inner : uses_.function().loops[loop].blocks) in_loop = std::max(in_loop, pressure(inner));
        }
        for (const auto& [v, d] : uses_.head(b)) {
            std::uint64_t key = d;
            if (loop == simt::kNone) {
                // What all blocks before have comes first, what none has is loaded where it is read.
                unsigned have = 0, all = 0;
                for (auto p : uses_.function().blocks[b].preds) {
                    if (!done_[p]) continue;
                    ++all;
                    have += has_at_exit(p, b, v);
                }
                if (have == 0) continue;
                if (have < all) key += std::uint64_t{1} << 40;
            }
            list.emplace_back(key, v);
        }
        std::sort(list.begin(), list.end());
        // Values that a loop does not read keep registers only where its own leave some.
        const unsigned own = in_loop > through ? in_loop - through : 0;
        unsigned left = registers_, left_through = registers_ > own ? registers_ - own : 0;
        std::vector<Value> out;
        for (const auto& [key, v] : list) {
            const unsigned width = uses_.width(v);
            const bool passes = loop != simt::kNone && key >= kExit;
            if (width > left || (passes && width > left_through)) continue;
            left -= width;
            if (passes) left_through -= width;
            out.push_back(v);
        }
        return out;
    }

    bool has_at_exit(std::size_t p, std::size_t b, Value v) const {
        for (const Phi& phi : uses_.blocks()[b].phis)
            if (phi.out == v) {
                const Value from = uses_.from(phi, p);
                return from == simt::kNone || uses_.width(from) == 0 || exit_[p].contains(from);
            }
        return exit_[p].contains(v);
    }

    /// The most registers that a block's values take at once.
    unsigned pressure(std::size_t b) const {
        std::set<Value> live;
        unsigned now = 0, most = 0;
        for (const auto& [v, d] : uses_.tail(b))
            if (live.insert(v).second) now += uses_.width(v);
        most = now;
        const auto& ops = uses_.blocks()[b].ops;
        for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
            for (Value v : op->out)
                if (live.erase(v)) now -= uses_.width(v);
            for (Value v : op->in)
                if (uses_.width(v) > 0 && live.insert(v).second) now += uses_.width(v);
            most = std::max(most, now);
        }
        return most;
    }

    /// What the way from one block to another has to load, and what has to be in memory there.
    void edge(std::size_t p, std::size_t b) {
        const bool at_end =
            uses_.function().blocks[p].end.targets.size() == 1 || uses_.function().blocks[b].preds.size() > 1;
        const auto load = [&](Value v) {
            spilled_.insert(v);
            const auto& ops = uses_.blocks()[p].ops;
            const std::size_t end = ops.size() - (!ops.empty() && ops.back().pipe == Pipe::branch);
            if (at_end)
                loads_[p].emplace(end, v);
            else
                loads_[b].emplace(0, v);
        };
        for (const auto& [v, d] : uses_.head(b)) {
            const auto& phis = uses_.blocks()[b].phis;
            const auto phi = std::find_if(phis.begin(), phis.end(), [&](const Phi& one) { return one.out == v; });
            const Value from = phi == phis.end() ? v : uses_.from(*phi, p);
            if (from == simt::kNone || uses_.width(from) == 0) continue;
            const bool here = entry_[b].contains(v), there = exit_[p].contains(from);
            if (here && !there) load(from);
            if (!here) spilled_.insert(v), spilled_.insert(from);
        }
    }

    const Uses& uses_;
    unsigned registers_;
    std::size_t blocks_;
    std::vector<std::set<Value>> entry_, exit_;
    std::vector<bool> done_;
    std::vector<std::multimap<std::size_t, Value>> loads_;
    std::set<Value> spilled_;
};

/// Places in local memory: values that are never live together share one.
class Frame {
public:
    Frame(const Uses& uses, const std::set<Value>& spilled) {
        for (Value v : spilled) group_[v] = v;
        for (const Block& b : uses.blocks())
            for (const Phi& phi : b.phis)
                if (group_.contains(phi.out))
                    for (const auto& [from, v] : phi.in)
                        if (group_.contains(v)) group_[find(v)] = find(phi.out);
        // From the first to the last block where one of a group lives.
        std::map<Value, std::pair<std::size_t, std::size_t>> lives;
        const auto lives_in = [&](Value v, std::size_t b) {
            if (!group_.contains(v)) return;
            auto& [first, last] = lives.try_emplace(find(v), b, b).first->second;
            first = std::min(first, b), last = std::max(last, b);
        };
        for (std::size_t b = 0; b < uses.blocks().size(); ++b) {
            for (const auto& [v, d] : uses.head(b)) lives_in(v, b);
            for (const auto& [v, d] : uses.tail(b)) lives_in(v, b);
            for (const Op& op : uses.blocks()[b].ops)
                for (Value v : op.out) lives_in(v, b);
        }
        std::map<Value, unsigned> widths;
        for (Value v : spilled) widths[find(v)] = std::max(widths[find(v)], uses.width(v));
        std::vector<std::pair<std::pair<std::size_t, std::size_t>, Value>> order;
        for (const auto& [v, span] : lives) order.push_back({span, v});
        std::sort(order.begin(), order.end());
        std::vector<std::size_t> until;  // by word: the last block in which it is taken
        for (const auto& [span, v] : order) {
            const unsigned width = std::max(1u, widths[v]);
            std::size_t at = 0;
            const auto taken = [&] {
                for (std::size_t w = at; w < std::min(at + width, until.size()); ++w)
                    if (until[w] != kFree && until[w] >= span.first) return true;
                return false;
            };
            while (taken()) at += width;
            if (until.size() < at + width) until.resize(at + width, kFree);
            std::fill_n(until.begin() + static_cast<std::ptrdiff_t>(at), width, span.second);
            words_[v] = static_cast<std::uint32_t>(at);
        }
        size_ = static_cast<unsigned>(until.size());
    }
    std::uint32_t word(Value v) { return words_[find(v)]; }
    unsigned words() const { return size_; }

private:
    static constexpr std::size_t kFree = ~std::size_t{0};
    Value find(Value v) {
        while (group_[v] != v) v = group_[v] = group_[group_[v]];
        return v;
    }
    std::map<Value, Value> group_;
    std::map<Value, std::uint32_t> words_;
    unsigned size_ = 0;
};

/// Puts the stores and loads into the blocks.
class Rewriter {
public:
    Rewriter(Code& code, std::size_t first_block, const Uses& uses, const Spiller& spiller)
        : code_(code), first_block_(first_block), uses_(uses), spiller_(spiller), frame_(uses, spiller.spilled()) {}

    Spills run() {
        for (Value v : spiller_.spilled())
            if (const auto [at, fresh] = stored_.try_emplace(frame_.word(v), code_.values); fresh) ++code_.values;
        for (std::size_t b = 0; b < uses_.blocks().size(); ++b) rewrite(b);
        out_.frame = 4 * frame_.words();
        return out_;
    }

private:
    Op access(Effect effect, Value v, const simt::Details* ptx) {
        Op op;
        op.pipe = Pipe::memory, op.effect = effect;
        op.space = simt::Space::local;
        op.bytes = static_cast<std::uint8_t>(4 * uses_.width(v));
        op.spill = static_cast<std::int32_t>(frame_.word(v));
        op.ptx = ptx;
        // The load waits for the store, by a value that stands for the place.
        if (effect == Effect::store)
            op.in = {v}, op.out = {stored_[frame_.word(v)]}, out_.stores += op.bytes;
        else
            op.in = {stored_[frame_.word(v)]}, op.out = {v}, out_.loads += op.bytes;
        op.uses.assign(1, Use::plain);
        return op;
    }

    void rewrite(std::size_t b) {
        Block& block = code_.blocks[first_block_ + b];
        const auto& loads = spiller_.loads(b);
        std::vector<Op> ops;
        for (std::size_t k = 0; k <= block.ops.size(); ++k) {
            const simt::Details* ptx = k < block.ops.size() ? block.ops[k].ptx : nullptr;
            for (auto [at, end] = loads.equal_range(k); at != end; ++at)
                ops.push_back(access(Effect::load, at->second, ptx));
            if (k == block.ops.size()) break;
            ops.push_back(std::move(block.ops[k]));
            const std::vector<Value> made = ops.back().out;
            for (Value v : made)
                if (spiller_.spilled().contains(v)) ops.push_back(access(Effect::store, v, ptx));
        }
        const unsigned more = static_cast<unsigned>(ops.size() - block.ops.size());
        block.ops = std::move(ops);
        schedule(block.ops, spiller_.room(b));
        block.slots += more, code_.instructions += more;
    }

    Code& code_;
    std::size_t first_block_;
    const Uses& uses_;
    const Spiller& spiller_;
    Frame frame_;
    std::map<std::uint32_t, Value> stored_;  ///< by word of the frame: a value that stands for it
    Spills out_;
};

}  // namespace

namespace {

Spills append_with(Code& code, const simt::Function& f, unsigned registers) {
    const std::size_t first_block = code.blocks.size();
    const Value first_value = code.values;
    append(code, f, Order::program);
    const Uses uses(code, first_block, f, first_value);
    const Spiller spiller(uses, registers - std::min(registers - 1, kOfEveryKernel));
    return Rewriter(code, first_block, uses, spiller).run();
}

/// With how many registers, of at most `most`, our choice moves as many bytes as an assembler said that its own does.
unsigned registers_that_spill(const simt::Function& f, const Spills& told, unsigned most) {
    const auto bytes = [&](unsigned registers) {
        Code code;
        const Spills s = append_with(code, f, registers);
        return s.stores + s.loads;
    };
    const unsigned wanted = told.stores + told.loads;
    unsigned low = kOfEveryKernel + 1, high = std::max(low, most);  // the fewer registers, the more bytes
    while (low < high) {
        const unsigned middle = low + (high - low) / 2;
        if (bytes(middle) > wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == kOfEveryKernel + 1) return low;
    const unsigned above = bytes(low - 1), below = bytes(low);
    return below == 0 || above - wanted < wanted - below ? low - 1 : low;
}

}  // namespace

Spills append_within_registers(Code& code, const simt::Function& f, const std::optional<Spills>& told) {
    const bool small = f.blocks.size() * f.values.size() <= kMostWork;
    const unsigned allowed = registers_allowed(f);
    const bool spills = told ? told->stores + told->loads > 0 : f.kernel && small && registers_needed(f) > allowed;
    if (!spills || !small) {
        append(code, f);
        return {};
    }
    return append_with(code, f, told ? registers_that_spill(f, *told, registers_needed(f)) : allowed);
}

Spills spills(const simt::Function& f) {
    Code code;
    return append_within_registers(code, f);
}

}  // namespace warpwright::machine

// A fixed point over the blocks finds what is live, and a walk through each block its busiest place. Operations are
// issued early only as long as as many warps stay resident, so that the order of the program gives a limit too.
#include "machine/registers.hpp"

#include <algorithm>
#include <unordered_map>

#include "machine/code.hpp"
#include "machine/view.hpp"

namespace warpwright::machine {

namespace {

/// Registers with which all warps of a multiprocessor are resident.
constexpr unsigned kForAllWarps = 32;
/// The fewest that are handed out, the most, and their steps.
constexpr unsigned kFewest = 16, kMost = 255, kUnit = 8;
/// Of a multiprocessor, since compute capability 3.0.
constexpr unsigned kRegisterFile = 65536;
constexpr unsigned kSchedulers = 4;
/// A caller by the ABI has at least so many: its callee's 16, and what the convention keeps beside them. Measured:
/// ptxas 13.0 for 9.0 gives 24 to a kernel with a call and one live value.
constexpr unsigned kFewestOfCallers = 24;
/// Larger functions keep the estimate that their lowering made: bits of a set of values for each block.
constexpr std::size_t kMostBits = 200'000'000;

/// A set of values.
class Set {
public:
    explicit Set(std::size_t values) : words_((values + 63) / 64) {}
    void add(std::uint32_t v) { words_[v / 64] |= std::uint64_t{1} << v % 64; }
    void remove(std::uint32_t v) { words_[v / 64] &= ~(std::uint64_t{1} << v % 64); }
    bool has(std::uint32_t v) const { return words_[v / 64] >> v % 64 & 1; }
    /// Whether anything was new.
    bool add(const Set& other) {
        bool any = false;
        for (std::size_t k = 0; k < words_.size(); ++k) {
            any |= (other.words_[k] & ~words_[k]) != 0;
            words_[k] |= other.words_[k];
        }
        return any;
    }
    template <class Fn>
    void each(const Fn& fn) const {
        for (std::size_t k = 0; k < words_.size(); ++k)
            for (auto rest = words_[k]; rest; rest &= rest - 1)
                fn(static_cast<std::uint32_t>(64 * k + static_cast<unsigned>(__builtin_ctzll(rest))));
    }

private:
    std::vector<std::uint64_t> words_;
};

/// Registers in use. A word that an operation reads beside a pair goes to an odd register, so that both are not in one
/// bank; other words fill what the pairs and these leave.
class Count {
public:
    explicit Count(const std::vector<unsigned>& width, const std::vector<bool>& odd) : width_(width), odd_(odd) {}
    void add(std::uint32_t v) { of(v) += width_[v]; }
    void remove(std::uint32_t v) { of(v) -= width_[v]; }
    /// One after the other, and with banks kept; kOfEveryKernel of them not among them, but the stack pointer is odd.
    unsigned packed() const { return pairs_ + odd_words_ + words_; }
    unsigned in_banks() const { return pairs_ + odd_words_ + std::max(odd_words_ + 1, words_); }

private:
    unsigned& of(std::uint32_t v) { return width_[v] > 1 ? pairs_ : odd_[v] ? odd_words_ : words_; }
    const std::vector<unsigned>& width_;
    const std::vector<bool>& odd_;
    unsigned pairs_ = 0, odd_words_ = 0, words_ = 0;
};

/// The busiest place.
struct Most {
    unsigned packed = 0, in_banks = 0;
    void take(const Count& now, unsigned more) {
        packed = std::max(packed, now.packed() + more);
        in_banks = std::max(in_banks, now.in_banks() + more);
    }
};

class Pressure {
public:
    Pressure(const Code& code, const simt::Function& f)
        : code_(code), f_(f), width_(code.values), odd_(code.values), is_loaded_(code.values), copy_of_(code.values) {
        for (std::size_t v = 0; v < f.values.size(); ++v) {
            const auto t = f.values[v].type;
            width_[v] = t == simt::Type::pred ? 0 : std::max(1u, simt::bits(t) / 32);
        }
        for (const auto& b : code.blocks)
            if (b.unrolled >= 0) name_unrolled(b);
        for (std::uint32_t v = 0; v < copy_of_.size(); ++v) copy_of_[v] = v;
        each_op([&](const Op& op) { find_copy(op); });
        find_innermost();
        find_loaded();
        each_op([&](const Op& op) { find_odd(op); });
        in_.assign(code.blocks.size(), Set(width_.size()));
    }

    Most most() {
        for (bool any = true; any;) {
            any = false;
            for (std::size_t b = code_.blocks.size(); b-- > 0;)
                any |= in_[b].add(walk(b, code_.blocks[b].ops, nullptr));
        }
        Most most;
        for (std::size_t b = 0; b < code_.blocks.size(); ++b) {
            walk(b, code_.blocks[b].ops, &most);
            if (code_.blocks[b].unrolled >= 0) walk(b, unrolled_of(code_.blocks[b]), &most);
        }
        return most;
    }

private:
    const std::vector<Op>& unrolled_of(const Block& b) const {
        return code_.unrolled[static_cast<std::size_t>(b.unrolled)].body.ops;
    }
    template <class Fn>
    void each_op(const Fn& fn) const {
        for (const auto& b : code_.blocks)
            for (const auto& op : b.ops) fn(op);
        for (const auto& u : code_.unrolled)
            for (const auto& op : u.body.ops) fn(op);
    }

    /// Results of a loop's first turns have names of their own, and the last turn's widths.
    void name_unrolled(const Block& block) {
        std::unordered_map<const simt::Details*, const Op*> original;
        for (const auto& op : block.ops) original[op.ptx] = &op;
        for (const auto& op : unrolled_of(block))
            if (const auto at = original.find(op.ptx); at != original.end())
                for (std::size_t k = 0; k < std::min(op.out.size(), at->second->out.size()); ++k)
                    width_[op.out[k]] = width_[at->second->out[k]];
    }

    /// A word that is widened with its sign stays a word: its upper half is made again where it is read.
    void find_copy(const Op& op) {
        if (!op.ptx || op.ptx->op != simt::Op::cvt || op.in.size() != 1 || op.out.size() != 1) return;
        if (op.ptx->type(0) == simt::Type::s64 && op.ptx->type(1) == simt::Type::s32 && width_[op.in[0]] == 1)
            copy_of_[op.out[0]] = op.in[0];
    }

    /// By block: the loop that it is in, where no other loop is inside; else kNone.
    void find_innermost() {
        std::vector<bool> outer(f_.loops.size());
        for (const auto& loop : f_.loops)
            if (loop.parent != simt::kNone) outer[loop.parent] = true;
        for (const auto& b : f_.blocks)
            innermost_.push_back(b.loop != simt::kNone && !outer[b.loop] ? b.loop : simt::kNone);
    }

    /// The constant bank is an operand of whoever reads it, but for an address: that is a pair of registers, loaded
    /// where a block first reads it, or before an innermost loop.
    void find_loaded() {
        std::vector<bool> constant(width_.size());
        each_op([&](const Op& op) {
            if (op.pipe == Pipe::none && op.space == simt::Space::constant)
                for (auto v : op.out) constant[v] = true;
        });
        first_.resize(code_.blocks.size());
        for (std::size_t b = 0; b < code_.blocks.size(); ++b)
            for (std::size_t k = 0; k < code_.blocks[b].ops.size(); ++k)
                for (auto v : code_.blocks[b].ops[k].in)
                    if (constant[v] && reads_pair(code_.blocks[b].ops[k], v)) {
                        is_loaded_[v] = true;
                        first_[b].try_emplace(v, k);
                    }
        for (std::uint32_t v = 0; v < width_.size(); ++v) {
            if (constant[v] && !is_loaded_[v]) width_[v] = 0;
            if (is_loaded_[v]) loaded_.push_back(v);
        }
    }
    /// Accesses have their address in registers, and wide multiplications what is added to them.
    bool reads_pair(const Op& op, std::uint32_t v) const {
        return width_[v] == 2 && ((op.pipe == Pipe::multiply && op.work == 2) || op.pipe == Pipe::memory);
    }

    /// The words that are read beside a pair: what is stored, and what a wide multiplication adds a pair to.
    void find_odd(const Op& op) {
        const bool wide = op.pipe == Pipe::multiply && op.work == 2;
        if (!wide && op.effect != Effect::store && op.effect != Effect::atomic) return;
        if (std::none_of(op.in.begin(), op.in.end(), [&](auto v) { return width_[v] == 2; })) return;
        for (auto v : op.in)
            if (width_[v] == 1) odd_[v] = true;
    }

    /// What is live at the block's end.
    Set live_out(std::size_t b) const {
        Set live(width_.size());
        for (auto t : f_.blocks[b].end.targets) {
            Set there = in_[t];
            if (innermost_[b] == simt::kNone || innermost_[t] != innermost_[b])
                for (auto v : loaded_) there.remove(v);
            live.add(there);
            for (const auto& phi : code_.blocks[t].phis) {
                live.remove(phi.out);
                for (const auto& [from, v] : phi.in)
                    if (from == b) live.add(copy_of_[v]);
            }
        }
        return live;
    }

    /// What is live at the begin of a block with these operations, where its phis have their values; `most`: takes the
    /// registers of its busiest place.
    Set walk(std::size_t b, const std::vector<Op>& ops, Most* most) const {
        Set live = live_out(b);
        Count now(width_, odd_);
        if (most) live.each([&](std::uint32_t v) { now.add(v); });
        if (most) most->take(now, 0);
        for (std::size_t k = ops.size(); k-- > 0;) {
            const Op& op = ops[k];
            for (auto v : op.out)
                if (live.has(v)) live.remove(v), now.remove(v);
            if (most) most->take(now, op.takes);
            for (auto read : op.in)
                if (const auto v = copy_of_[read]; !live.has(v) && (!is_loaded_[v] || reads_pair(op, v)))
                    live.add(v), now.add(v);
            if (most) most->take(now, 0);
            if (innermost_[b] != simt::kNone) continue;
            for (auto v : op.in)
                if (const auto at = first_[b].find(v); at != first_[b].end() && at->second == k && live.has(v))
                    live.remove(v), now.remove(v);
        }
        return live;
    }

    const Code& code_;
    const simt::Function& f_;
    std::vector<unsigned> width_;
    std::vector<bool> odd_, is_loaded_;
    std::vector<std::uint32_t> copy_of_;                                 ///< by value: what stands for it
    std::vector<std::uint32_t> innermost_;                               ///< by block
    std::vector<std::uint32_t> loaded_;                                  ///< constants that stand in registers
    std::vector<std::unordered_map<std::uint32_t, std::size_t>> first_;  ///< by block: where it first reads them
    std::vector<Set> in_;
};

/// The most registers with which as many warps are resident as with `n`: what is issued early may take them.
unsigned as_many_warps(unsigned n) {
    const auto warps = [](unsigned each) { return kRegisterFile / (32 * each) / kSchedulers * kSchedulers; };
    unsigned most = std::max(kForAllWarps, (n + kUnit - 1) / kUnit * kUnit);
    while (most < kMost && warps(most + kUnit) == warps(most)) most += kUnit;
    return std::min(kMost, most);
}

}  // namespace

unsigned registers_allowed(const simt::Function& f) {
    if (!f.source) return kMost;
    const auto& d = f.source->directives;
    unsigned most = d.maxnreg ? std::min(kMost, d.maxnreg) : kMost;
    const auto threads = [](const std::uint32_t* n) {
        return std::uint64_t{std::max(1u, n[0])} * std::max(1u, n[1]) * std::max(1u, n[2]);
    };
    const std::uint64_t block = d.reqntid[0] ? threads(d.reqntid) : d.maxntid[0] ? threads(d.maxntid) : 0;
    if (block == 0 || block > kRegisterFile) return most;
    const auto all = (block + 31) / 32 * 32 * std::max(1u, d.minnctapersm);
    return std::min(most, std::max(kFewest, static_cast<unsigned>(kRegisterFile / all / kUnit * kUnit)));
}

namespace {

bool calls(const Code& code) {
    for (const auto& b : code.blocks)
        for (const auto& op : b.ops)
            if (op.pipe == Pipe::branch && op.takes > 0) return true;
    return false;
}

}  // namespace

unsigned registers_needed(const simt::Function& f) {
    if (f.blocks.size() * f.values.size() > kMostBits) return f.registers_estimate;
    unsigned fewest = kFewest;
    const auto needed = [&](Order order) {
        Code code;
        append(code, f, order);
        if (calls(code)) fewest = kFewestOfCallers;
        Most most = Pressure(code, f).most();
        most.packed += kOfEveryKernel, most.in_banks += kOfEveryKernel;
        return most;
    };
    const Most early = needed(Order::scheduled);
    unsigned most = std::max(early.packed, std::min(as_many_warps(early.packed), early.in_banks));
    if (most > kForAllWarps)
        most = std::max(kForAllWarps, std::min(most, as_many_warps(needed(Order::program).packed)));
    return std::max(most, fewest);
}

unsigned registers(const simt::Function& f) {
    const unsigned allowed = registers_allowed(f);
    return std::clamp(registers_needed(f), std::min(kFewest, allowed), allowed);
}

}  // namespace warpwright::machine

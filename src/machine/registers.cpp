#include "machine/registers.hpp"

#include <algorithm>

#include "machine/code.hpp"
#include "machine/view.hpp"

namespace warpwright::machine {

namespace {

/// Registers with which all warps of a multiprocessor are resident: assemblers keep to the order of the program where
/// issuing loads early would take more.
constexpr unsigned kForAllWarps = 32;
/// The fewest that are handed out, the most, and their steps.
constexpr unsigned kFewest = 16, kMost = 255, kUnit = 8;
/// Of a multiprocessor, since compute capability 3.0.
constexpr unsigned kRegisterFile = 65536;
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

class Pressure {
public:
    Pressure(const Code& code, const simt::Function& f) : code_(code), f_(f), width_(f.values.size()) {
        for (std::size_t v = 0; v < width_.size(); ++v) {
            const auto t = f.values[v].type;
            width_[v] = t == ptx::Type::pred ? 0 : std::max(1u, ptx::bits(t) / 32);
        }
        // The constant bank is an operand of whoever reads it.
        for (const auto& b : code.blocks)
            for (const auto& op : b.ops)
                if (op.pipe == Pipe::none && op.space == ptx::Space::constant)
                    for (auto v : op.out) width_[v] = 0;
        in_.assign(code.blocks.size(), Set(f.values.size()));
    }

    unsigned most() {
        for (bool any = true; any;) {
            any = false;
            for (std::size_t b = code_.blocks.size(); b-- > 0;) any |= in_[b].add(walk(b, nullptr));
        }
        unsigned most = 0;
        for (std::size_t b = 0; b < code_.blocks.size(); ++b) walk(b, &most);
        return most;
    }

private:
    /// What is live at the block's end.
    Set live_out(std::size_t b) const {
        Set live(width_.size());
        for (auto t : f_.blocks[b].end.targets) {
            live.add(in_[t]);
            for (const auto& phi : code_.blocks[t].phis) {
                live.remove(phi.out);
                for (const auto& [from, v] : phi.in)
                    if (from == b) live.add(v);
            }
        }
        return live;
    }

    /// What is live at its begin, where its phis have their values; `most`: the registers of its busiest place.
    Set walk(std::size_t b, unsigned* most) const {
        Set live = live_out(b);
        unsigned now = 0;
        if (most) live.each([&](std::uint32_t v) { now += width_[v]; });
        if (most) *most = std::max(*most, now);
        const auto& ops = code_.blocks[b].ops;
        for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
            for (auto v : op->out)
                if (live.has(v)) live.remove(v), now -= width_[v];
            for (auto v : op->in)
                if (!live.has(v)) live.add(v), now += width_[v];
            if (most) *most = std::max(*most, now);
        }
        return live;
    }

    const Code& code_;
    const simt::Function& f_;
    std::vector<unsigned> width_;
    std::vector<Set> in_;
};

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

unsigned registers_needed(const simt::Function& f) {
    if (f.blocks.size() * f.values.size() > kMostBits) return f.registers_estimate;
    const auto needed = [&](Order order) {
        Code code;
        append(code, f, order);
        return Pressure(code, f).most() + kOfEveryKernel;
    };
    unsigned most = needed(Order::scheduled);
    if (most > kForAllWarps) most = std::max(kForAllWarps, std::min(most, needed(Order::program)));
    return std::max(most, kFewest);
}

unsigned registers(const simt::Function& f) {
    const unsigned allowed = registers_allowed(f);
    return std::clamp(registers_needed(f), std::min(kFewest, allowed), allowed);
}

}  // namespace warpwright::machine

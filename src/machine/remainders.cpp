// Remainders are followed through moves, sums, products, shifts and logic; of any other result nothing is known. What
// is known only becomes less from pass to pass, so that the fixed point is reached.
#include "machine/remainders.hpp"

#include <algorithm>
#include <bit>

namespace warpwright::machine {

namespace {

using simt::InstKind;
using POp = simt::Op;

constexpr unsigned kMost = 4;

/// With so many of the last bits.
Remainder cut(unsigned bits, std::uint64_t value) {
    const unsigned n = std::min(bits, kMost);
    return {static_cast<std::uint8_t>(n), static_cast<std::uint8_t>(value & ((1u << n) - 1))};
}

/// Bits that are 0 at the end, as far as they are known.
unsigned zeros(const Remainder& r) { return r.rest == 0 ? r.bits : static_cast<unsigned>(std::countr_zero(r.rest)); }

/// What is true of both.
Remainder common(const Remainder& a, const Remainder& b) {
    unsigned bits = std::min(a.bits, b.bits);
    if (const unsigned differ = a.rest ^ b.rest; differ != 0)
        bits = std::min(bits, static_cast<unsigned>(std::countr_zero(differ)));
    return cut(bits, a.rest);
}

Remainder sum(const Remainder& a, const Remainder& b) { return cut(std::min(a.bits, b.bits), a.rest + b.rest); }

Remainder product(const Remainder& a, const Remainder& b) {
    const unsigned bits = std::min(a.bits, b.bits), last = zeros(a) + zeros(b);
    return last >= bits ? cut(last, 0) : cut(bits, std::uint64_t{a.rest} * b.rest);
}

Remainder both(const Remainder& a, const Remainder& b) {
    const unsigned bits = std::min(a.bits, b.bits), last = std::max(zeros(a), zeros(b));
    return last >= bits ? cut(last, 0) : cut(bits, a.rest & b.rest);
}

}  // namespace

Remainders::Remainders(const simt::Function& f) : values_(f.values.size()) {
    std::vector<bool> made(f.values.size());
    for (const auto& block : f.blocks)
        for (const auto& i : block.insts)
            for (auto v : i.out)
                if (v != simt::kNone) made[v] = true;
    for (std::size_t v = 0; v < made.size(); ++v)
        if (!made[v]) values_[v] = Remainder{};
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& block : f.blocks)
            for (const auto& i : block.insts) {
                const MaybeRemainder now = result_of(i);
                for (auto v : i.out) {
                    if (v == simt::kNone || !now) continue;
                    // What is known only ever gets less, so that this ends.
                    const Remainder next = values_[v] ? common(*values_[v], *now) : *now;
                    if (values_[v] != next) values_[v] = next, changed = true;
                }
            }
    }
}

Remainders::MaybeRemainder Remainders::known(const simt::Operand& o) const {
    if (o.is_integer()) return cut(kMost, o.bits);
    return o.is_value() ? values_[o.value] : Remainder{};
}

Remainders::MaybeRemainder Remainders::result_of(const simt::Inst& i) const {
    switch (i.kind) {
        case InstKind::phi: {
            MaybeRemainder all;
            for (const auto& o : i.in)
                if (const MaybeRemainder one = known(o)) all = all ? common(*all, *one) : *one;
            return all;
        }
        case InstKind::move:
        case InstKind::to_generic:
        case InstKind::from_generic:
            return known(i.in[0]);
        case InstKind::select: {
            const MaybeRemainder a = known(i.in[1]), b = known(i.in[2]);
            return a && b ? common(*a, *b) : a ? a : b;
        }
        case InstKind::address:  // assemblers begin each variable of shared memory at a multiple of 16 bytes
            return i.space == simt::Space::shared ? cut(kMost, static_cast<std::uint64_t>(i.offset)) : Remainder{};
        case InstKind::add_offset: {
            const MaybeRemainder a = known(i.in[0]);
            return a ? MaybeRemainder(sum(*a, cut(kMost, static_cast<std::uint64_t>(i.offset)))) : MaybeRemainder();
        }
        case InstKind::data:
            return i.ptx && !simt::is_float(i.ptx->type()) ? data_of(i) : Remainder{};
        default:
            return Remainder{};
    }
}

Remainders::MaybeRemainder Remainders::data_of(const simt::Inst& i) const {
    std::vector<Remainder> in;
    for (const auto& o : i.in) {
        const MaybeRemainder one = known(o);
        if (!one) return {};
        in.push_back(*one);
    }
    const auto high = [&] { return i.ptx->has(simt::Mod::hi); };
    switch (i.ptx->op) {
        case POp::add:
            return sum(in[0], in[1]);
        case POp::sub:
            return sum(in[0], cut(in[1].bits, std::uint64_t{0} - in[1].rest));
        case POp::shl:
            if (!i.in[1].is_integer()) return cut(zeros(in[0]), 0);
            return product(in[0], cut(kMost, std::uint64_t{1} << std::min<std::uint64_t>(i.in[1].bits, kMost)));
        case POp::or_:
            return cut(std::min(in[0].bits, in[1].bits), in[0].rest | in[1].rest);
        case POp::xor_:
            return cut(std::min(in[0].bits, in[1].bits), in[0].rest ^ in[1].rest);
        case POp::and_:
            return both(in[0], in[1]);
        case POp::mul:
            return high() ? Remainder{} : product(in[0], in[1]);
        case POp::mad:
            return high() ? Remainder{} : sum(product(in[0], in[1]), in[2]);
        case POp::cvt:
        case POp::mov:
            return in[0];
        default:
            return Remainder{};
    }
}

}  // namespace warpwright::machine

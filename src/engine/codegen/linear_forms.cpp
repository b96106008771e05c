// Forms are followed through the instructions that compute a value, over blocks too: values are assigned once, and so
// is what a form consists of. A phi, a load, or anything that is no sum ends it.
#include "engine/codegen/linear_forms.hpp"

#include <algorithm>
#include <bit>

#include "engine/codegen/place_counts.hpp"
#include "simt/details.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;
using simt::Operand;
using simt::Product;
using simt::ValueId;

namespace {

std::int64_t wrapped_product(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// Numbers of a whole register, not several in one.
bool is_whole(simt::Type type) {
    return !simt::is_float(type) && simt::elements(type) == 1 && simt::bits(type) >= 16 && simt::bits(type) <= 64;
}

Linear just(const Product& p) { return {{{p, 1}}, 0}; }

}  // namespace

std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

Linear sum(const Linear& a, const Linear& b, std::int64_t by) {
    Linear out = a;
    out.constant = wrapped_sum(a.constant, wrapped_product(b.constant, by));
    for (const auto& [p, n] : b.times) {
        auto& now = out.times[p];
        now = wrapped_sum(now, wrapped_product(n, by));
        if (now == 0) out.times.erase(p);
    }
    return out;
}

/// Whether so many times the product are a multiple of the modulus, by what is known of its alignment.
bool LinearForms::is_multiple(const Product& p, std::int64_t times) const {
    int zeros = std::countr_zero(static_cast<std::uint64_t>(times));
    for (const auto& f : p) zeros += std::countr_zero(fn_.shapes.align[f.value]);
    return zeros >= static_cast<int>(bits_);
}

Linear LinearForms::reduced(Linear x) const {
    if (exact()) return x;
    Linear out;
    const auto mask = (std::int64_t{1} << bits_) - 1;
    out.constant = x.constant & mask;
    for (const auto& [p, n] : x.times) {
        // The low bits do not depend on how a value was extended.
        Product plain = p;
        for (auto& f : plain) f.extend = simt::Factor::Extend::none;
        auto& now = out.times[plain];
        now = (now + n) & mask;
    }
    std::erase_if(out.times, [&](const auto& e) { return e.second == 0 || is_multiple(e.first, e.second); });
    return out;
}

Linear LinearForms::of_terms(const simt::Affine& form, const std::vector<std::int64_t>& scale) const {
    Linear out;
    for (std::size_t k = 0; k < scale.size(); ++k)
        if (scale[k] != 0) out = sum(out, just(form.terms[k].scalar), scale[k]);
    return reduced(out);
}

const Linear& LinearForms::of(ValueId v) {
    const auto found = known_.find(v);
    if (found != known_.end()) return found->second;
    std::optional<Linear> form;
    if (depth_ < kDeepest) {
        ++depth_;
        form = made(v);
        --depth_;
    }
    if (!form || form->times.size() > kMostTerms) form = just({{v, simt::Factor::Extend::none}});
    return known_[v] = reduced(*form);
}

std::optional<Linear> LinearForms::made(ValueId v) {
    const auto& value = fn_.ir.values[v];
    if (value.block >= fn_.ir.blocks.size() || !fn_.scalar_kind(v) || !is_whole(value.type)) return std::nullopt;
    const auto& i = fn_.ir.blocks[value.block].insts[value.inst];
    const auto width = simt::bits(value.type);
    if (i.out.size() != 1) return std::nullopt;
    switch (i.kind) {
        case InstKind::move:
            return operand(i.in[0], width);
        case InstKind::to_generic:
        case InstKind::from_generic:
        case InstKind::add_offset: {
            const bool moved =
                i.space == simt::Space::shared || i.space == simt::Space::local || i.space == simt::Space::param;
            auto x = moved ? std::nullopt : operand(i.in[0], width);
            if (x) x->constant = wrapped_sum(x->constant, i.offset);
            return x;
        }
        case InstKind::data:
            return computed(i);
        default:
            return std::nullopt;
    }
}

/// Of an operand as a number of so many bits.
std::optional<Linear> LinearForms::operand(const Operand& o, unsigned width) {
    if (o.negated) return std::nullopt;
    if (o.is_integer()) return Linear{{}, static_cast<std::int64_t>(o.bits)};
    if (!o.is_value() || !fn_.scalar_kind(o.value)) return std::nullopt;
    const auto type = fn_.ir.values[o.value].type;
    if (!is_whole(type) || (exact() && (width != 64 || simt::bits(type) != 64))) return std::nullopt;
    return of(o.value);
}

/// Of a 32-bit operand that is extended to 64 bits.
std::optional<Linear> LinearForms::extended(const Operand& o, bool is_signed) {
    if (!exact()) return operand(o, 32);
    if (o.negated || !o.is_value() || !fn_.scalar_kind(o.value)) return std::nullopt;
    const auto type = fn_.ir.values[o.value].type;
    if (!is_whole(type) || simt::bits(type) != 32) return std::nullopt;
    return just({{o.value, is_signed ? simt::Factor::Extend::sign : simt::Factor::Extend::zero}});
}

/// One of the factors is a constant.
std::optional<Linear> LinearForms::product(const simt::Inst& i, unsigned width) {
    const auto& p = *i.ptx;
    const bool is_signed = simt::is_signed(p.type(0)), wide = p.has(simt::Mod::wide);
    const auto known = [&](const Operand& o) -> std::optional<std::int64_t> {
        if (o.is_integer())
            return !wide || width != 64 ? static_cast<std::int64_t>(o.bits)
                   : is_signed          ? std::int64_t{static_cast<std::int32_t>(o.bits)}
                                        : std::int64_t{static_cast<std::uint32_t>(o.bits)};
        const auto form = exact() ? std::nullopt : operand(o, width);
        return form && form->times.empty() ? std::optional(form->constant) : std::nullopt;
    };
    for (const unsigned k : {1u, 0u}) {
        const auto by = known(i.in[k]);
        if (!by) continue;
        const auto x = wide ? extended(i.in[1 - k], is_signed) : operand(i.in[1 - k], width);
        if (x) return sum({}, *x, *by);
    }
    return std::nullopt;
}

std::optional<Linear> LinearForms::computed(const simt::Inst& i) {
    using simt::Op;
    const auto& p = *i.ptx;
    const auto type = p.type(0);
    if (!is_whole(type) || p.has(simt::Mod::sat) || p.has(simt::Mod::cc) || p.has(simt::Mod::hi)) return std::nullopt;
    const unsigned width = simt::bits(type) * (p.has(simt::Mod::wide) ? 2 : 1);
    if (width > 64 || (exact() && width != 64)) return std::nullopt;
    const auto in = [&](unsigned k) { return operand(i.in[k], width); };
    switch (p.op) {
        case Op::add:
        case Op::sub: {
            const auto a = in(0), b = in(1);
            return a && b ? std::optional(sum(*a, *b, p.op == Op::add ? 1 : -1)) : std::nullopt;
        }
        case Op::shl: {
            const auto a = in(0);
            if (!a || !i.in[1].is_integer() || i.in[1].bits >= width) return std::nullopt;
            return sum({}, *a, std::int64_t{1} << i.in[1].bits);
        }
        case Op::mul:
            return product(i, width);
        case Op::mad: {
            const auto a = product(i, width), b = in(2);
            return a && b ? std::optional(sum(*a, *b, 1)) : std::nullopt;
        }
        case Op::cvt: {
            const auto from = p.type(1);
            if (!is_whole(from)) return std::nullopt;
            if (simt::bits(from) == width || !exact()) return operand(i.in[0], simt::bits(from));
            return simt::bits(from) == 32 ? extended(i.in[0], simt::is_signed(from)) : std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

Linear lowest_address(const FunctionState& fn, LinearForms& forms, const Access& a, const Run* run) {
    auto form = forms.of(a.inst->in[0].value);
    if (run) form = sum(form, forms.of_terms(*a.affine, run->scale), 1);
    const auto offset = run ? run->offset : a.affine ? lowest_offset(fn, *a.affine) : 0;
    form.constant = wrapped_sum(form.constant, wrapped_sum(a.inst->offset, offset));
    return form;
}

bool known_before(const FunctionState& fn, const Product& p) {
    return std::all_of(p.begin(), p.end(), [&](const simt::Factor& f) {
        return fn.ir.values[f.value].block != fn.at.block && fn.values.slots[f.value] &&
               fn.values.live[fn.at.block].test(f.value);
    });
}

}  // namespace warpwright::engine::codegen

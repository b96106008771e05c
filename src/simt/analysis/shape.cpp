// Uniformity and affine analysis: an optimistic fixpoint over the graph, with the control dependence of phis
// (a phi where lanes of a split branch meet is varying) and of loops that lanes leave at different times.
#include "simt/shape.hpp"

#include <algorithm>

#include "simt/affine.hpp"
#include "simt/analysis/dominators.hpp"

namespace warpwright::simt {

TidPattern tid_pattern(const BlockShape& block, unsigned component) {
    TidPattern p;
    const std::uint64_t warps = (block.threads() + block.lanes - 1) / block.lanes;
    auto tid = [&](std::uint64_t linear) -> std::int64_t {
        if (component == 0) return static_cast<std::int64_t>(linear % block.x);
        if (component == 1) return static_cast<std::int64_t>(linear / block.x % block.y);
        return static_cast<std::int64_t>(linear / block.x / block.y);
    };
    bool constant = true, uniform = true;
    for (unsigned l = 0; l < block.lanes; ++l) {
        p.constant[l] = tid(l) - tid(0);
        if (p.constant[l] != 0) uniform = false;
    }
    // Lanes beyond the block's end are never active: they continue the first warp's pattern if that is enough.
    std::uint64_t align = ~std::uint64_t{0};
    for (std::uint64_t w = 0; w < warps && constant; ++w) {
        const auto base = tid(w * block.lanes);
        for (unsigned l = 0; l < block.lanes; ++l) {
            const auto linear = w * block.lanes + l;
            if (linear >= block.threads()) break;
            if (tid(linear) - base != p.constant[l]) constant = false;
        }
        p.base_max = std::max(p.base_max, base);
        if (base != 0) align = std::min(align, std::uint64_t(base) & -std::uint64_t(base));
    }
    if (!constant) {
        p.shape = Shape::varying;
        return p;
    }
    p.base_align = align == ~std::uint64_t{0} ? std::uint64_t{1} << 32 : align;
    p.shape = uniform ? Shape::uniform : Shape::affine;
    return p;
}

namespace {

class Analysis {
public:
    Analysis(const Function& f, const BlockShape& block, bool affine_off, bool apart)
        : f_(f), block_(block), affine_off_(affine_off), compares_(!affine_off && !apart) {
        s_.of.assign(f.values.size(), Shape::unknown);
        s_.align.assign(f.values.size(), 1);
        s_.bound.assign(f.values.size(), ~std::uint64_t{0});
        s_.divergent.assign(f.blocks.size(), false);
        s_.divergent_exit.assign(f.loops.size(), false);
        s_.escapes.assign(f.values.size(), false);
        join_.assign(f.blocks.size(), false);
        meets_ = post_dominators(f);
        label_.assign(f.blocks.size(), kNone);
        seen_.assign(f.blocks.size(), kNone);
        apart_ = apart ? std::vector<bool>(f.blocks.size(), f.strict) : apart_in(f);
        find_outside_uses();
    }

    Shapes run() {
        do {
            changed_ = false;
            for (BlockId b = 0; b < f_.blocks.size(); ++b) {
                for (const auto& i : f_.blocks[b].insts) visit(b, i);
                const auto& end = f_.blocks[b].end;
                const bool split = end.targets.size() > 1 && end.condition.is_value() &&
                                   s_.of[end.condition.value] != Shape::uniform &&
                                   s_.of[end.condition.value] != Shape::unknown;
                if (split && !s_.divergent[b]) {
                    s_.divergent[b] = true;
                    changed_ = true;
                    split_at(b);
                }
            }
        } while (changed_);
        for (auto& shape : s_.of)
            if (shape == Shape::unknown) shape = Shape::uniform;  // only in unreachable cycles
        return std::move(s_);
    }

private:
    void lower_to(ValueId v, Shape shape) {
        if (v == kNone) return;
        auto& now = s_.of[v];
        if (now == Shape::varying || now == shape) return;
        if (now != Shape::unknown) shape = Shape::varying;
        if (shape == Shape::varying) s_.affine.erase(v);
        now = shape;
        changed_ = true;
    }
    void set_affine(ValueId v, Affine form) {
        if (v == kNone) return;
        if (affine_off_ || form.terms.size() > 3 || form.assumes.size() > 3) return lower_to(v, Shape::varying);
        auto& now = s_.of[v];
        if (now == Shape::varying) return;
        if (now == Shape::affine) {
            if (!(s_.affine[v] == form)) lower_to(v, Shape::varying), now = Shape::varying, s_.affine.erase(v);
            return;
        }
        if (now == Shape::uniform) return lower_to(v, Shape::varying);
        now = Shape::affine;
        s_.affine[v] = std::move(form);
        changed_ = true;
    }
    void set(ValueId v, const std::optional<Affine>& form) {
        if (!form) return lower_to(v, Shape::varying);
        if (is_zero(*form)) return lower_to(v, Shape::uniform);
        set_affine(v, *form);
    }

    Shape shape(const Operand& o) const { return o.is_value() ? s_.of[o.value] : Shape::uniform; }
    bool known(const Inst& i) const {
        for (const auto& o : i.in)
            if (shape(o) == Shape::unknown) return false;
        return true;
    }
    bool all_uniform(const Inst& i) const {
        for (const auto& o : i.in)
            if (shape(o) != Shape::uniform) return false;
        return true;
    }
    void all(const Inst& i, Shape shape) {
        for (auto v : i.out) lower_to(v, shape);
    }
    std::optional<Affine> form(const Operand& o) const {
        if (o.negated) return std::nullopt;
        if (!o.is_value() || s_.of[o.value] == Shape::uniform) return Affine{};
        auto at = s_.affine.find(o.value);
        if (at == s_.affine.end()) return std::nullopt;
        return at->second;
    }
    std::uint64_t align(const Operand& o) const {
        if (o.is_value()) return s_.align[o.value];
        if (o.is_integer()) return o.bits ? (o.bits & -o.bits) : std::uint64_t{1} << 32;
        return 1;
    }
    std::uint64_t bound(const Operand& o) const {
        if (o.is_value()) return s_.bound[o.value];
        return o.is_integer() ? o.bits : ~std::uint64_t{0};
    }

    void special(const Inst& i) {
        using R = ptx::SpecialReg;
        auto tid = [&](unsigned component) {
            auto p = tid_pattern(block_, component);
            const std::uint32_t size = component == 0 ? block_.x : component == 1 ? block_.y : block_.z;
            for (auto v : i.out) {
                if (v == kNone) continue;
                s_.bound[v] = size - 1;
                s_.align[v] = p.shape == Shape::varying ? 1 : p.base_align;
                if (p.shape == Shape::affine) {
                    Affine a;
                    a.constant = p.constant;
                    set_affine(v, a);
                } else {
                    lower_to(v, p.shape);
                }
            }
        };
        switch (i.special) {
            case R::tid_x:
                return tid(0);
            case R::tid_y:
                return tid(1);
            case R::tid_z:
                return tid(2);
            case R::laneid:
                for (auto v : i.out) {
                    if (v == kNone) continue;
                    Affine a;
                    for (unsigned l = 0; l < kMaxLanes; ++l) a.constant[l] = l;
                    s_.bound[v] = block_.lanes - 1;
                    s_.align[v] = std::uint64_t{1} << 32;
                    set_affine(v, a);
                }
                return;
            case R::lanemask_eq:
            case R::lanemask_le:
            case R::lanemask_lt:
            case R::lanemask_ge:
            case R::lanemask_gt:
                return all(i, Shape::varying);
            case R::clock:
            case R::clock_hi:
            case R::clock64:
            case R::globaltimer:
            case R::globaltimer_lo:
            case R::globaltimer_hi:
                return all(i, f_.strict ? Shape::varying : Shape::uniform);
            default:
                return all(i, Shape::uniform);
        }
    }

    void data(const Inst& i) {
        if (all_uniform(i)) {
            track_uniform(i);
            return all(i, Shape::uniform);
        }
        if (compares_ && compares_alike(i)) return all(i, Shape::uniform);
        if (i.out.size() != 1 || i.out[0] == kNone) return all(i, Shape::varying);
        const auto result = affine_data(i);
        if (result) track_uniform(i);
        set(i.out[0], result);
    }

    /// Alignment and bound of results, for the few operations where they matter.
    void track_uniform(const Inst& i) {
        if (i.out.empty() || i.out[0] == kNone || i.kind == InstKind::phi) return;
        const auto v = i.out[0];
        const auto a = i.in.empty() ? Operand{} : i.in[0];
        const auto b = i.in.size() > 1 ? i.in[1] : Operand{};
        std::uint64_t align_now = 1, bound_now = ~std::uint64_t{0};
        const auto cap = [](std::uint64_t x) { return std::min(x, std::uint64_t{1} << 32); };
        auto small = [&](std::uint64_t x) { return x < (std::uint64_t{1} << 31); };
        if (i.kind == InstKind::move || i.kind == InstKind::to_generic || i.kind == InstKind::from_generic) {
            if (i.kind == InstKind::move) align_now = align(a), bound_now = bound(a);
        } else if (i.kind == InstKind::data && is_of_low_bits(*i.ptx)) {
            switch (i.ptx->op) {
                case ptx::Op::add:
                    align_now = std::min(align(a), align(b));
                    if (small(bound(a)) && small(bound(b))) bound_now = bound(a) + bound(b);
                    break;
                case ptx::Op::or_:
                    align_now = std::min(align(a), align(b));
                    break;
                case ptx::Op::shl:
                    if (b.is_integer() && b.bits < 32) {
                        align_now = cap(align(a) << b.bits);
                        if (small(bound(a)) && small(bound(a) << b.bits)) bound_now = bound(a) << b.bits;
                    }
                    break;
                case ptx::Op::shr:
                    if (b.is_integer() && b.bits < 32) {
                        align_now = std::max<std::uint64_t>(1, align(a) >> b.bits);
                        if (small(bound(a))) bound_now = bound(a) >> b.bits;
                    }
                    break;
                case ptx::Op::and_: {
                    const auto& c = b.is_integer() ? b : a;
                    const auto& x = b.is_integer() ? a : b;
                    align_now = std::max(align(x), c.is_integer() ? align(c) : 1);
                    if (c.is_integer() && small(c.bits)) bound_now = std::min(c.bits, bound(x));
                    break;
                }
                case ptx::Op::mul:
                    align_now = cap(cap(align(a)) * cap(align(b)) == 0 ? std::uint64_t{1} << 32
                                                                       : cap(align(a)) * cap(align(b)));
                    if (small(bound(a)) && small(bound(b)) && small(bound(a) * bound(b)))
                        bound_now = bound(a) * bound(b);
                    break;
                case ptx::Op::cvt:
                    align_now = align(a);
                    bound_now = small(bound(a)) ? bound(a) : bound_now;
                    break;
                default:
                    break;
            }
        }
        s_.align[v] = align_now;
        auto most = bound_now;
        for (const auto& o : i.in) most = std::max(most, bound(o));
        s_.bound[v] = i.kind != InstKind::data || keeps_sign(*i.ptx, most) ? bound_now : ~std::uint64_t{0};
    }

    std::optional<Affine> affine_data(const Inst& i) {
        using ptx::Mod;
        using ptx::Op;
        const auto& p = *i.ptx;
        const auto type = p.type(0);
        const bool wide = p.has(Mod::wide);
        const unsigned width = ptx::bits(type);
        if (ptx::is_float(type) || (width != 32 && width != 64)) return std::nullopt;
        if (p.has(Mod::sat) || p.has(Mod::cc) || p.has(Mod::hi)) return std::nullopt;
        auto a = form(i.in[0]);
        std::optional<Affine> b = i.in.size() > 1 ? form(i.in[1]) : std::nullopt;
        switch (p.op) {
            case Op::add:
                if (!a || !b) return std::nullopt;
                return sum(*a, *b, 1);
            case Op::sub:
                if (!a || !b) return std::nullopt;
                return sum(*a, *b, -1);
            case Op::neg:
                if (!a) return std::nullopt;
                return scaled(*a, -1);
            case Op::mul:
            case Op::mad: {
                if (!a || !b) return std::nullopt;
                auto product = multiply(i.in[0], *a, i.in[1], *b, wide, ptx::is_signed(type));
                if (!product) return std::nullopt;
                if (p.op == Op::mul) return product;
                auto c = form(i.in[2]);
                if (!c) return std::nullopt;
                return sum(*product, *c, 1);
            }
            case Op::shl:
                if (!a || !i.in[1].is_integer() || i.in[1].bits >= width) return std::nullopt;
                return scaled(*a, std::int64_t{1} << i.in[1].bits);
            case Op::shr: {
                if (!a || !i.in[1].is_integer() || i.in[1].bits >= 31 || !a->terms.empty() || !a->assumes.empty())
                    return std::nullopt;
                const auto k = i.in[1].bits;
                if (align(i.in[0]) < (std::uint64_t{1} << k) || bound(i.in[0]) == ~std::uint64_t{0})
                    return std::nullopt;
                return mapped(*a, [&](std::int64_t c) { return c < 0 ? std::optional<std::int64_t>() : c >> k; });
            }
            case Op::and_: {
                if (!a || !b) return std::nullopt;
                const bool second = i.in[1].is_integer();
                const auto& mask = second ? i.in[1] : i.in[0];
                const auto& x = second ? *a : *b;
                const auto& xo = second ? i.in[0] : i.in[1];
                if (!mask.is_integer() || !x.terms.empty() || !x.assumes.empty()) return std::nullopt;
                const auto m = width == 32 ? mask.bits & 0xffffffffu : mask.bits;
                if ((m & (m + 1)) != 0 || align(xo) < m + 1) return std::nullopt;
                return mapped(x, [&](std::int64_t c) {
                    return c < 0 ? std::optional<std::int64_t>() : static_cast<std::int64_t>(std::uint64_t(c) & m);
                });
            }
            case Op::or_: {
                if (!a || !b) return std::nullopt;
                // Disjoint bits: the same as a sum. The sum must also be right lane by lane, so the small side's
                // whole value and the large side's whole value may not share bits.
                const bool b_small =
                    bound(i.in[1]) != ~std::uint64_t{0} && is_zero(*a) && align(i.in[0]) > bound(i.in[1]);
                const bool a_small =
                    bound(i.in[0]) != ~std::uint64_t{0} && is_zero(*b) && align(i.in[1]) > bound(i.in[0]);
                if (!b_small && !a_small) return std::nullopt;
                return sum(*a, *b, 1);
            }
            case Op::cvt: {
                if (!a) return std::nullopt;
                const auto from = p.type(1);
                if (ptx::is_float(from)) return std::nullopt;
                const unsigned source = ptx::bits(from);
                if (source == width) return a;
                if (source == 64 && width == 32) return narrowed(*a);
                if (source == 32 && width == 64) return widened(i.in[0], *a, ptx::is_signed(from));
                return std::nullopt;
            }
            default:
                return std::nullopt;
        }
    }

    /// Whether a comparison has one result for all lanes although one side is affine: that of the affine side's base.
    bool compares_alike(const Inst& i) const {
        if (i.ptx->op != ptx::Op::setp || (i.in.size() > 2 && shape(i.in[2]) != Shape::uniform)) return false;
        const bool swapped = shape(i.in[0]) == Shape::uniform;
        const auto &lanes = i.in[swapped ? 1 : 0], &other = i.in[swapped ? 0 : 1];
        const auto a = form(lanes);
        return a && shape(lanes) == Shape::affine && shape(other) == Shape::uniform && !other.negated &&
               ptx::bits(f_.values[lanes.value].type) == ptx::bits(i.ptx->type(0)) &&
               simt::compares_alike(*i.ptx, swapped, stretch(*a, align(lanes), block_.lanes), other, align(other));
    }

    std::optional<Affine> multiply(const Operand& ao, const Affine& a, const Operand& bo, const Affine& b, bool wide,
                                   bool is_signed) {
        const bool a_uniform = is_zero(a), b_uniform = is_zero(b);
        if (!a_uniform && !b_uniform) return std::nullopt;
        const auto& x = a_uniform ? b : a;
        const auto& xo = a_uniform ? bo : ao;
        const auto& u = a_uniform ? ao : bo;
        std::optional<Affine> base = wide ? widened(xo, x, is_signed) : x;
        if (!base) return std::nullopt;
        if (u.is_integer()) {
            auto c = static_cast<std::int64_t>(u.bits);
            if (wide)
                c = is_signed ? std::int64_t{static_cast<std::int32_t>(c)}
                              : std::int64_t{static_cast<std::uint32_t>(c)};
            return scaled(*base, c);
        }
        if (!u.is_value()) return std::nullopt;
        return times(*base, Factor{u.value, wide ? (is_signed ? Factor::Extend::sign : Factor::Extend::zero)
                                                 : Factor::Extend::none});
    }

    void visit(BlockId b, const Inst& i) {
        if (i.kind == InstKind::phi) return phi(b, i);
        if (!known(i)) return;
        switch (i.kind) {
            case InstKind::data:
                return data(i);
            case InstKind::move:
            case InstKind::to_generic:
            case InstKind::from_generic:
            case InstKind::add_offset: {
                if (all_uniform(i)) {
                    track_uniform(i);
                    return all(i, Shape::uniform);
                }
                auto a = form(i.in[0]);
                const bool whole = i.type != ptx::Type::pred && ptx::bits(i.type) >= 32 && !ptx::is_float(i.type) &&
                                   i.out[0] != kNone && f_.values[i.out[0]].type != ptx::Type::f32 &&
                                   f_.values[i.out[0]].type != ptx::Type::f64;
                if (a && whole) track_uniform(i);
                return set(i.out[0], whole ? a : std::nullopt);
            }
            case InstKind::special:
                return special(i);
            case InstKind::address:
            case InstKind::function:
                return all(i, Shape::uniform);
            case InstKind::param:
                return all(i, all_uniform(i) ? Shape::uniform : Shape::varying);
            case InstKind::load: {
                const bool same =
                    i.space == ptx::Space::global || i.space == ptx::Space::shared || i.space == ptx::Space::constant;
                const bool stable = i.space == ptx::Space::constant || !apart_[b];
                return all(i, all_uniform(i) && same && stable ? Shape::uniform : Shape::varying);
            }
            case InstKind::vote:
            case InstKind::reduce: {
                const bool mask_uniform = i.in.size() < 2 || shape(i.in.back()) == Shape::uniform;
                return all(i, mask_uniform && !apart_[b] ? Shape::uniform : Shape::varying);
            }
            case InstKind::active_mask:
                return all(i, apart_[b] ? Shape::varying : Shape::uniform);
            case InstKind::barrier:
                return all(i, f_.strict ? Shape::varying : Shape::uniform);
            case InstKind::async_wait:
                return all(i, Shape::uniform);  // true in every lane
            case InstKind::async_op: {
                // A phase may complete between the tests of two lanes that run separately.
                const bool pure = i.ptx->op == ptx::Op::mapa || i.ptx->op == ptx::Op::getctarank ||
                                  i.ptx->op == ptx::Op::createpolicy || i.ptx->has(ptx::Mod::pending_count) ||
                                  (i.ptx->has(ptx::Mod::test_wait) && !f_.strict);
                return all(i, pure && all_uniform(i) ? Shape::uniform : Shape::varying);
            }
            case InstKind::pack:
            case InstKind::unpack:
            case InstKind::select:
            case InstKind::in_space:
                return all(i, all_uniform(i) ? Shape::uniform : Shape::varying);
            default:
                return all(i, Shape::varying);
        }
    }

    void phi(BlockId b, const Inst& i) {
        const auto v = i.out[0];
        if (v == kNone) return;
        if (apart_[b] || join_[b] || s_.escapes[v]) {
            // The same value on every edge: the phi chooses nothing.
            bool same = !apart_[b] && !s_.escapes[v];
            for (const auto& o : i.in) same &= o.is_value() && o.value == i.in[0].value;
            if (!same) return lower_to(v, Shape::varying);
        }
        std::optional<Affine> first;
        for (const auto& o : i.in) {
            // No value on this edge: it is zero in every lane, so it has no lane offsets.
            if (shape(o) == Shape::unknown) continue;
            auto a = form(o);
            if (!a) return lower_to(v, Shape::varying);
            if (first && !(*first == *a)) return lower_to(v, Shape::varying);
            first = a;
        }
        if (first) set(v, first);
    }

    /// Values used outside the loops that define them, per loop.
    void find_outside_uses() {
        outside_.resize(f_.loops.size());
        auto inside = [&](std::uint32_t loop, BlockId b) {
            for (auto l = f_.blocks[b].loop; l != kNone; l = f_.loops[l].parent)
                if (l == loop) return true;
            return false;
        };
        auto use = [&](ValueId v, BlockId b) {
            for (auto l = f_.blocks[f_.values[v].block].loop; l != kNone; l = f_.loops[l].parent)
                if (!inside(l, b)) outside_[l].push_back(v);
        };
        for (BlockId b = 0; b < f_.blocks.size(); ++b) {
            for (const auto& i : f_.blocks[b].insts)
                for (const auto& o : i.in)
                    if (o.is_value()) use(o.value, b);
            if (f_.blocks[b].end.condition.is_value()) use(f_.blocks[b].end.condition.value, b);
        }
    }

    /// Block b splits lanes: marks the blocks where they meet again, and the values that lanes carry out of loops at
    /// different times.
    void split_at(BlockId b) {
        for (auto l = f_.blocks[b].loop; l != kNone; l = f_.loops[l].parent) {
            bool leaves = false;
            for (auto t : f_.blocks[b].end.targets) {
                bool in = false;
                for (auto x = f_.blocks[t].loop; x != kNone; x = f_.loops[x].parent) in |= x == l;
                leaves |= !in;
            }
            if (!leaves) break;
            if (!s_.divergent_exit[l]) {
                s_.divergent_exit[l] = true;
                for (auto v : outside_[l]) {
                    s_.escapes[v] = true;
                    lower_to(v, Shape::varying);
                }
                // Lanes leave by any exit at different times, so the values that they carry out vary.
                for (auto x : f_.loops[l].blocks)
                    for (auto t : f_.blocks[x].end.targets)
                        if (!std::binary_search(f_.loops[l].blocks.begin(), f_.loops[l].blocks.end(), t))
                            join_[t] = true;
                changed_ = true;
            }
        }
        mark_joins(b);
    }

    /// Blocks on paths from b's targets up to the block where all of them meet, and that block, in order.
    std::vector<BlockId> between(BlockId b) {
        const auto meet = meets_[b];
        std::vector<BlockId> found;
        auto enter = [&](BlockId x) {
            if (seen_[x] == b) return;
            seen_[x] = b;
            found.push_back(x);
        };
        for (auto t : f_.blocks[b].end.targets) enter(t);
        for (std::size_t k = 0; k < found.size(); ++k) {
            if (found[k] == meet || found[k] == b) continue;
            for (auto t : f_.blocks[found[k]].end.targets) enter(t);
        }
        std::sort(found.begin(), found.end());
        return found;
    }

    /// Marks the blocks where lanes meet that b sent different ways: each block is labelled with the last block where
    /// its lanes met, or parted at b, until nothing changes. After the block where all paths meet there is nothing to
    /// mark.
    void mark_joins(BlockId b) {
        const auto region = between(b);
        for (auto x : region) label_[x] = kNone;
        label_[b] = kNone;
        for (auto t : f_.blocks[b].end.targets) {
            if (label_[t] != kNone && label_[t] != t) join_[t] = true;
            label_[t] = t;
        }
        bool moved = true;
        for (int round = 0; moved && round < 1000; ++round) {
            moved = false;
            for (auto x : region) {
                if (label_[x] == kNone || x == b || x == meets_[b]) continue;
                for (auto t : f_.blocks[x].end.targets) moved |= pass_label(b, x, t);
            }
        }
    }

    bool pass_label(BlockId b, BlockId x, BlockId t) {
        if (t == b && label_[b] == kNone) return false;
        if (label_[t] == kNone) {
            label_[t] = label_[x];
            return true;
        }
        if (label_[t] != label_[x] && label_[t] != t) {
            label_[t] = t;
            if (!join_[t]) changed_ = true;
            join_[t] = true;
            return true;
        }
        // A successor of the branch that other lanes reach on another path.
        if (label_[t] == t && label_[x] != t && !join_[t] && t > x) {
            join_[t] = true;
            changed_ = true;
            return true;
        }
        return false;
    }

    const Function& f_;
    BlockShape block_;
    bool affine_off_;
    bool compares_;  ///< tells comparisons apart that are the same for all lanes
    Shapes s_;
    std::vector<bool> join_;
    std::vector<bool> apart_;  ///< by block
    std::vector<std::vector<ValueId>> outside_;
    std::vector<BlockId> meets_;  ///< by block: where all paths from it meet
    std::vector<BlockId> label_, seen_;
    bool changed_ = false;
};

}  // namespace

Shapes analyse(const Function& f, const BlockShape& block, bool affine_off, bool apart) {
    return Analysis(f, block, affine_off, apart).run();
}

}  // namespace warpwright::simt

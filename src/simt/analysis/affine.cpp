// Forms are added, scaled and widened lane by lane, wrapping as registers do. Terms of one product are joined and empty
// ones removed, so that equal forms compare equal, and a product of more than two scalars is no affine form.
#include "simt/affine.hpp"

#include <algorithm>
#include <bit>

namespace warpwright::simt {

namespace {

bool zero(const LaneVector& v) {
    return std::all_of(v.begin(), v.end(), [](std::int64_t x) { return x == 0; });
}

std::int64_t wrap_mul(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

void add_term(Affine& a, const Term& t, std::int64_t sign) {
    for (auto& have : a.terms)
        if (have.scalar == t.scalar) {
            for (unsigned l = 0; l < kMaxLanes; ++l)
                have.lanes[l] = wrap_add(have.lanes[l], wrap_mul(t.lanes[l], sign));
            return;
        }
    a.terms.push_back({t.scalar, {}});
    for (unsigned l = 0; l < kMaxLanes; ++l) a.terms.back().lanes[l] = wrap_mul(t.lanes[l], sign);
}

void tidy(Affine& a) {
    std::erase_if(a.terms, [](const Term& t) { return zero(t.lanes); });
    std::sort(a.terms.begin(), a.terms.end(), [](const Term& x, const Term& y) { return x.scalar < y.scalar; });
    std::erase_if(a.assumes, [](const auto& p) { return p.second == 0; });
}

}  // namespace

bool is_zero(const Affine& a) { return a.terms.empty() && a.assumes.empty() && zero(a.constant); }

Affine sum(const Affine& a, const Affine& b, std::int64_t sign) {
    Affine r = a;
    for (unsigned l = 0; l < kMaxLanes; ++l) r.constant[l] = wrap_add(r.constant[l], wrap_mul(b.constant[l], sign));
    for (const auto& t : b.terms) add_term(r, t, sign);
    for (const auto& [w, factor] : b.assumes) r.assumes[w] = wrap_add(r.assumes[w], wrap_mul(factor, sign));
    tidy(r);
    return r;
}

Affine scaled(const Affine& a, std::int64_t by) {
    Affine r = a;
    for (auto& c : r.constant) c = wrap_mul(c, by);
    for (auto& t : r.terms)
        for (auto& c : t.lanes) c = wrap_mul(c, by);
    for (auto& [w, factor] : r.assumes) factor = wrap_mul(factor, by);
    tidy(r);
    return r;
}

std::optional<Affine> times(const Affine& a, Factor factor) {
    Affine r;
    auto with = [&](Product p) {
        p.push_back(factor);
        std::sort(p.begin(), p.end());
        return p;
    };
    auto add = [&](const Product& p, const LaneVector& lanes) {
        add_term(r, {p, lanes}, 1);
        return p.size() <= 2;
    };
    if (!zero(a.constant) && !add(with({}), a.constant)) return std::nullopt;
    for (const auto& t : a.terms)
        if (!add(with(t.scalar), t.lanes)) return std::nullopt;
    for (const auto& [assumed, by] : a.assumes) {
        const Assumption now{assumed.widening, with(assumed.scalar)};
        if (now.scalar.size() > 2) return std::nullopt;
        r.assumes[now] = wrap_add(r.assumes[now], by);
    }
    tidy(r);
    return r;
}

std::optional<Affine> widened(const Operand& operand, const Affine& a, bool is_signed) {
    Affine r;
    if (is_zero(a)) return r;
    for (unsigned l = 0; l < kMaxLanes; ++l) {
        // Offsets are small signed numbers, whatever the value's own signedness: the sum mod 2^32 is what counts.
        r.constant[l] = static_cast<std::int32_t>(a.constant[l]);
    }
    for (const auto& t : a.terms) {
        if (t.scalar.size() != 1) return std::nullopt;
        Term w;
        w.scalar = t.scalar;
        // The factor may be negative even in an unsigned index (row * -1): sign extension keeps it small.
        if (w.scalar[0].extend == Factor::Extend::none) w.scalar[0].extend = Factor::Extend::sign;
        for (unsigned l = 0; l < kMaxLanes; ++l) w.lanes[l] = static_cast<std::int32_t>(t.lanes[l]);
        r.terms.push_back(w);
    }
    if (!operand.is_value()) return std::nullopt;
    r.assumes[{{operand.value, is_signed}, {}}] = 1;
    tidy(r);
    return r;
}

Affine narrowed(const Affine& a) {
    Affine r = a;
    for (auto& c : r.constant) c = static_cast<std::int32_t>(c);
    for (auto& t : r.terms) {
        for (auto& c : t.lanes) c = static_cast<std::int32_t>(c);
        for (auto& f : t.scalar) f.extend = Factor::Extend::none;
        std::sort(t.scalar.begin(), t.scalar.end());
    }
    r.assumes.clear();
    tidy(r);
    return r;
}

std::uint64_t stretch(const Affine& a, std::uint64_t align, unsigned lanes) {
    if (!a.terms.empty() || !a.assumes.empty()) return 0;
    const auto [low, high] = std::minmax_element(a.constant.begin(), a.constant.begin() + lanes);
    if (*low < 0 || *high >= std::int64_t{1} << 30) return 0;
    const auto length = std::bit_ceil(static_cast<std::uint64_t>(*high) + 1);
    return align % length == 0 ? length : 0;
}

bool compares_alike(const Details& comparison, bool swapped, std::uint64_t stretch, const Operand& other,
                    std::uint64_t align) {
    using ptx::Mod;
    const auto type = comparison.type(0);
    const unsigned width = ptx::bits(type);
    if (ptx::is_float(type) || ptx::elements(type) != 1 || (width != 32 && width != 64)) return false;
    const auto has = [&](auto... mods) { return (comparison.has(mods) || ...); };
    const bool below = has(Mod::lt, Mod::lo, Mod::ge, Mod::hs), above = has(Mod::le, Mod::ls, Mod::gt, Mod::hi);
    if (stretch == 0 || below == above) return false;
    // Lanes are below the start of a stretch, or not; or above the last number of one, if it is not the last of all.
    if (below != swapped) return align % stretch == 0;
    const auto all = width == 64 ? ~std::uint64_t{0} : std::uint64_t{0xffffffff};
    return other.is_integer() && (other.bits & (stretch - 1)) == stretch - 1 &&
           (other.bits & all) != (ptx::is_signed(type) ? all >> 1 : all);
}

bool is_of_low_bits(const Details& p) {
    const auto is_one_integer = [](ptx::Type t) { return !ptx::is_float(t) && ptx::elements(t) == 1; };
    const bool converts = p.op == ptx::Op::cvt;
    return is_one_integer(p.type(0)) && (!converts || is_one_integer(p.type(1))) && !p.has(ptx::Mod::hi) &&
           !p.has(ptx::Mod::sat);
}

bool keeps_sign(const Details& operation, std::uint64_t most) {
    const auto fits = [&](ptx::Type t) {
        return ptx::is_float(t) || !ptx::is_signed(t) || ptx::bits(t) >= 32 ||
               most < std::uint64_t{1} << (ptx::bits(t) - 1);
    };
    return fits(operation.type(0)) && (operation.op != ptx::Op::cvt || fits(operation.type(1)));
}

std::optional<Affine> mapped(const Affine& a, const std::function<std::optional<std::int64_t>(std::int64_t)>& f) {
    Affine r = a;
    for (auto& c : r.constant) {
        auto x = f(c);
        if (!x) return std::nullopt;
        c = *x;
    }
    return r;
}

}  // namespace warpwright::simt

// The loops over the lanes are plain ones, which the compiler vectorises for several levels of the CPU. What a wrapped
// index of 32 bits changes is added exactly.
#include "engine/shared/kernel_layout.hpp"

#include <cstdint>

#include "support/clones.hpp"

namespace warpwright::engine {

namespace {

/// The sum of a form's lines, each times its scalar, mod 2^64.
struct Sum {
    std::uint64_t start = 0, step = 0;
    void add(const AddressForm::Line& line, std::int64_t scalar) {
        start += static_cast<std::uint64_t>(scalar) * static_cast<std::uint64_t>(line.start);
        step += static_cast<std::uint64_t>(scalar) * static_cast<std::uint64_t>(line.step);
    }
};

bool is_even(const simt::LaneVector& v, unsigned lanes) {
    for (unsigned l = 2; l < lanes; ++l)
        if (v[l] - v[l - 1] != v[1] - v[0]) return false;
    return true;
}

/// Whether the values from lane `first` to lane `last` are numbers of 32 bits.
bool fits(const Sum& sum, bool is_signed, unsigned first, unsigned last) {
    constexpr std::int64_t kFar = std::int64_t{1} << 40;
    const auto start = static_cast<std::int64_t>(sum.start), step = static_cast<std::int64_t>(sum.step);
    if (start >= kFar || start <= -kFar || step >= kFar || step <= -kFar) return false;
    const std::int64_t least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : std::int64_t{UINT32_MAX};
    const auto inside = [&](unsigned lane) {
        const auto x = start + step * lane;
        return x >= least && x <= most;
    };
    return inside(first) && inside(last);
}

}  // namespace

void AddressForm::find_lines(unsigned lanes) {
    bool even = true;
    const auto add = [&](const simt::LaneVector& v) {
        even = even && is_even(v, lanes);
        lines.push_back({v[0], v[1] - v[0]});
    };
    const auto add_all = [&](const simt::LaneVector& first, const std::vector<simt::LaneVector>& rest) {
        add(first);
        for (const auto& v : rest) add(v);
    };
    lines.clear();
    add_all(constant, terms);
    for (const auto& w : widened) add_all(w.constant, w.terms);
    if (!even) lines.clear();
}

std::optional<AddressForm::Rows> AddressForm::rows(const std::int64_t* scalars, unsigned first, unsigned last) const {
    const auto* line = lines.data();
    Sum address{static_cast<std::uint64_t>(*scalars++), 0};
    address.add(*line++, 1);
    for (std::size_t k = 0; k < terms.size(); ++k) address.add(*line++, *scalars++);
    for (const auto& w : widened) {
        Sum index{static_cast<std::uint64_t>(*scalars++), 0};
        if (w.is_scaled) ++scalars;
        index.add(*line++, 1);
        for (std::size_t k = 0; k < w.terms.size(); ++k) index.add(*line++, *scalars++);
        if (!fits(index, w.is_signed, first, last)) return std::nullopt;
    }
    return Rows{address.start, static_cast<std::int64_t>(address.step)};
}

/// Exact in every lane, also where a 32-bit index wraps before it is widened.
WARPWRIGHT_CLONES
void AddressForm::addresses(const std::int64_t* scalars, unsigned lanes, std::uint64_t* out) const {
    const auto base = static_cast<std::uint64_t>(*scalars++);
    for (unsigned l = 0; l < lanes; ++l) out[l] = base + static_cast<std::uint64_t>(constant[l]);
    for (const auto& t : terms) {
        const auto s = static_cast<std::uint64_t>(*scalars++);
        for (unsigned l = 0; l < lanes; ++l) out[l] += s * static_cast<std::uint64_t>(t[l]);
    }
    for (const auto& w : widened) {
        std::int64_t taken[simt::kMaxLanes];
        const auto narrow = *scalars++;
        const auto times = static_cast<std::uint64_t>(w.times) *
                           (w.is_scaled ? static_cast<std::uint64_t>(*scalars++) : std::uint64_t{1});
        for (unsigned l = 0; l < lanes; ++l) taken[l] = narrow + w.constant[l];
        for (const auto& t : w.terms) {
            const auto s = *scalars++;
            for (unsigned l = 0; l < lanes; ++l) taken[l] += s * t[l];
        }
        for (unsigned l = 0; l < lanes; ++l) {
            const auto exact = w.is_signed ? std::int64_t{static_cast<std::int32_t>(taken[l])}
                                           : std::int64_t{static_cast<std::uint32_t>(taken[l])};
            out[l] += static_cast<std::uint64_t>(exact - taken[l]) * times;
        }
    }
}

}  // namespace warpwright::engine

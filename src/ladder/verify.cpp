// Compares element by element within the tolerance of the reference, on all cores. The condition is written so that NaN
// fails it.
#include "ladder/verify.hpp"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

namespace warpwright::ladder {
namespace {

/// The result for a part of an output.
struct Tally {
    std::uint64_t wrong = 0, first = std::numeric_limits<std::uint64_t>::max();
    double error = 0, absolute = 0;

    void add_wrong(std::uint64_t i) {
        ++wrong;
        first = std::min(first, i);
    }
    static Tally both(const Tally& a, const Tally& b) {
        return {a.wrong + b.wrong, std::min(a.first, b.first), std::max(a.error, b.error),
                std::max(a.absolute, b.absolute)};
    }
};

/// The comparison itself, in double if that holds both sides, else in long double.
template <class T>
class Comparison {
public:
    Comparison(values::Element element, const Expected& expected, const Allowed& allowed, double norm)
        : exact_(!values::is_floating(element)),
          least_(allowed.rounding > 0 ? half_least(element) : 0),
          norm_(norm),
          expected_(expected),
          allowed_(allowed) {}

    void one(std::uint64_t i, T a, T e, Tally& tally) const {
        bool right;
        if (std::isnan(e))
            right = std::isnan(a);
        else if (std::isinf(e) || exact_)
            right = a == e;
        else {
            const double size = std::fabs(static_cast<double>(e));
            const double s = allowed_.scale == ToleranceScale::norm    ? norm_
                             : allowed_.scale == ToleranceScale::value ? size
                                                                       : expected_.magnitude(i);
            const auto difference = static_cast<double>(std::fabs(a - e));
            // Written so that a NaN or infinite `a` counts as wrong.
            right = std::isfinite(a) && difference <= allowed_.relative * s + (allowed_.rounding * size + least_);
            if (std::isfinite(a)) tally.absolute = std::max(tally.absolute, difference);
            if (std::isfinite(a) && s > 0) tally.error = std::max(tally.error, difference / s);
        }
        if (!right) tally.add_wrong(i);
    }

private:
    bool exact_;
    double least_, norm_;
    const Expected& expected_;
    const Allowed& allowed_;
};

}  // namespace

double half_least(values::Element element) {
    switch (element) {
        case values::Element::e4m3:
            return 0x1p-10;
        case values::Element::e5m2:
            return 0x1p-17;
        case values::Element::f16:
            return 0x1p-25;
        case values::Element::bf16:
            return 0x1p-134;
        case values::Element::f32:
            return 0x1p-150;
        default:
            return 0;
    }
}

std::uint8_t poison_byte(values::Element element, const Expected& expected) {
    if (values::is_floating(element)) return 0xff;  // all ones is a NaN in every format
    for (unsigned candidate : {0xa5u, 0x5au, 0xc3u, 0x3cu, 0x96u, 0x69u}) {
        std::byte bytes[8];
        std::memset(bytes, static_cast<int>(candidate), sizeof bytes);
        long double value = values::load_element(element, bytes);
        bool clash = false;
        for (std::uint64_t i = 0; i < expected.count() && !clash; ++i) clash = expected.value(i) == value;
        if (!clash) return static_cast<std::uint8_t>(candidate);
    }
    return 0xa5;  // an 8-bit output can hold every candidate
}

std::string wrong_text(std::uint64_t wrong, std::uint64_t all, std::uint64_t first, values::Element element,
                       const std::byte* at, std::uint8_t poison, double wanted) {
    const unsigned size = values::element_size(element);
    // A single byte may be so by chance.
    const bool written = size < 2 || std::any_of(at, at + size, [&](std::byte b) { return b != std::byte{poison}; });
    return fmt::format("{} of {} elements wrong; first at {}: {}, should be {:.9g}", wrong, all, first,
                       written ? fmt::format("{:.9g}", static_cast<double>(values::load_element(element, at)))
                               : std::string("never written"),
                       wanted);
}

Verification verify(values::Element element, std::span<const std::byte> actual, const Expected& expected,
                    const Allowed& allowed) {
    Verification v;
    v.tolerance = values::is_floating(element) ? allowed.relative : 0;
    const unsigned size = values::element_size(element);
    const std::uint64_t count = expected.count();
    if (actual.size() / size < count) {
        v.text = fmt::format("the output has {} elements, the reference {}", actual.size() / size, count);
        return v;
    }
    double norm = 0;
    if (allowed.scale == ToleranceScale::norm)
        for (std::uint64_t i = 0; i < count; ++i)
            if (double value = std::fabs(static_cast<double>(expected.value(i))); std::isfinite(value))
                norm = std::max(norm, value);
    const bool wide = expected.wide() || needs_more_than_double(element);
    const auto piece = [&](const tbb::blocked_range<std::uint64_t>& range, Tally tally) {
        if (wide) {
            const Comparison<long double> compare(element, expected, allowed, norm);
            for (std::uint64_t i = range.begin(); i < range.end(); ++i)
                compare.one(i, values::load_element(element, actual.data() + i * size), expected.value(i), tally);
            return tally;
        }
        const Comparison<double> compare(element, expected, allowed, norm);
        constexpr std::uint64_t kBlock = 1024;
        double block[kBlock];
        for (std::uint64_t at = range.begin(); at < range.end(); at += kBlock) {
            const std::uint64_t n = std::min(kBlock, range.end() - at);
            values::load_doubles(element, actual.data() + at * size, n, block);
            for (std::uint64_t i = 0; i < n; ++i) compare.one(at + i, block[i], expected.values()[at + i], tally);
        }
        return tally;
    };
    const Tally tally =
        tbb::parallel_reduce(tbb::blocked_range<std::uint64_t>(0, count, 1 << 14), Tally{}, piece, Tally::both);
    v.checked = count;
    v.wrong = tally.wrong;
    v.max_error = tally.error;
    v.max_absolute_error = tally.absolute;
    v.passed = v.wrong == 0;
    if (!v.passed) {
        v.first_wrong = tally.first;
        v.text = wrong_text(v.wrong, v.checked, v.first_wrong, element, actual.data() + tally.first * size,
                            poison_byte(element, expected), static_cast<double>(expected.value(v.first_wrong)));
    } else if (values::is_floating(element)) {
        v.text = fmt::format("{} elements within {:.2g} (allowed {:.2g})", v.checked, v.max_error, v.tolerance);
    } else {
        v.text = fmt::format("{} elements equal", v.checked);
    }
    return v;
}

}  // namespace warpwright::ladder

#include "ladder/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace warpwright::ladder {

std::uint8_t poison_byte(Element element, const Expected& expected) {
    if (is_floating(element)) return 0xff;  // all ones is a NaN in every format
    for (unsigned candidate : {0xa5u, 0x5au, 0xc3u, 0x3cu, 0x96u, 0x69u}) {
        std::byte bytes[8];
        std::memset(bytes, static_cast<int>(candidate), sizeof bytes);
        long double value = load_element(element, bytes);
        bool clash = false;
        for (std::uint64_t i = 0; i < expected.count() && !clash; ++i) clash = expected.value(i) == value;
        if (!clash) return static_cast<std::uint8_t>(candidate);
    }
    return 0xa5;  // an 8-bit output can hold every candidate
}

Verification verify(Element element, std::span<const std::byte> actual, const Expected& expected, double tolerance,
                    ToleranceScale scale) {
    Verification v;
    v.tolerance = is_floating(element) ? tolerance : 0;
    unsigned size = element_size(element);
    if (actual.size() / size < expected.count()) {
        v.text = fmt::format("the output has {} elements, the reference {}", actual.size() / size, expected.count());
        return v;
    }
    double norm = 0;
    if (scale == ToleranceScale::norm)
        for (std::uint64_t i = 0; i < expected.count(); ++i)
            if (double value = std::fabs(static_cast<double>(expected.value(i))); std::isfinite(value))
                norm = std::max(norm, value);
    long double first_actual = 0;
    for (std::uint64_t i = 0; i < expected.count(); ++i) {
        long double a = load_element(element, actual.data() + i * size), e = expected.value(i);
        bool right;
        if (std::isnan(e))
            right = std::isnan(a);
        else if (std::isinf(e) || !is_floating(element))
            right = a == e;
        else {
            double s = scale == ToleranceScale::norm    ? norm
                       : scale == ToleranceScale::value ? std::fabs(static_cast<double>(e))
                                                        : expected.magnitude(i);
            double difference = static_cast<double>(std::fabs(a - e));
            // Written so that a NaN or infinite `a` is wrong.
            right = std::isfinite(a) && difference <= tolerance * s;
            if (std::isfinite(a)) v.max_absolute_error = std::max(v.max_absolute_error, difference);
            if (std::isfinite(a) && s > 0) v.max_error = std::max(v.max_error, difference / s);
        }
        ++v.checked;
        if (right) continue;
        if (v.wrong++ == 0) {
            v.first_wrong = i;
            first_actual = a;
        }
    }
    v.passed = v.wrong == 0;
    if (!v.passed)
        v.text = fmt::format("{} of {} elements wrong; first at {}: {:.9g}, should be {:.9g}", v.wrong, v.checked,
                             v.first_wrong, static_cast<double>(first_actual),
                             static_cast<double>(expected.value(v.first_wrong)));
    else if (is_floating(element))
        v.text = fmt::format("{} elements within {:.2g} (allowed {:.2g})", v.checked, v.max_error, v.tolerance);
    else
        v.text = fmt::format("{} elements equal", v.checked);
    return v;
}

}  // namespace warpwright::ladder

// Compares an output with the reference. NaN never passes for a number.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ladder/reference.hpp"

namespace warpwright::ladder {

/// How far an element may be from its reference e: relative * scale + rounding * |e|. If there is a rounding, half the
/// output type's least number is added, so that it holds for results near 0 as well. Integers are exact.
struct Allowed {
    double relative = 0;
    ToleranceScale scale = ToleranceScale::magnitude;
    double rounding = 0;
};

struct Verification {
    bool passed = false;
    std::uint64_t checked = 0, wrong = 0;  ///< checked: elements compared with a reference of their own
    std::uint64_t first_wrong = 0;         ///< index; meaningful when wrong > 0
    /// The largest |actual - expected| / scale over the elements whose scale is not 0; integers: 0.
    double max_error = 0;
    double max_absolute_error = 0;  ///< over the elements that are finite on both sides
    double tolerance = 0;
    std::string method = "every element";  ///< how the output was checked
    /// One line: "65536 elements within 1.2e-07 (allowed 2.1e-06)" or the first error.
    std::string text;
};

/// The byte that fills an output before a run: a NaN for floating types; for integers a byte such that no element of
/// the reference looks like an unwritten one.
std::uint8_t poison_byte(values::Element element, const Expected& expected);

/// "{} of {} elements wrong; first at {}: 2, should be 3": `at` is the first wrong element in the output, which
/// `poison` filled before the run; "never written" in place of its value where it is as that left it.
std::string wrong_text(std::uint64_t wrong, std::uint64_t all, std::uint64_t first, values::Element element,
                       const std::byte* at, std::uint8_t poison, double wanted);

/// Half the least number above 0 of a floating type.
double half_least(values::Element element);

/// Compares the first expected.count() elements of `actual`, on all cores. If the reference is NaN, only NaN passes; if
/// it is infinite, only that infinity. An element whose scale is 0 must be exact.
Verification verify(values::Element element, std::span<const std::byte> actual, const Expected& expected,
                    const Allowed& allowed);
inline Verification verify(values::Element element, std::span<const std::byte> actual, const Expected& expected,
                           double tolerance, ToleranceScale scale) {
    return verify(element, actual, expected, Allowed{tolerance, scale, 0});
}

}  // namespace warpwright::ladder

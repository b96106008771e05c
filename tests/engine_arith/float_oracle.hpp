// Scalar reference arithmetic: the host's own operations under fesetround, and small formats by searching the table
// of all their values.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "harness.hpp"

namespace warpwright::test {

struct Mode {
    const char* name;  ///< ".rn"
    int host;
};
inline const std::vector<Mode> kModes = {
    {".rn", FE_TONEAREST}, {".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};

/// The result of `f` under a host rounding mode. `f` must keep its operands volatile.
template <class F>
auto under(int mode, F f) {
    const int before = std::fegetround();
    std::fesetround(mode);
    const auto result = f();
    std::fesetround(before);
    return result;
}

inline float flushed(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }
inline float saturated(float x) { return x > 0 ? std::fmin(x, 1.0f) : 0.0f; }
inline bool same_nan64(Bits got, Bits want, unsigned) {
    return got == want || (std::isnan(as_f64(got)) && std::isnan(as_f64(want)));
}

/// A small binary format: every finite value by its bits.
class Small {
public:
    Small(unsigned exponent_bits, unsigned mantissa_bits, bool has_infinity, Bits nan)
        : mantissa_bits_(mantissa_bits), exponent_bits_(exponent_bits), has_infinity_(has_infinity), nan_(nan) {
        const Bits end = has_infinity ? ((Bits{1} << exponent_bits) - 1) << mantissa_bits
                                      : (Bits{1} << (exponent_bits + mantissa_bits)) - 1;
        for (Bits b = 0; b < end; ++b) values_.push_back(magnitude(b));
        values_.push_back(magnitude(end));  // where infinity begins
    }
    unsigned bits() const { return 1 + exponent_bits_ + mantissa_bits_; }
    Bits nan() const { return nan_; }
    Bits infinity() const { return has_infinity_ ? values_.size() - 1 : nan_; }

    double value(Bits b) const {
        const Bits m = b & ((Bits{1} << (bits() - 1)) - 1);
        const double sign = b >> (bits() - 1) & 1 ? -1.0 : 1.0;
        if (m < values_.size() - 1) return sign * values_[m];
        return has_infinity_ && m == values_.size() - 1 ? sign * INFINITY : NAN;
    }

    /// `x` must be exact, or rounded to odd. `away` breaks ties away from zero (only to nearest).
    Bits round(double x, int mode = FE_TONEAREST, bool satfinite = false, bool away = false) const {
        if (std::isnan(x)) return nan_;
        const Bits sign = Bits{std::signbit(x)} << (bits() - 1);
        const double m = std::fabs(x);
        const Bits top = values_.size() - 2;
        if (std::isinf(x)) return sign | (satfinite ? top : infinity());
        Bits low = 0, high = values_.size() - 1;  // values[low] <= m
        if (m >= values_[high]) low = high;
        while (high - low > 1) {
            const Bits middle = (low + high) / 2;
            (values_[middle] <= m ? low : high) = middle;
        }
        Bits result = low;
        if (low + 1 < values_.size() && m > values_[low]) {
            const double middle = (values_[low] + values_[low + 1]) / 2;
            const bool up = mode == FE_TONEAREST ? m > middle || (m == middle && (away || (low & 1)))
                                                 : mode == (sign ? FE_DOWNWARD : FE_UPWARD);
            result = up ? low + 1 : low;
        }
        if (result > top) {
            const bool to_infinity = mode == FE_TONEAREST || mode == (sign ? FE_DOWNWARD : FE_UPWARD);
            result = satfinite || !to_infinity ? top : infinity();
        }
        return sign | result;
    }

private:
    double magnitude(Bits b) const {
        const int bias = (1 << (exponent_bits_ - 1)) - 1;
        const auto exponent = static_cast<int>(b >> mantissa_bits_);
        const auto mantissa = static_cast<double>(b & ((Bits{1} << mantissa_bits_) - 1));
        const double unit = std::ldexp(1.0, -static_cast<int>(mantissa_bits_));
        if (exponent == 0) return std::ldexp(mantissa * unit, 1 - bias);
        return std::ldexp(1.0 + mantissa * unit, exponent - bias);
    }
    unsigned mantissa_bits_, exponent_bits_;
    bool has_infinity_;
    Bits nan_;
    std::vector<double> values_;
};

inline const Small& f16() {
    static const Small s(5, 10, true, 0x7fff);
    return s;
}
inline const Small& bf16() {
    static const Small s(8, 7, true, 0x7fff);
    return s;
}
inline const Small& tf32() {
    static const Small s(8, 10, true, 0x3ffff);
    return s;
}
inline const Small& e4m3() {
    static const Small s(4, 3, false, 0x7f);
    return s;
}
inline const Small& e5m2() {
    static const Small s(5, 2, true, 0x7f);
    return s;
}

/// `f` evaluated in double and rounded to odd: towards zero, with the last bit set when that was inexact.
template <class F>
double to_odd(F f) {
    const int before = std::fegetround();
    std::fesetround(FE_TOWARDZERO);
    std::feclearexcept(FE_ALL_EXCEPT);
    const volatile double result = f();
    const bool inexact = std::fetestexcept(FE_INEXACT);
    std::fesetround(before);
    const double value = result;
    return inexact && std::isfinite(value) ? as_f64(bits_of(value) | 1) : value;
}

}  // namespace warpwright::test

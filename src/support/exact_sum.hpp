// A sum that is the same in whatever order its terms come: threads and streams add their times as the machine lets
// them.
#pragma once

#include <cmath>

namespace warpwright::support {

/// Terms are whole multiples of 2^-80, which seconds from 2^-28 (4 ns) on are exactly and shorter ones within 1e-24 s.
/// Sums stay below 2^46.
class ExactSum {
public:
    ExactSum() = default;
    ExactSum(double value) { *this += value; }  // NOLINT(google-explicit-constructor): a sum of one term
    ExactSum& operator+=(double value) {
        units_ += static_cast<Units>(std::ldexp(value, kBits));
        return *this;
    }
    operator double() const {  // NOLINT(google-explicit-constructor): read as the number that it is
        return std::ldexp(static_cast<double>(units_), -kBits);
    }

private:
    __extension__ using Units = __int128;
    static constexpr int kBits = 80;
    Units units_ = 0;
};

}  // namespace warpwright::support

// Values of halves in host memory. GCC 12 knows the type _Float16 in C++ on x86-64 alone.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace warpwright {

/// The value of a half (IEEE 754's binary16), which every double holds exactly; a NaN keeps its payload and is quiet.
inline double half_value(std::uint16_t bits) {
    const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = 0;
    if (exponent == 31)
        magnitude = std::bit_cast<double>(std::uint64_t{0x7ff} << 52 | std::uint64_t{fraction != 0} << 51 |
                                          std::uint64_t{fraction} << 42);
    else
        magnitude = std::ldexp(exponent == 0 ? fraction : fraction + 1024, exponent == 0 ? -24 : int(exponent) - 25);
    return std::copysign(magnitude, bits & 0x8000 ? -1.0 : 1.0);
}

}  // namespace warpwright

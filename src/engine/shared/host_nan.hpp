// Which f64 NaNs the host's own instructions give, where the GPU's are to come out.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace warpwright::engine {

/// The f64 of an invalid operation (0/0, the root of -1) on a GPU: the negative quiet NaN without payload.
inline constexpr std::uint64_t kInvalidF64 = 0xfff8'0000'0000'0000ull;

/// x86 gives that one too, and of several NaN operands the first, whatever its kind; a maximum with a number gives that
/// number for every NaN, as a comparison does. Other processors give the positive one, prefer signalling operands, or
/// pass them on (AArch64 does all of this).
#if defined(__x86_64__)
inline constexpr bool kHostNansAreTheGpus = true;
#else
inline constexpr bool kHostNansAreTheGpus = false;
#endif

/// The NaN made quiet, with its sign and payload.
inline double quiet_nan(double nan) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) | 0x0008'0000'0000'0000ull);
}

/// The result of an f64 operation whose operands are no NaNs.
inline double host_result(double result) {
    if constexpr (!kHostNansAreTheGpus)
        if (std::isnan(result)) return std::bit_cast<double>(kInvalidF64);
    return result;
}

/// The result of an f64 operation on x and y; of two NaNs that of x is passed on where `first`, else that of y.
inline double host_result(double result, double x, double y, bool first) {
    if (std::isnan(x) && std::isnan(y)) return quiet_nan(first ? x : y);
    if constexpr (!kHostNansAreTheGpus) {
        if (std::isnan(x)) return quiet_nan(x);
        if (std::isnan(y)) return quiet_nan(y);
        return host_result(result);
    }
    return result;
}

}  // namespace warpwright::engine

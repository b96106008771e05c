// Arithmetic over arrays of lanes that has no good vector code (runtime_functions.inc): results go to `out`; `n` is the
// number of lanes.
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
    #include <immintrin.h>
#endif

#include "engine/codegen/arith/emit.hpp"
#include "engine/shared/host_nan.hpp"
#include "engine/shared/runtime_functions.hpp"

namespace warpwright::engine {

namespace {

using std::int64_t;
using std::uint32_t;
using std::uint64_t;

// Divisions by zero give all ones, MIN / -1 wraps (division.cpp says why).
template <class T>
T divide(T x, T y) {
    if (y == 0) return static_cast<T>(-1);
    if (y == static_cast<T>(-1) && static_cast<T>(-1) < T{0}) return static_cast<T>(0 - static_cast<uint64_t>(x));
    return x / y;
}
template <class T>
T remainder(T x, T y) {
    if (y == 0) return static_cast<T>(-1);
    if (y == static_cast<T>(-1) && static_cast<T>(-1) < T{0}) return 0;
    return x % y;
}

// The host's rounding mode for a scope; `mode` is the number of arith::Rounding. Operands are read from memory and
// results written to memory within the scope: its ends, across which no access of memory can be moved, keep the
// operations in it, though the compiler knows nothing of modes.
class HostRounding {
public:
#if defined(__x86_64__)
    // All of this arithmetic is SSE's: its control register alone, which is much faster than fesetround().
    explicit HostRounding(uint32_t mode) : before_(_mm_getcsr()) {
        set((before_ & ~static_cast<unsigned>(_MM_ROUND_MASK)) | bits(mode));
    }
    ~HostRounding() { set(before_); }

private:
    static unsigned bits(uint32_t mode) {
        using arith::Rounding;
        switch (static_cast<Rounding>(mode)) {
            case Rounding::zero:
                return _MM_ROUND_TOWARD_ZERO;
            case Rounding::down:
                return _MM_ROUND_DOWN;
            case Rounding::up:
                return _MM_ROUND_UP;
            default:
                return _MM_ROUND_NEAREST;
        }
    }
    static void set(unsigned word) { asm volatile("ldmxcsr %0" ::"m"(word) : "memory"); }
    unsigned before_;
#else
    explicit HostRounding(uint32_t mode) : before_(std::fegetround()) { std::fesetround(wanted(mode)); }
    ~HostRounding() { std::fesetround(before_); }

private:
    static int wanted(uint32_t mode) {
        using arith::Rounding;
        switch (static_cast<Rounding>(mode)) {
            case Rounding::zero:
                return FE_TOWARDZERO;
            case Rounding::down:
                return FE_DOWNWARD;
            case Rounding::up:
                return FE_UPWARD;
            default:
                return FE_TONEAREST;
        }
    }
    int before_;
#endif

public:
    HostRounding(const HostRounding&) = delete;
    HostRounding& operator=(const HostRounding&) = delete;
};

}  // namespace

extern "C" void ww_rt_div_u64(const uint64_t* x, const uint64_t* y, uint64_t* out, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) out[i] = divide(x[i], y[i]);
}
extern "C" void ww_rt_rem_u64(const uint64_t* x, const uint64_t* y, uint64_t* out, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) out[i] = remainder(x[i], y[i]);
}
extern "C" void ww_rt_div_s64(const int64_t* x, const int64_t* y, int64_t* out, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) out[i] = divide(x[i], y[i]);
}
extern "C" void ww_rt_rem_s64(const int64_t* x, const int64_t* y, int64_t* out, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) out[i] = remainder(x[i], y[i]);
}

// ISA "fns": the position of the offset-th set bit of mask, counted from base upwards (or downwards). The one offset
// without a negation gives 0, whatever mask and base are (as on an H200).
extern "C" void ww_rt_fns(const uint32_t* mask, const uint32_t* base, const uint32_t* offset, uint32_t* out,
                          uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
        const auto wanted = static_cast<std::int32_t>(offset[i]);
        out[i] = offset[i] == 0x80000000u ? 0 : 0xffffffffu;
        if (offset[i] == 0x80000000u || base[i] > 31) continue;
        if (wanted == 0) {
            if (mask[i] >> base[i] & 1) out[i] = base[i];
            continue;
        }
        const int direction = wanted > 0 ? 1 : -1;
        int64_t left = std::llabs(static_cast<long long>(wanted));
        for (int at = static_cast<int>(base[i]); at >= 0 && at < 32; at += direction)
            if ((mask[i] >> at & 1) && --left == 0) {
                out[i] = static_cast<uint32_t>(at);
                break;
            }
    }
}

// Of two NaN operands `first` is passed on.
#define WW_BINARY(name, op, first)                                                                   \
    extern "C" void name(const double* x, const double* y, double* out, uint32_t n, uint32_t mode) { \
        HostRounding rounding(mode);                                                                 \
        for (uint32_t i = 0; i < n; ++i) {                                                           \
            const double result = x[i] op y[i];                                                      \
            out[i] = host_result(result, x[i], y[i], first == x);                                    \
        }                                                                                            \
    }
WW_BINARY(ww_rt_add_f64, +, y)
WW_BINARY(ww_rt_sub_f64, -, y)
WW_BINARY(ww_rt_mul_f64, *, y)
WW_BINARY(ww_rt_div_f64, /, x)
#undef WW_BINARY

// If several operands are NaNs, the result is b's, then c's, then a's (as on an H200).
extern "C" void ww_rt_fma_f64(const double* x, const double* y, const double* z, double* out, uint32_t n,
                              uint32_t mode) {
    HostRounding rounding(mode);
    for (uint32_t i = 0; i < n; ++i) {
        const double result = std::fma(x[i], y[i], z[i]);
        out[i] = std::isnan(y[i])   ? quiet_nan(y[i])
                 : std::isnan(z[i]) ? quiet_nan(z[i])
                 : std::isnan(x[i]) ? quiet_nan(x[i])
                                    : host_result(result);
    }
}
extern "C" void ww_rt_sqrt_f64(const double* x, double* out, uint32_t n, uint32_t mode) {
    HostRounding rounding(mode);
    for (uint32_t i = 0; i < n; ++i) out[i] = std::isnan(x[i]) ? quiet_nan(x[i]) : host_result(std::sqrt(x[i]));
}

// Converts the magnitude of an integer, rounded in the direction that the mode has for its sign.
extern "C" void ww_rt_u64_to_f64(const uint64_t* x, double* out, uint32_t n, uint32_t mode) {
    HostRounding rounding(mode);
    for (uint32_t i = 0; i < n; ++i) {  // both halves are exact, so the sum rounds once
        const double high = static_cast<double>(static_cast<uint32_t>(x[i] >> 32)) * 4294967296.0;
        const double low = static_cast<double>(static_cast<uint32_t>(x[i])), result = high + low;
        out[i] = x[i] ? result : 0.0;  // 0 + 0 is -0 downwards
    }
}
extern "C" void ww_rt_s64_to_f64(const int64_t* x, double* out, uint32_t n, uint32_t mode) {
    HostRounding rounding(mode);
    for (uint32_t i = 0; i < n; ++i) {
        const double high = static_cast<double>(static_cast<std::int32_t>(x[i] >> 32)) * 4294967296.0;
        const double low = static_cast<double>(static_cast<uint32_t>(x[i])), result = high + low;
        out[i] = x[i] ? result : 0.0;
    }
}

#if defined(__x86_64__)
float half_to_float(float half_in_low_bits) {
    uint32_t bits;
    std::memcpy(&bits, &half_in_low_bits, 4);
    const uint32_t sign = (bits & 0x8000u) << 16;
    const uint32_t exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
    float value;
    if (exponent == 0) {
        value = static_cast<float>(mantissa) * 0x1p-24f;
    } else {
        const uint32_t field = exponent == 31 ? 0xff : exponent + 112;
        const uint32_t quiet = exponent == 31 && mantissa ? 0x400000u : 0;
        const uint32_t wide = field << 23 | mantissa << 13 | quiet;
        std::memcpy(&value, &wide, 4);
    }
    std::memcpy(&bits, &value, 4);
    bits |= sign;
    std::memcpy(&value, &bits, 4);
    return value;
}
float float_to_half(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    const uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    uint32_t half;
    if (magnitude > 0x7f800000u)
        half = 0x7e00u | (magnitude >> 13 & 0x3ff);
    else if (magnitude >= 0x477ff000u)
        half = 0x7c00u;  // 65520 and above round to infinity
    else if (magnitude >= 0x38800000u) {
        const uint32_t rebased = magnitude - 0x38000000u;
        half = (rebased + 0xfffu + (rebased >> 13 & 1)) >> 13;
    } else {  // subnormal: the addition rounds to a multiple of 2^-24
        float tiny;
        std::memcpy(&tiny, &magnitude, 4);
        const float shifted = tiny + 0.5f;
        std::memcpy(&half, &shifted, 4);
        half -= 0x3f000000u;
    }
    half |= sign;
    float out;
    std::memcpy(&out, &half, 4);
    return out;
}
#endif

}  // namespace warpwright::engine

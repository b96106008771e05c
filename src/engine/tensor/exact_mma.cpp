// Matrix products whose result the ISA fixes: integers (4, 8 and 1 bits) and f64; and the metadata of sparse forms.
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>

#include "engine/shared/host_nan.hpp"
#include "engine/tensor/plan.hpp"

namespace warpwright::engine {

namespace {

using simt::Type;

constexpr unsigned kMaxElements = 1024;  // B of m16n8k128

struct Product {
    unsigned m, n, stored_k;
    const std::uint16_t* a_index;  ///< [m][stored_k]
    const std::uint8_t* columns;   ///< sparse: [m][stored_k], else null
    const std::uint16_t* c_index;
    bool satfinite;
};

// The inner loops, once for any CPU and once for AVX2 with fused multiply-add: same source, same results.
#define WARPWRIGHT_LANES 4
#define WARPWRIGHT_TARGET
namespace any_cpu {
#include "engine/tensor/exact_loops.inc"
}
#undef WARPWRIGHT_LANES
#undef WARPWRIGHT_TARGET
#if defined(__x86_64__) && defined(__GNUC__)
    #define WARPWRIGHT_LANES 8
    #define WARPWRIGHT_TARGET __attribute__((target("avx2,fma,popcnt")))
namespace avx2 {
    #include "engine/tensor/exact_loops.inc"
}
#endif

struct Code {
    decltype(&any_cpu::unpack) unpack;
    decltype(&any_cpu::multiply) multiply;
    decltype(&any_cpu::count_bits) count_bits;
    decltype(&any_cpu::chain) chain;
};
Code choose_code() {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt"))
        return {avx2::unpack, avx2::multiply, avx2::count_bits, avx2::chain};
#endif
    return {any_cpu::unpack, any_cpu::multiply, any_cpu::count_bits, any_cpu::chain};
}
Code code = choose_code();

double read_f64(const std::uint32_t* words, unsigned element) {
    const unsigned at = element / 32 * 64 + element % 32;
    return std::bit_cast<double>(std::uint64_t(words[at]) | std::uint64_t(words[at + 32]) << 32);
}

/// The NaN that the chain ends in, as recorded: of the operands of one multiply-add, b's comes before the accumulator's
/// before a's, made quiet; an invalid operation gives the negative quiet NaN without payload. (Host instructions differ
/// in this, so this function computes it.) In the rounding mode of the chain.
double chain_nan(const double* a, const double* b, unsigned k, unsigned n, double c) {
    for (unsigned s = 0; s < k; ++s) {
        const double x = a[s], y = b[s * n];
        if (std::isnan(y))
            c = quiet_nan(y);
        else if (std::isnan(c))
            c = quiet_nan(c);
        else if (std::isnan(x))
            c = quiet_nan(x);
        else if (c = std::fma(x, y, c); std::isnan(c))
            c = std::bit_cast<double>(kInvalidF64);
    }
    return c;
}

}  // namespace

void use_portable_exact_loops(bool portable) {
    code = portable ? Code{any_cpu::unpack, any_cpu::multiply, any_cpu::count_bits, any_cpu::chain} : choose_code();
}

void sparse_columns(const MmaForm& f, const std::uint32_t* metadata, std::uint8_t* columns) {
    // One 4-bit index pair stands for two stored elements of four (tf32: one of two, s4/u4: two pairs of four pairs).
    const unsigned stored_k = f.k / 2, unit = f.a == Type::tf32 ? 1 : f.a == Type::s4 || f.a == Type::u4 ? 4 : 2;
    const unsigned chunks = stored_k / unit;           // index pairs a row
    const unsigned lanes = chunks * f.m * 4 / 32 / 8;  // lanes of a quad that hold metadata: 1, 2 or 4
    for (unsigned row = 0; row < f.m; ++row)
        for (unsigned q = 0; q < chunks; ++q) {
            unsigned lane, bit;
            metadata_place(f, lanes, row, q, &lane, &bit);
            const unsigned pair = (metadata[lane] >> bit) & 15;
            for (unsigned s = 0; s < unit; ++s) {
                unsigned column;
                if (unit == 1)
                    column = 2 * q + (pair >> 3);
                else if (unit == 2)
                    column = 4 * q + ((pair >> (2 * s)) & 3);
                else
                    column = 8 * q + 2 * ((pair >> (2 * (s >> 1))) & 3) + (s & 1);
                columns[row * stored_k + q * unit + s] = std::uint8_t(column);
            }
        }
}

void run_integer_mma(const MmaForm& f, const std::uint32_t* a_words, const std::uint32_t* b_words,
                     const std::uint32_t* c, std::uint32_t* d, const std::uint32_t* metadata) {
    const MmaPlan& plan = *f.plan;
    if (f.a == Type::b1) {
        std::uint32_t sums[256];
        code.count_bits(f, a_words, b_words, c, sums);
        std::memcpy(d, sums, f.m * f.n * 4);
        return;
    }
    alignas(64) std::int32_t a[kMaxElements], b_flat[kMaxElements], b[kMaxElements];
    std::uint32_t out[256];
    std::uint8_t columns[kMaxElements];
    code.unpack(f.a, a_words, plan.counts.a, a);
    code.unpack(f.b, b_words, plan.counts.b, b_flat);
    for (unsigned i = 0; i < f.k * f.n; ++i) b[i] = b_flat[plan.b[i]];
    if (f.sparse) sparse_columns(f, metadata, columns);
    code.multiply({f.m, f.n, plan.stored_k, plan.a.data(), f.sparse ? columns : nullptr, plan.c.data(), f.satfinite}, a,
                  b, c, out);
    std::memcpy(d, out, f.m * f.n * 4);
}

void run_f64_mma(const MmaForm& f, const std::uint32_t* a_words, const std::uint32_t* b_words,
                 const std::uint32_t* c_words, std::uint32_t* d, const std::uint32_t*) {
    const MmaPlan& plan = *f.plan;
    const int modes[] = {FE_TONEAREST, FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};  // by simt::Rounding
    const int wanted = modes[unsigned(f.rounding)], before = std::fegetround();
    double a[16 * 16], b[16 * 8], sum[16 * 8] = {};
    for (unsigned i = 0; i < f.m * f.k; ++i) a[i] = read_f64(a_words, plan.a[i]);
    for (unsigned i = 0; i < f.k * f.n; ++i) b[i] = read_f64(b_words, plan.b[i]);
    for (unsigned i = 0; i < f.m * f.n; ++i) sum[i] = read_f64(c_words, plan.c[i]);
    double start[16 * 8];
    std::memcpy(start, sum, sizeof start);
    if (wanted != before) std::fesetround(wanted);
    for (unsigned i = 0; i < f.m; ++i)
        for (unsigned j = 0; j < f.n; j += 8) code.chain(a + i * f.k, b + j, f.k, f.n, sum + i * f.n + j);
    for (unsigned i = 0; i < f.m * f.n; ++i)
        if (std::isnan(sum[i])) sum[i] = chain_nan(a + i / f.n * f.k, b + i % f.n, f.k, f.n, start[i]);
    if (wanted != before) std::fesetround(before);
    for (unsigned i = 0; i < f.m * f.n; ++i) {
        const auto bits = std::bit_cast<std::uint64_t>(sum[i]);
        const unsigned at = plan.d[i] / 32 * 64 + plan.d[i] % 32;
        d[at] = std::uint32_t(bits);
        d[at + 32] = std::uint32_t(bits >> 32);
    }
}

}  // namespace warpwright::engine

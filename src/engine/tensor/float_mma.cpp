// Floating-point matrix products (f16, bf16, tf32, fp8) as the tensor cores of sm_90 compute them. The model follows
// what Fasi et al. 2021 ("Numerical behavior of the NVIDIA tensor cores"), Khattak and Mikaitis 2025 and Xie et al.
// 2025 found, with what recordings on an H200 settled beyond them (tests/engine_tensor compares bit for bit):
//  - products are exact and not normalised: the exponent of a product is the sum of its operands' exponents, a
//    subnormal counting with the smallest exponent; a product that is zero has none;
//  - all products of a group and the accumulator are cut, towards zero, to multiples of 2^(largest exponent - 25)
//    and added exactly; a largest exponent below -133 counts as -133;
//  - the sum is cut towards zero to f32 (2^128 and above: infinity), or rounded to nearest even to f16; a zero
//    result is +0; NaN is 0x7fffffff or 0x7fff;
//  - a group is the whole k of an instruction; wmma.m16n16k8 on tf32 is made of two groups of 4;
//  - fp8 has no mma.sync of its own on sm_90: operands become f16, the product starts from zero as two groups (pairs
//    of k with k/2 even, then odd) and is then added to C with one IEEE addition;
//  - wmma with f16 C and f32 D, or the other way, converts before or after.
#include <bit>
#include <cmath>
#include <cstring>

#include "engine/tensor/float_formats.hpp"
#include "engine/tensor/plan.hpp"
#include "engine/tensor/tiles.hpp"
#include "engine/tensor/wgmma.hpp"

namespace warpwright::engine {

namespace {

using simt::Type;

constexpr int kFraction = 25;         // bits kept below the largest exponent
constexpr int kExponentFloor = -133;  // the smallest "largest exponent"
constexpr int kNone = -10000;         // exponent of a term that is zero
constexpr unsigned kMaxElements = 512;

/// Significands in (-2, 2) and exponents of up to kMaxElements elements; a zero, infinity or NaN has significand 0.
struct Parts {
    alignas(64) float significand[kMaxElements];
    alignas(64) std::int32_t exponent[kMaxElements];
    alignas(64) float value[kMaxElements];  ///< not of f32: the element itself, exact in f32
    int lowest, highest;                    ///< exponents of those that are not zero, if any
    bool special;                           ///< an infinity or NaN among them
};

/// One group of k: for every output, the cut sum as f32 bits. With `odd`, bits lost to the f32 set its last bit, so
/// that a later rounding to f16 is as if from the exact sum.
struct Group {
    unsigned m, n, stored_k, count;
    const std::uint16_t* order;      // `count` stored columns
    const std::uint16_t* a_index;    // [m][stored_k] into `a`
    const std::uint8_t* columns;     // sparse: [m][stored_k] -> k; else null
    const std::uint16_t* acc_index;  // [m][n]
    bool runs, odd;
    bool narrow;  // every product is zero or a normal f32 of at least 2^-100: see are_narrow()
    bool direct;  // all stored columns in order, not sparse
};

// The inner loops, once for any CPU and once for AVX2: same source, same results.
#define WARPWRIGHT_LANES 4
#define WARPWRIGHT_TARGET
namespace any_cpu {
#include "engine/tensor/float_sum.inc"
}
#undef WARPWRIGHT_LANES
#undef WARPWRIGHT_TARGET
#if defined(__x86_64__) && defined(__GNUC__)
    #define WARPWRIGHT_LANES 8
    #define WARPWRIGHT_TARGET __attribute__((target("avx2")))
namespace avx2 {
    #include "engine/tensor/float_sum.inc"
}
#endif

struct Code {
    decltype(&any_cpu::split) split;
    decltype(&any_cpu::unpack) unpack;
    decltype(&any_cpu::sum_group) sum_group;
};
Code choose_code() {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) return {avx2::split, avx2::unpack, avx2::sum_group};
#endif
    return {any_cpu::split, any_cpu::unpack, any_cpu::sum_group};
}
Code code = choose_code();

/// Whether every product is zero, or so far from both ends of f32 that neither it nor a sum's last bit is subnormal: of
/// f16 always, of others where the operands are. Products are then made from the elements themselves, without their
/// exponents.
bool are_narrow(const Parts& a, const Parts& b) {
    constexpr int kLeast = -100, kMost = 125;
    return a.lowest + b.lowest >= kLeast && a.highest + b.highest <= kMost;
}

/// The result of a dot product with an infinity or NaN: 0 if there is none, else the f32 bits.
std::uint32_t special_result(const Group& g, unsigned i, unsigned j, const std::uint32_t* a, const std::uint32_t* b,
                             Type type, std::uint32_t c, Type c_type) {
    bool nan = is_nan(c_type, c), plus = is_infinite(c_type, c) && !is_negative(c_type, c),
         minus = is_infinite(c_type, c) && is_negative(c_type, c);
    for (unsigned s = 0; s < g.count; ++s) {
        const unsigned stored = i * g.stored_k + g.order[s];
        const std::uint32_t x = a[g.a_index[stored]], y = b[(g.columns ? g.columns[stored] : g.order[s]) * g.n + j];
        nan |= is_nan(type, x) || is_nan(type, y);
        if (is_infinite(type, x) || is_infinite(type, y)) {
            nan |= is_zero(type, x) || is_zero(type, y);
            (is_negative(type, x) != is_negative(type, y) ? minus : plus) = true;
        }
    }
    if (nan || (plus && minus)) return 0x7fffffff;
    return plus ? 0x7f800000 : minus ? 0xff800000 : 0;
}

/// f16 C or D of m8n8k4, which sm_90 has no tensor-core instruction for: chains of f32 fused multiply-adds.
void run_quad_pairs(const MmaForm& f, const std::uint32_t* a_raw, const std::uint32_t* b_raw, const std::uint32_t* c,
                    std::uint32_t* d) {
    const MmaPlan& plan = *f.plan;
    for (unsigned p = 0; p < 4; ++p)
        for (unsigned i = 0; i < 8; ++i)
            for (unsigned j = 0; j < 8; ++j) {
                float a[4], b[4];
                for (unsigned k = 0; k < 4; ++k) {
                    a[k] = f32_from_f16(a_raw[plan.a[(p * 8 + i) * 4 + k]]);
                    b[k] = f32_from_f16(b_raw[plan.b[(p * 4 + k) * 8 + j]]);
                }
                const std::uint32_t raw = c[plan.c[(p * 8 + i) * 8 + j]];
                const float start = f.c == Type::f16 ? f32_from_f16(raw) : std::bit_cast<float>(raw);
                float sum;
                if (f.d == Type::f16) {
                    const float low = std::fma(a[1], b[1], a[0] * b[0]), high = std::fma(a[3], b[3], a[2] * b[2]);
                    sum = (start + low) + high;
                } else {
                    sum = std::fma(a[0], b[0], 0.0f);
                    for (unsigned k = 1; k < 4; ++k) sum = std::fma(a[k], b[k], sum);
                    sum = start + sum;
                }
                d[plan.d[(p * 8 + i) * 8 + j]] = std::isnan(sum) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(sum);
            }
}

}  // namespace

void use_portable_sums(bool portable) {
    code = portable ? Code{any_cpu::split, any_cpu::unpack, any_cpu::sum_group} : choose_code();
    tiles::want(!portable);
}

void run_float_mma(const MmaForm& f, const std::uint32_t* a_words, const std::uint32_t* b_words,
                   const std::uint32_t* c_words, std::uint32_t* d_words, const std::uint32_t* metadata) {
    const MmaPlan& plan = *f.plan;
    if (tiles::run(f, a_words, b_words, c_words, d_words)) return;
    const bool fp8 = f.a == Type::e4m3 || f.a == Type::e5m2;
    const unsigned outputs = plan.products * f.m * f.n;
    alignas(64) std::uint32_t a_raw[kMaxElements], b_flat[kMaxElements], b_raw[kMaxElements], c_raw[kMaxElements],
        result[kMaxElements];
    // wmma's f16 fragments have further copies beyond these words
    code.unpack(f.a, a_words, plan.products * f.m * plan.stored_k * fragment_bits(f.a) / 1024, a_raw);
    code.unpack(f.b, b_words, plan.products * f.n * f.k * fragment_bits(f.b) / 1024, b_flat);
    code.unpack(f.c, c_words, plan.counts.c, c_raw);
    if (plan.products != 1) {
        run_quad_pairs(f, a_raw, b_flat, c_raw, result);
        store_result(f.d, result, plan.counts.d, d_words);
        return;
    }
    // f16 accumulation keeps f16 between groups; a mix of f16 and f32 (wmma) computes in f32
    const bool half = f.c == Type::f16 && f.d == Type::f16;
    const Type operand = fp8 ? Type::f16 : f.a, accumulator = half ? Type::f16 : Type::f32;
    if (f.c == Type::f16 && !half)
        for (unsigned i = 0; i < outputs; ++i) c_raw[i] = std::bit_cast<std::uint32_t>(f32_from_f16(c_raw[i]));
    for (unsigned i = 0; i < f.k * f.n; ++i) b_raw[i] = b_flat[plan.b[i]];
    std::uint8_t columns[kMaxElements];
    if (f.sparse) sparse_columns(f, metadata, columns);

    Parts a, b, c;
    code.split(operand, a_raw, f.m * plan.stored_k, a);
    code.split(operand, b_raw, f.k * f.n, b);
    alignas(64) std::uint32_t sum[kMaxElements] = {};
    if (!fp8) std::memcpy(sum, c_raw, outputs * 4);
    for (unsigned first = 0; first < plan.stored_k; first += plan.group_k) {
        const Group group{f.m,
                          f.n,
                          plan.stored_k,
                          plan.group_k,
                          plan.order.data() + first,
                          plan.a.data(),
                          f.sparse ? columns : nullptr,
                          plan.c.data(),
                          plan.runs,
                          half,
                          are_narrow(a, b),
                          !f.sparse && plan.group_k == plan.stored_k};
        code.split(accumulator, sum, outputs, c);
        code.sum_group(group, a, b, c, result);
        if (half)
            for (unsigned i = 0; i < outputs; ++i) result[i] = f16_from_f32_positive_zero(result[i]);
        if (a.special || b.special || c.special)
            for (unsigned i = 0; i < f.m; ++i)
                for (unsigned j = 0; j < f.n; ++j) {
                    const unsigned at = plan.c[i * f.n + j];
                    const std::uint32_t r = special_result(group, i, j, a_raw, b_raw, operand, sum[at], accumulator);
                    if (r) result[at] = half ? (r == 0x7fffffff ? 0x7fff : r >> 16 == 0x7f80 ? 0x7c00 : 0xfc00) : r;
                }
        std::memcpy(sum, result, outputs * 4);
    }
    if (fp8)
        for (unsigned i = 0; i < outputs; ++i) sum[i] = half ? add_f16(c_raw[i], sum[i]) : add_f32(c_raw[i], sum[i]);
    if (half) {
        for (unsigned w = 0; w < plan.counts.d; ++w)
            for (unsigned lane = 0; lane < 32; ++lane)
                d_words[w * 32 + lane] = sum[w * 64 + lane] | sum[w * 64 + 32 + lane] << 16;
        return;
    }
    store_result(f.d, sum, plan.counts.d, d_words);
}

void run_float_rows(Type operand, unsigned k, unsigned n, bool half, const std::uint32_t* a_raw,
                    const std::uint32_t* b_raw, std::uint32_t* d, const std::uint8_t* columns) {
    const unsigned stored = columns ? k / 2 : k;
    std::uint16_t order[16], a_index[256], place[128];
    for (unsigned s = 0; s < stored; ++s) order[s] = std::uint16_t(s);
    for (unsigned i = 0; i < 16 * stored; ++i) a_index[i] = std::uint16_t(i);
    for (unsigned i = 0; i < 16; ++i)
        for (unsigned p = 0; p < 8; ++p)
            place[i * 8 + p] = std::uint16_t(((i >= 8 ? 2 : 0) + (p >= 4)) * 32 + i % 8 * 4 + p % 4);
    Group group{16, 8, stored, stored, order, a_index, columns, place, true, half, false, !columns};
    const Type accumulator = half ? Type::f16 : Type::f32;
    Parts a, b, c;
    code.split(operand, a_raw, 16 * stored, a);
    alignas(64) std::uint32_t result[128];
    for (unsigned chunk = 0; chunk < n / 8; ++chunk, b_raw += 8 * k, d += 128) {
        code.split(operand, b_raw, 8 * k, b);
        code.split(accumulator, d, 128, c);
        group.narrow = are_narrow(a, b);
        code.sum_group(group, a, b, c, result);
        if (half)
            for (auto& r : result) r = f16_from_f32_positive_zero(r);
        if (a.special || b.special || c.special)
            for (unsigned i = 0; i < 16; ++i)
                for (unsigned j = 0; j < 8; ++j) {
                    const unsigned at = place[i * 8 + j];
                    const std::uint32_t r = special_result(group, i, j, a_raw, b_raw, operand, d[at], accumulator);
                    if (r) result[at] = half ? (r == 0x7fffffff ? 0x7fff : r >> 16 == 0x7f80 ? 0x7c00 : 0xfc00) : r;
                }
        std::memcpy(d, result, sizeof result);
    }
}

}  // namespace warpwright::engine

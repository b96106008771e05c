// Exponents of products are added two at a time, in 16 bits each. In the sums of a column all factors but one are
// vectors of rows, and that one is broadcast as it is read.
#include "engine/tensor/tiles_avx512.hpp"

#include <cstring>

#if defined(__x86_64__)
    #include <immintrin.h>
    #if defined(__GNUC__) && !defined(__clang__)
        // GCC 12 takes operands that its header leaves undefined on purpose for mistakes.
        #pragma GCC diagnostic ignored "-Wuninitialized"
    #endif
#endif

namespace warpwright::engine::tiles {

#if defined(__x86_64__)

    #define WARPWRIGHT_TILES __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,f16c")))
    #define WARPWRIGHT_TILES_INLINE WARPWRIGHT_TILES inline __attribute__((always_inline))

namespace {

constexpr int kFraction = 25;         // bits kept below the largest exponent
constexpr int kExponentFloor = -133;  // the smallest "largest exponent"
constexpr int kNone = -10000;         // exponent of a zero

bool supported() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}
const bool kSupported = supported();

/// What is gathered of an operand's elements while they are taken apart.
struct Seen {
    __m512i lowest, highest;
    std::uint32_t odd_ones = 0;  ///< lanes with an element that has no place here
};

template <bool is_bf16>
WARPWRIGHT_TILES_INLINE void take_apart(__m512i pairs, float* even, float* odd, void* exponents, Seen& seen) {
    constexpr int kMantissa = is_bf16 ? 7 : 10, kTop = is_bf16 ? 255 : 31, kBias = is_bf16 ? 127 : 15;
    const auto field = _mm512_and_si512(_mm512_srli_epi16(pairs, kMantissa), _mm512_set1_epi16(kTop));
    const auto zero = _mm512_testn_epi16_mask(pairs, _mm512_set1_epi16(0x7fff));
    seen.odd_ones |= _mm512_cmpeq_epi16_mask(field, _mm512_set1_epi16(kTop));
    __m512i exponent;
    if constexpr (is_bf16) {
        seen.odd_ones |= _mm512_testn_epi16_mask(field, field) & ~zero;
        exponent = _mm512_sub_epi16(field, _mm512_set1_epi16(kBias));
        _mm512_store_si512(even, _mm512_slli_epi32(pairs, 16));
        _mm512_store_si512(odd, _mm512_and_si512(pairs, _mm512_set1_epi32(static_cast<int>(0xffff0000u))));
    } else {
        // Subnormal elements count with the smallest exponent.
        exponent = _mm512_sub_epi16(_mm512_max_epi16(field, _mm512_set1_epi16(1)), _mm512_set1_epi16(kBias));
        _mm512_store_ps(even, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(pairs)));
        _mm512_store_ps(odd, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(pairs, 16))));
    }
    const auto known = _mm512_mask_mov_epi16(exponent, zero, _mm512_set1_epi16(kNone));
    seen.lowest = _mm512_min_epi16(seen.lowest, _mm512_mask_mov_epi16(exponent, zero, _mm512_set1_epi16(-kNone)));
    seen.highest = _mm512_max_epi16(seen.highest, known);
    _mm512_store_si512(exponents, known);
}

WARPWRIGHT_TILES_INLINE int lowest_of(__m512i x) {
    const auto half = _mm256_min_epi16(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    const auto eight = _mm_min_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    const auto least = _mm_minpos_epu16(_mm_xor_si128(eight, _mm_set1_epi16(-0x8000)));
    return static_cast<std::int16_t>(_mm_extract_epi16(least, 0) ^ 0x8000);
}

WARPWRIGHT_TILES_INLINE Bounds bounds_of(const Seen& seen) {
    const auto ones = _mm512_set1_epi16(-1);
    return {lowest_of(seen.lowest), ~lowest_of(_mm512_xor_si512(seen.highest, ones))};
}

WARPWRIGHT_TILES_INLINE Seen nothing_seen() { return {_mm512_set1_epi16(-kNone), _mm512_set1_epi16(kNone), 0}; }

/// Sixteen rows of which each has four lanes of a word: lane q of each, of rows 0 to 7 from `low`, of the others from
/// `high`.
WARPWRIGHT_TILES_INLINE __m512i rows_of(const std::uint32_t* low, const std::uint32_t* high, unsigned q) {
    const auto from = _mm512_add_epi32(_mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28),
                                       _mm512_set1_epi32(static_cast<int>(q)));
    const auto x = _mm512_permutex2var_epi32(_mm512_loadu_si512(low), from, _mm512_loadu_si512(low + 16));
    const auto y = _mm512_permutex2var_epi32(_mm512_loadu_si512(high), from, _mm512_loadu_si512(high + 16));
    return _mm512_mask_blend_epi32(0xff00, x, y);
}

template <bool is_bf16>
WARPWRIGHT_TILES bool take_rows(const std::uint32_t* const words[4], std::uint32_t flip, Rows& out) {
    auto seen = nothing_seen();
    const auto flipped = _mm512_set1_epi32(static_cast<int>(flip));
    #pragma GCC unroll 8
    for (unsigned p = 0; p < 8; ++p) {
        const auto pairs = rows_of(words[p / 4 * 2], words[p / 4 * 2 + 1], p % 4);
        take_apart<is_bf16>(_mm512_xor_si512(pairs, flipped), out.even[p], out.odd[p], out.exponents[p], seen);
    }
    out.bounds = bounds_of(seen);
    return seen.odd_ones == 0;
}

template <bool is_bf16>
WARPWRIGHT_TILES bool take_columns(const std::uint32_t (&pairs)[8][8], std::uint32_t flip, Columns& out) {
    auto seen = nothing_seen();
    const auto flipped = _mm512_set1_epi32(static_cast<int>(flip));
    #pragma GCC unroll 4
    for (unsigned j = 0; j < 8; j += 2)
        take_apart<is_bf16>(_mm512_xor_si512(_mm512_loadu_si512(pairs[j]), flipped), out.even[j], out.odd[j],
                            out.exponents[j], seen);
    out.bounds = bounds_of(seen);
    return seen.odd_ones == 0;
}

/// The largest exponent of each row's products in a column, at least kExponentFloor.
WARPWRIGHT_TILES_INLINE __m512i largest_exponent(const Rows& a, const std::uint32_t (&b)[8]) {
    __m512i most[2] = {_mm512_set1_epi16(kExponentFloor), _mm512_set1_epi16(kExponentFloor)};
    #pragma GCC unroll 8
    for (unsigned p = 0; p < 8; ++p)
        most[p % 2] = _mm512_max_epi16(most[p % 2], _mm512_add_epi16(_mm512_load_si512(a.exponents[p]),
                                                                     _mm512_set1_epi32(static_cast<int>(b[p]))));
    const auto both = _mm512_max_epi16(most[0], most[1]);
    return _mm512_max_epi32(_mm512_srai_epi32(_mm512_slli_epi32(both, 16), 16), _mm512_srai_epi32(both, 16));
}

/// The products of a column, cut to whole numbers after multiplication by `factor`, and added.
WARPWRIGHT_TILES_INLINE __m512i cut_products(const Rows& a, const Columns& b, unsigned column, __m512 factor) {
    __m512i even = _mm512_setzero_si512(), odd = even;
    const auto cut = [factor](const float* of_rows, float of_column) __attribute__((always_inline)) WARPWRIGHT_TILES {
        const auto product = _mm512_mul_ps(_mm512_load_ps(of_rows), _mm512_set1_ps(of_column));
        return _mm512_cvttps_epi32(_mm512_mul_ps(product, factor));
    };
    #pragma GCC unroll 8
    for (unsigned p = 0; p < 8; ++p) {
        even = _mm512_add_epi32(even, cut(a.even[p], b.even[column][p]));
        odd = _mm512_add_epi32(odd, cut(a.odd[p], b.odd[column][p]));
    }
    return _mm512_add_epi32(even, odd);
}

/// x + y as f32, cut towards zero, where the sum of some lane is beyond 32 bits.
WARPWRIGHT_TILES __attribute__((noinline)) __m512 wide_sum(__m512i x, __m512i y) {
    constexpr int kCut = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
    const auto low =
        _mm512_add_pd(_mm512_cvtepi32_pd(_mm512_castsi512_si256(x)), _mm512_cvtepi32_pd(_mm512_castsi512_si256(y)));
    const auto high = _mm512_add_pd(_mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(x, 1)),
                                    _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(y, 1)));
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvt_roundpd_ps(low, kCut)),
                              _mm512_cvt_roundpd_ps(high, kCut), 1);
}

/// A column of results.
WARPWRIGHT_TILES_INLINE __m512 sum_column(const Rows& a, const Columns& b, unsigned column, __m512i c) {
    const auto own = _mm512_srli_epi32(_mm512_and_si512(c, _mm512_set1_epi32(0x7fffffff)), 23);
    const auto largest =
        _mm512_max_epi32(largest_exponent(a, b.exponents[column]), _mm512_sub_epi32(own, _mm512_set1_epi32(127)));
    // 2^(25 - largest); beyond the limit all products are zero.
    const auto scale = _mm512_sub_epi32(_mm512_set1_epi32(127 + kFraction), largest);
    const auto factor = _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_min_epi32(scale, _mm512_set1_epi32(254)), 23));
    const auto products = cut_products(a, b, column, factor);
    const auto units = _mm512_cvtepi32_ps(_mm512_sub_epi32(largest, _mm512_set1_epi32(kFraction)));
    const auto start =
        _mm512_cvttps_epi32(_mm512_scalef_ps(_mm512_castsi512_ps(c), _mm512_sub_ps(_mm512_setzero_ps(), units)));
    const auto whole = _mm512_add_epi32(products, start);
    const auto beyond =
        _mm512_movepi32_mask(_mm512_and_si512(_mm512_xor_si512(products, whole), _mm512_xor_si512(start, whole)));
    const auto cut = __builtin_expect(beyond != 0, 0)
                         ? wide_sum(products, start)
                         : _mm512_cvt_roundepi32_ps(whole, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    return _mm512_scalef_ps(cut, units);
}

/// Four columns, of which each lane of a word has one, as that word's 32 lanes: of rows 8 `half` to 8 `half` + 7.
WARPWRIGHT_TILES_INLINE void put_rows(const __m512* columns, unsigned half, std::uint32_t* out) {
    const auto place = _mm512_setr_epi32(0, 16, 0, 16, 1, 17, 1, 17, 2, 18, 2, 18, 3, 19, 3, 19);
    #pragma GCC unroll 2
    for (unsigned k = 0; k < 2; ++k) {
        const auto from = _mm512_add_epi32(place, _mm512_set1_epi32(static_cast<int>(8 * half + 4 * k)));
        const auto x = _mm512_permutex2var_ps(columns[0], from, columns[2]),
                   y = _mm512_permutex2var_ps(columns[4], from, columns[6]);
        _mm512_storeu_ps(out + 16 * k, _mm512_mask_blend_ps(0xcccc, x, y));
    }
}

}  // namespace

bool available() { return kSupported; }

bool take(simt::Type type, const std::uint32_t* const words[4], std::uint32_t flip, Rows& out) {
    return type == simt::Type::bf16 ? take_rows<true>(words, flip, out) : take_rows<false>(words, flip, out);
}

bool take(simt::Type type, const std::uint32_t (&pairs)[8][8], std::uint32_t flip, Columns& out) {
    return type == simt::Type::bf16 ? take_columns<true>(pairs, flip, out) : take_columns<false>(pairs, flip, out);
}

WARPWRIGHT_TILES bool are_plain(const std::uint32_t* words) {
    const auto top = _mm512_set1_epi32(0x7f800000), magnitude = _mm512_set1_epi32(0x7fffffff);
    unsigned odd_ones = 0;
    for (unsigned k = 0; k < 32; k += 16) {
        const auto v = _mm512_loadu_si512(words + k), field = _mm512_and_si512(v, top);
        odd_ones |= _mm512_cmpeq_epi32_mask(field, top);
        odd_ones |= _mm512_testn_epi32_mask(v, top) & _mm512_test_epi32_mask(v, magnitude);
    }
    return odd_ones == 0;
}

WARPWRIGHT_TILES void sum(const Rows& a, const Columns& b, const std::uint32_t* const c[4], std::uint32_t* const d[4]) {
    __m512 columns[8];
    for (unsigned j = 0; j < 8; ++j) columns[j] = sum_column(a, b, j, rows_of(c[j % 2], c[2 + j % 2], j / 2));
    #pragma GCC unroll 4
    for (unsigned w = 0; w < 4; ++w) put_rows(columns + w % 2, w / 2, d[w]);
}

#else

bool available() { return false; }
bool take(simt::Type, const std::uint32_t* const[4], std::uint32_t, Rows&) { return false; }
bool take(simt::Type, const std::uint32_t (&)[8][8], std::uint32_t, Columns&) { return false; }
bool are_plain(const std::uint32_t*) { return false; }
void sum(const Rows&, const Columns&, const std::uint32_t* const[4], std::uint32_t* const[4]) {}

#endif

}  // namespace warpwright::engine::tiles

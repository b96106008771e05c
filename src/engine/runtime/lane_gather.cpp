// The functions are compiled for AVX-512 whatever the rest is compiled for, and the CPU is asked when the program
// starts. On other CPUs they do nothing, and the caller moves lane by lane.
#include "engine/runtime/lane_gather.hpp"

#include "engine/runtime/kernel_memory.hpp"

#if defined(__x86_64__)
    #include <immintrin.h>
    #define WARPWRIGHT_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw")))
#endif

namespace warpwright::engine {

#if defined(__x86_64__)
namespace {

const bool kHasAvx512 = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}();

/// Eight lanes at a time.
constexpr unsigned kEight = 4;

WARPWRIGHT_AVX512 inline __attribute__((always_inline)) bool all_inside(const LaneRange& range,
                                                                        const std::uint64_t* addresses,
                                                                        std::uint32_t mask, unsigned total,
                                                                        __m512i* places) {
    const auto cut = _mm512_set1_epi64(static_cast<long long>(range.cut)),
               first = _mm512_set1_epi64(static_cast<long long>(range.first)),
               last = _mm512_set1_epi64(static_cast<long long>(range.bytes - total)),
               low = _mm512_set1_epi64(total - 1), to = _mm512_set1_epi64(static_cast<long long>(range.to));
    unsigned wrong = 0;
    for (unsigned k = 0; k < kEight; ++k) {
        const auto lanes = static_cast<__mmask8>(mask >> 8 * k);
        const auto a = _mm512_and_si512(_mm512_loadu_si512(addresses + 8 * k), cut);
        wrong |= _mm512_mask_test_epi64_mask(lanes, a, low) |
                 _mm512_mask_cmpgt_epu64_mask(lanes, _mm512_sub_epi64(a, first), last);
        places[k] = _mm512_add_epi64(a, to);
    }
    return wrong == 0;
}

/// One word of each lane, sixteen lanes at a time: what is written here is read in such pieces, and the CPU passes a
/// store on to a load only if the load lies in it.
WARPWRIGHT_AVX512 inline __attribute__((always_inline)) void gather_words(const __m512i* places, std::uint32_t mask,
                                                                          char* to) {
    for (unsigned k = 0; k < kEight; k += 2) {
        const auto lanes = static_cast<__mmask16>(mask >> 8 * k);
        const auto low = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), static_cast<__mmask8>(lanes), places[k],
                                                     nullptr, 1),
                   high = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), static_cast<__mmask8>(lanes >> 8),
                                                      places[k + 1], nullptr, 1);
        const auto both = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
        // Lanes that are not in the mask keep what they have, which nobody reads.
        _mm512_storeu_si512(to + 32 * k, both);
    }
}

/// All lanes' words one by one: the CPU's scatter takes half as long again.
inline __attribute__((always_inline)) void store_words(const LaneRange& range, const std::uint64_t* addresses,
                                                       const char* from) {
    #pragma GCC unroll 32
    for (unsigned l = 0; l < 32; ++l) {
        const auto at = (addresses[l] & range.cut) + range.to;
        kernel_memory::store_one<std::uint32_t>(reinterpret_cast<std::uint8_t*>(at),
                                                reinterpret_cast<const std::uint32_t*>(from) + l);
    }
}

WARPWRIGHT_AVX512 bool move_avx512(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask,
                                   unsigned bytes, unsigned count, void* data, bool store) {
    __m512i places[kEight];
    if (!all_inside(range, addresses, mask, bytes * count, places)) return false;
    auto* at = static_cast<char*>(data);
    if (bytes == 4 && count == 1 && !store) return gather_words(places, mask, at), true;
    if (bytes == 4 && count == 1 && mask == 0xffffffffu) return store_words(range, addresses, at), true;
    for (unsigned e = 0; e < count; ++e) {
        const auto further = _mm512_set1_epi64(static_cast<long long>(e) * bytes);
        __m512i element[kEight];
        for (unsigned k = 0; k < kEight; ++k) element[k] = _mm512_add_epi64(places[k], further);
        if (bytes == 4 && !store) {
            gather_words(element, mask, at + std::size_t{e} * 128);
            continue;
        }
        for (unsigned k = 0; k < kEight; ++k, at += 8 * bytes) {
            const auto lanes = static_cast<__mmask8>(mask >> 8 * k);
            if (!lanes) continue;
            if (bytes == 4)
                _mm512_mask_i64scatter_epi32(nullptr, lanes, element[k],
                                             _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), 1);
            else if (store)
                _mm512_mask_i64scatter_epi64(nullptr, lanes, element[k], _mm512_loadu_si512(at), 1);
            else
                _mm512_storeu_si512(at,
                                    _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), lanes, element[k], nullptr, 1));
        }
    }
    return true;
}

WARPWRIGHT_AVX512 bool in_range_avx512(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask,
                                       unsigned total) {
    __m512i places[kEight];
    return all_inside(range, addresses, mask, total, places);
}

WARPWRIGHT_AVX512 bool places_avx512(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask,
                                     unsigned total, std::uint8_t** out) {
    __m512i places[kEight];
    if (!all_inside(range, addresses, mask, total, places)) return false;
    for (unsigned k = 0; k < kEight; ++k) _mm512_storeu_si512(out + 8 * k, places[k]);
    return true;
}

/// Eight lanes' elements of less than 4 bytes, as words.
WARPWRIGHT_AVX512 __m256i small(const char* at, unsigned bytes) {
    return bytes == 1 ? _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at)))
                      : _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

WARPWRIGHT_AVX512 bool local_avx512(std::uint8_t* words, const LaneRange& range, const std::uint64_t* addresses,
                                    std::uint32_t mask, unsigned bytes, unsigned count, void* data, bool store) {
    __m512i places[kEight];
    if (!all_inside(range, addresses, mask, bytes * count, places)) return false;
    const auto eight = _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28), three = _mm512_set1_epi64(3);
    const auto low = _mm256_set1_epi32(bytes == 1 ? 0xff : 0xffff);
    auto* at = static_cast<char*>(data);
    for (unsigned e = 0; e < count; ++e)
        for (unsigned k = 0; k < kEight; ++k, at += 8 * bytes) {
            const auto lanes = static_cast<__mmask8>(mask >> 8 * k);
            if (!lanes) continue;
            const auto a = _mm512_add_epi64(places[k], _mm512_set1_epi64(static_cast<long long>(e) * bytes));
            const auto row = _mm512_slli_epi64(_mm512_andnot_si512(three, a), 5);
            const auto word = _mm512_add_epi64(_mm512_add_epi64(row, eight), _mm512_set1_epi64(32 * k));
            if (bytes == 8) {
                const auto next = _mm512_add_epi64(word, _mm512_set1_epi64(128));
                if (store) {
                    const auto x = _mm512_loadu_si512(at);
                    _mm512_mask_i64scatter_epi32(words, lanes, word, _mm512_cvtepi64_epi32(x), 1);
                    _mm512_mask_i64scatter_epi32(words, lanes, next, _mm512_cvtepi64_epi32(_mm512_srli_epi64(x, 32)),
                                                 1);
                } else {
                    const auto first = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), lanes, word, words, 1);
                    const auto second = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), lanes, next, words, 1);
                    _mm512_mask_storeu_epi64(at, lanes,
                                             _mm512_or_si512(_mm512_cvtepu32_epi64(first),
                                                             _mm512_slli_epi64(_mm512_cvtepu32_epi64(second), 32)));
                }
                continue;
            }
            if (bytes == 4 && store) {
                _mm512_mask_i64scatter_epi32(words, lanes, word,
                                             _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), 1);
                continue;
            }
            const auto there = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), lanes, word, words, 1);
            if (bytes == 4) {
                _mm256_mask_storeu_epi32(at, lanes, there);
                continue;
            }
            const auto shift = _mm256_slli_epi32(_mm512_cvtepi64_epi32(_mm512_and_si512(a, three)), 3);
            if (store) {
                const auto kept = _mm256_andnot_si256(_mm256_sllv_epi32(low, shift), there);
                _mm512_mask_i64scatter_epi32(words, lanes, word,
                                             _mm256_or_si256(kept, _mm256_sllv_epi32(small(at, bytes), shift)), 1);
            } else if (bytes == 1) {
                _mm256_mask_cvtepi32_storeu_epi8(at, lanes, _mm256_srlv_epi32(there, shift));
            } else {
                _mm256_mask_cvtepi32_storeu_epi16(at, lanes, _mm256_srlv_epi32(there, shift));
            }
        }
    return true;
}

}  // namespace
#endif

bool all_in_range(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask, unsigned total) {
    if (range.bytes < total) return false;
#if defined(__x86_64__)
    if (kHasAvx512) return in_range_avx512(range, addresses, mask, total);
#endif
    std::uint64_t wrong = 0;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto a = addresses[__builtin_ctz(rest)] & range.cut;
        wrong |= (a & (total - 1)) | static_cast<std::uint64_t>(a - range.first > range.bytes - total);
    }
    return wrong == 0;
}

bool places_in_range(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask, unsigned total,
                     std::uint8_t** out) {
    if (range.bytes < total) return false;
#if defined(__x86_64__)
    if (kHasAvx512) return places_avx512(range, addresses, mask, total, out);
#endif
    if (!all_in_range(range, addresses, mask, total)) return false;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctz(rest));
        out[l] = reinterpret_cast<std::uint8_t*>((addresses[l] & range.cut) + range.to);
    }
    return true;
}

bool move_in_local([[maybe_unused]] std::uint8_t* words, [[maybe_unused]] std::uint64_t base, std::uint64_t size,
                   [[maybe_unused]] const std::uint64_t* addresses, [[maybe_unused]] std::uint32_t mask, unsigned bytes,
                   unsigned count, [[maybe_unused]] void* data, [[maybe_unused]] bool store) {
    if (size < std::uint64_t{bytes} * count) return false;
#if defined(__x86_64__)
    if (kHasAvx512) return local_avx512(words, {base, size, 0 - base}, addresses, mask, bytes, count, data, store);
#endif
    return false;
}

bool move_in_range([[maybe_unused]] const LaneRange& range, [[maybe_unused]] const std::uint64_t* addresses,
                   [[maybe_unused]] std::uint32_t mask, unsigned bytes, unsigned count, [[maybe_unused]] void* data,
                   [[maybe_unused]] bool store) {
    if (bytes < 4 || range.bytes < std::uint64_t{bytes} * count) return false;
#if defined(__x86_64__)
    if (kHasAvx512) return move_avx512(range, addresses, mask, bytes, count, data, store);
#endif
    return false;
}

}  // namespace warpwright::engine

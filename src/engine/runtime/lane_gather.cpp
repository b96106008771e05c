// No gather instruction is used: on the CPUs measured a load of its own for each lane takes less (docs/perf/engine.md),
// for few active lanes by far. The functions are compiled for AVX-512 whatever the rest is compiled for, and the CPU is
// asked when the program starts. Without AVX-512 those of lane_gather_avx2.cpp are taken, or the caller moves lane by
// lane.
#include "engine/runtime/lane_gather.hpp"

#include "engine/runtime/kernel_memory.hpp"
#include "engine/runtime/lane_words.hpp"

namespace warpwright::engine {

#if defined(__x86_64__)
namespace {

const bool kHasAvx512 = lane_vectors() == LaneVectors::avx512;
const bool kHasAvx2 = lane_vectors() == LaneVectors::avx2;

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

/// Whether the lanes' places follow each other, `bytes` apart, from that of the first of the eight on: what no compiler
/// could see, the addresses often show.
WARPWRIGHT_AVX512_INLINE bool follow(__m512i places, __mmask8 lanes, long long bytes) {
    const auto steps = _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(bytes));
    const auto first = _mm512_broadcastq_epi64(_mm512_castsi512_si128(places));
    return _mm512_mask_cmpneq_epi64_mask(lanes, places, _mm512_add_epi64(first, steps)) == 0;
}

WARPWRIGHT_AVX512_INLINE char* first_of(__m512i places) {
    return reinterpret_cast<char*>(_mm_cvtsi128_si64(_mm512_castsi512_si128(places)));
}

/// The lanes' places, one by one: `to` further on than the addresses, whose low halves alone count where they are
/// narrow.
template <bool kNarrow>
struct Places {
    const std::uint64_t* addresses;
    std::uint64_t to;
    std::uint8_t* operator[](unsigned lane) const {
        const auto a = addresses[lane];
        return reinterpret_cast<std::uint8_t*>((kNarrow ? static_cast<std::uint32_t>(a) : a) + to);
    }
    Places from(unsigned lane) const { return {addresses + lane, to}; }
};

/// The active lanes, each by a load of its own. All of a warp's in one loop: where it ends no CPU foresees.
template <class T, class Places>
WARPWRIGHT_AVX512_INLINE void load_each(Places places, std::uint32_t lanes, char* to) {
    for (; lanes; lanes &= lanes - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctz(lanes));
        kernel_memory::load_one<T>(to + l * sizeof(T), places[l]);
    }
}

/// In the order of the lanes: where some store to one place, the highest one's value stays.
template <class T, class Places>
WARPWRIGHT_AVX512_INLINE void store_each(Places places, __mmask8 lanes, const T* from) {
    if (lanes == 0xff) {
    #pragma GCC unroll 8
        for (unsigned l = 0; l < 8; ++l) kernel_memory::store_one<T>(places[l], from + l);
        return;
    }
    for (unsigned rest = lanes; rest; rest &= rest - 1)
        kernel_memory::store_one<T>(places[static_cast<unsigned>(__builtin_ctz(rest))], from + __builtin_ctz(rest));
}

/// Words of eight lanes, all active.
template <class Places>
WARPWRIGHT_AVX512_INLINE __m256i load_words(__m512i vector, Places places) {
    if (follow(vector, 0xff, 4)) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first_of(vector)));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(four_words(places)), four_words(places.from(4)), 1);
}

template <class Places>
WARPWRIGHT_AVX512_INLINE __m512i load_pairs(__m512i vector, Places places) {
    if (follow(vector, 0xff, 8)) return _mm512_loadu_si512(first_of(vector));
    return eight_pairs(places);
}

template <class Places>
WARPWRIGHT_AVX512_INLINE void store_words(__m512i vector, Places places, __mmask8 lanes, const char* from) {
    if (follow(vector, lanes, 4))
        _mm256_mask_storeu_epi32(first_of(vector), lanes, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    else
        store_each(places, lanes, reinterpret_cast<const std::uint32_t*>(from));
}

template <class Places>
WARPWRIGHT_AVX512_INLINE void store_pairs(__m512i vector, Places places, __mmask8 lanes, __m512i values) {
    if (follow(vector, lanes, 8)) return _mm512_mask_storeu_epi64(first_of(vector), lanes, values);
    alignas(64) std::uint64_t from[8];
    _mm512_store_si512(from, values);
    store_each(places, lanes, from);
}

/// Whether the active lanes of each eight, of which others are not active, follow each other.
WARPWRIGHT_AVX512_INLINE bool parts_follow(const __m512i* vectors, std::uint32_t mask) {
    bool all = true;
    #pragma GCC unroll 4
    for (unsigned k = 0; k < kEight; ++k) all = all && follow(vectors[k], static_cast<__mmask8>(mask >> 8 * k), 4);
    return all;
}

/// One word of each lane. What all lanes load is written sixteen lanes at a time: it will be read in such pieces, and
/// the CPU passes a store on to a load only if the load lies in it.
template <class Places>
WARPWRIGHT_AVX512 void move_words(const __m512i* vectors, Places places, std::uint32_t mask, char* data, bool store) {
    if (!store && mask != 0xffffffffu && !parts_follow(vectors, mask))
        return load_each<std::uint32_t>(places, mask, data);
    #pragma GCC unroll 2
    for (unsigned k = 0; k < kEight; k += 2) {
        const auto low = static_cast<__mmask8>(mask >> 8 * k), high = static_cast<__mmask8>(mask >> (8 * k + 8));
        const auto own = places.from(8 * k);
        char* at = data + 32 * k;
        if (store) {
            store_words(vectors[k], own, low, at);
            store_words(vectors[k + 1], own.from(8), high, at + 32);
        } else if ((low & high) == 0xff) {
            _mm512_storeu_si512(at, _mm512_inserti64x4(_mm512_castsi256_si512(load_words(vectors[k], own)),
                                                       load_words(vectors[k + 1], own.from(8)), 1));
        } else {
            _mm512_storeu_si512(
                at, _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_maskz_loadu_epi32(low, first_of(vectors[k]))),
                                       _mm256_maskz_loadu_epi32(high, first_of(vectors[k + 1])), 1));
        }
    }
}

/// Two words of each lane that follow each other: `data` has the first ones, 128 bytes on the second ones.
template <class Places>
WARPWRIGHT_AVX512 void move_two_words(const __m512i* vectors, Places places, std::uint32_t mask, char* data,
                                      bool store) {
    for (unsigned k = 0; k < kEight; k += 2) {
        char *first = data + 32 * k, *second = first + 128;
        const auto low = static_cast<__mmask8>(mask >> 8 * k), high = static_cast<__mmask8>(mask >> (8 * k + 8));
        const auto own = places.from(8 * k);
        if (store) {
            const auto both = [&](unsigned further) WARPWRIGHT_AVX512 {
                return _mm512_or_si512(
                    _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(first + further))),
                    _mm512_slli_epi64(
                        _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(second + further))),
                        32));
            };
            store_pairs(vectors[k], own, low, both(0));
            store_pairs(vectors[k + 1], own.from(8), high, both(32));
        } else if ((low & high) == 0xff) {
            const auto a = load_pairs(vectors[k], own), b = load_pairs(vectors[k + 1], own.from(8));
            const auto even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            _mm512_storeu_si512(first, _mm512_permutex2var_epi32(a, even, b));
            _mm512_storeu_si512(second, _mm512_permutex2var_epi32(a, _mm512_add_epi32(even, _mm512_set1_epi32(1)), b));
        } else {
            for (auto rest = mask >> 8 * k & 0xffff; rest; rest &= rest - 1) {
                const auto l = static_cast<unsigned>(__builtin_ctz(rest));
                std::uint32_t pair[2];
                kernel_memory::load_one<std::uint64_t>(pair, own[l]);
                __builtin_memcpy(first + 4 * l, pair, 4);
                __builtin_memcpy(second + 4 * l, pair + 1, 4);
            }
        }
    }
}

template <class Places>
WARPWRIGHT_AVX512 void move_pairs(const __m512i* vectors, Places places, std::uint32_t mask, char* data, bool store) {
    for (unsigned k = 0; k < kEight; ++k) {
        const auto lanes = static_cast<__mmask8>(mask >> 8 * k);
        const auto own = places.from(8 * k);
        char* at = data + 64 * k;
        if (store)
            store_pairs(vectors[k], own, lanes, _mm512_loadu_si512(at));
        else if (lanes == 0xff)
            _mm512_storeu_si512(at, load_pairs(vectors[k], own));
        else
            load_each<std::uint64_t>(own, lanes, at);
    }
}

template <class Places>
WARPWRIGHT_AVX512_INLINE void move_all(__m512i* vectors, Places places, std::uint32_t mask, unsigned bytes,
                                       unsigned count, char* at, bool store) {
    if (bytes == 4 && count == 1)
        return store ? move_words(vectors, places, mask, at, true) : move_words(vectors, places, mask, at, false);
    for (unsigned e = 0; e < count * bytes / 8; ++e, at += 256) {
        if (bytes == 4)
            move_two_words(vectors, places, mask, at, store);
        else
            move_pairs(vectors, places, mask, at, store);
        for (unsigned k = 0; k < kEight; ++k) vectors[k] = _mm512_add_epi64(vectors[k], _mm512_set1_epi64(8));
        places.to += 8;
    }
}

WARPWRIGHT_AVX512 bool move_avx512(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask,
                                   unsigned bytes, unsigned count, void* data, bool store) {
    __m512i vectors[kEight];
    if (!all_inside(range, addresses, mask, bytes * count, vectors)) return false;
    auto* at = static_cast<char*>(data);
    if (range.narrow())
        move_all(vectors, Places<true>{addresses, range.to}, mask, bytes, count, at, store);
    else
        move_all(vectors, Places<false>{addresses, range.to}, mask, bytes, count, at, store);
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

LaneVectors lane_vectors() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw"))
        return LaneVectors::avx512;
    if (__builtin_cpu_supports("avx2")) return LaneVectors::avx2;
#endif
    return LaneVectors::none;
}

bool all_in_range(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask, unsigned total) {
    if (range.bytes < total) return false;
#if defined(__x86_64__)
    if (kHasAvx512) return in_range_avx512(range, addresses, mask, total);
    if (kHasAvx2 && mask) return avx2::all_in_range(range, addresses, mask, total);
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
    if (kHasAvx2 && mask) return avx2::places_in_range(range, addresses, mask, total, out);
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
    if (kHasAvx2 && mask) return avx2::move_in_range(range, addresses, mask, bytes, count, data, store);
#endif
    return false;
}

}  // namespace warpwright::engine

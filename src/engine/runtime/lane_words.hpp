// Elements of several lanes, each loaded from its own place, in one register. Included by files of this folder that use
// AVX2 or AVX-512; on other processors there is nothing here.
#pragma once

#if defined(__x86_64__)
    #include <immintrin.h>

    #include <cstdint>

    #include "engine/runtime/kernel_memory.hpp"
    #include "support/thread_sanitizer.hpp"

    #define WARPWRIGHT_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw")))
    #define WARPWRIGHT_AVX512_INLINE WARPWRIGHT_AVX512 inline __attribute__((always_inline))
    #define WARPWRIGHT_AVX2 __attribute__((target("avx2")))
    #define WARPWRIGHT_AVX2_INLINE WARPWRIGHT_AVX2 inline __attribute__((always_inline))

namespace warpwright::engine {

/// A word in the lowest element. Other threads of the kernel may change it meanwhile, which is none of ours.
WARPWRIGHT_AVX2_INLINE __m128i word_at(const std::uint8_t* place) {
    #ifdef WARPWRIGHT_THREAD_SANITIZER
    int x;
    kernel_memory::load_one<std::uint32_t>(&x, place);
    return _mm_cvtsi32_si128(x);
    #else
    return _mm_loadu_si32(place);
    #endif
}

WARPWRIGHT_AVX2_INLINE __m128i pair_at(const std::uint8_t* place) {
    #ifdef WARPWRIGHT_THREAD_SANITIZER
    long long x;
    kernel_memory::load_one<std::uint64_t>(&x, place);
    return _mm_cvtsi64_si128(x);
    #else
    return _mm_loadu_si64(place);
    #endif
}

/// `places[k]` is the host's address of the k-th lane's element.
template <class Places>
WARPWRIGHT_AVX2_INLINE __m128i four_words(const Places& places) {
    return _mm_unpacklo_epi64(_mm_unpacklo_epi32(word_at(places[0]), word_at(places[1])),
                              _mm_unpacklo_epi32(word_at(places[2]), word_at(places[3])));
}

template <class Places>
WARPWRIGHT_AVX512_INLINE __m512i eight_pairs(const Places& places) {
    const auto two = [&](unsigned k)
                         WARPWRIGHT_AVX512 { return _mm_unpacklo_epi64(pair_at(places[k]), pair_at(places[k + 1])); };
    const auto first = _mm512_inserti64x2(_mm512_castsi128_si512(two(0)), two(2), 1);
    return _mm512_inserti64x2(_mm512_inserti64x2(first, two(4), 2), two(6), 3);
}

}  // namespace warpwright::engine
#endif

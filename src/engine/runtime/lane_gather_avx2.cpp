// What lane_gather.cpp does in the registers of AVX-512, in those of AVX2: bounds of four lanes at a time, a load of
// its own for each lane, joined in registers, so that what is read as a vector next was stored as one.
#include "engine/runtime/lane_gather.hpp"
#include "engine/runtime/lane_words.hpp"

#if defined(__x86_64__)

namespace warpwright::engine::avx2 {

namespace {

/// Four lanes at a time.
constexpr unsigned kFours = 8;

WARPWRIGHT_AVX2_INLINE __m256i all(std::uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }

/// All ones for the lanes in the low four bits.
WARPWRIGHT_AVX2_INLINE __m256i four_of(std::uint32_t lanes) {
    const auto bits = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(lanes), bits), bits);
}

/// Also the host's addresses; where not all lanes are active, the others have that of the first active one.
template <bool kAll>
WARPWRIGHT_AVX2_INLINE bool all_inside(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask,
                                       unsigned total, std::uint64_t* places) {
    const auto cut = all(range.cut), first = all(range.first), last = all(range.bytes - total), to = all(range.to);
    const auto other = all(addresses[__builtin_ctz(mask)]);
    auto beyond = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
    #pragma GCC unroll 8
    for (unsigned k = 0; k < kFours; ++k) {
        auto a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(addresses + 4 * k));
        if constexpr (!kAll) a = _mm256_blendv_epi8(other, a, four_of(mask >> 4 * k));
        a = _mm256_and_si256(a, cut);
        // No memory is as large as half of all addresses: what lies outside is below zero here or there.
        const auto in = _mm256_sub_epi64(a, first);
        beyond = _mm256_or_si256(beyond, _mm256_or_si256(in, _mm256_sub_epi64(last, in)));
        odd = _mm256_or_si256(odd, a);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(places + 4 * k), _mm256_add_epi64(a, to));
    }
    return _mm256_testz_si256(beyond, all(std::uint64_t{1} << 63)) && _mm256_testz_si256(odd, all(total - 1));
}

WARPWRIGHT_AVX2_INLINE bool all_inside(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask,
                                       unsigned total, std::uint64_t* places) {
    return mask == 0xffffffffu ? all_inside<true>(range, addresses, mask, total, places)
                               : all_inside<false>(range, addresses, mask, total, places);
}

/// Lanes' places, `further` behind those of the list.
struct Places {
    const std::uint64_t* list;
    std::uint64_t further;
    std::uint8_t* operator[](unsigned lane) const { return reinterpret_cast<std::uint8_t*>(list[lane] + further); }
    Places from(unsigned lane) const { return {list + lane, further}; }
};

/// Whether so many lanes' places follow the first one's, `bytes` apart.
WARPWRIGHT_AVX2_INLINE bool follow(Places places, long long bytes, unsigned lanes) {
    const auto steps = _mm256_setr_epi64x(0, bytes, 2 * bytes, 3 * bytes);
    const auto first = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(places.list[0])), steps);
    auto differ = _mm256_setzero_si256();
    for (unsigned k = 0; k < lanes; k += 4) {
        const auto there = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(places.list + k));
        const auto here = _mm256_add_epi64(first, _mm256_set1_epi64x(bytes * k));
        differ = _mm256_or_si256(differ, _mm256_xor_si256(there, here));
    }
    return _mm256_testz_si256(differ, differ);
}

WARPWRIGHT_AVX2_INLINE void put(char* to, __m128i low, __m128i high) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1));
}

template <class T>
WARPWRIGHT_AVX2_INLINE void load_each(Places places, std::uint32_t lanes, char* to) {
    for (; lanes; lanes &= lanes - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctz(lanes));
        kernel_memory::load_one<T>(to + l * sizeof(T), places[l]);
    }
}

/// In the order of the lanes: where some store to one place, the highest one's value stays.
template <class T>
WARPWRIGHT_AVX2_INLINE void store_each(Places places, std::uint32_t lanes, const char* from) {
    if (lanes == 0xff) {
    #pragma GCC unroll 8
        for (unsigned l = 0; l < 8; ++l) kernel_memory::store_one<T>(places[l], from + l * sizeof(T));
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctz(lanes));
        kernel_memory::store_one<T>(places[l], from + l * sizeof(T));
    }
}

/// Few lanes of eight are loaded one by one, without the others.
WARPWRIGHT_AVX2_INLINE bool are_few(std::uint32_t lanes) {
    lanes &= lanes - 1, lanes &= lanes - 1, lanes &= lanes - 1;
    return lanes == 0;
}

/// One word of each lane.
WARPWRIGHT_AVX2 void move_words(Places places, std::uint32_t mask, char* data, bool store) {
    for (unsigned k = 0; k < 32; k += 8, data += 32) {
        const auto own = places.from(k);
        const auto lanes = mask >> k & 0xff;
        const bool run = lanes == 0xff && follow(own, 4, 8);
        if (run && store)
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(own[0]),
                                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data)));
        else if (run)
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(data),
                                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(own[0])));
        else if (store)
            store_each<std::uint32_t>(own, lanes, data);
        else if (are_few(lanes))
            load_each<std::uint32_t>(own, lanes, data);
        else
            put(data, four_words(own), four_words(own.from(4)));
    }
}

/// Two words of each lane that follow each other: `data` has the first ones, 128 bytes on the second ones.
WARPWRIGHT_AVX2 void move_two_words(Places places, std::uint32_t mask, char* data, bool store) {
    for (unsigned k = 0; k < 32; k += 8, data += 32) {
        const auto own = places.from(k);
        auto lanes = mask >> k & 0xff;
        char* second = data + 128;
        if (store || are_few(lanes)) {
            for (; lanes; lanes &= lanes - 1) {
                const auto l = static_cast<unsigned>(__builtin_ctz(lanes));
                std::uint32_t pair[2];
                if (store) {
                    __builtin_memcpy(pair, data + 4 * l, 4);
                    __builtin_memcpy(pair + 1, second + 4 * l, 4);
                    kernel_memory::store_one<std::uint64_t>(own[l], pair);
                } else {
                    kernel_memory::load_one<std::uint64_t>(pair, own[l]);
                    __builtin_memcpy(data + 4 * l, pair, 4);
                    __builtin_memcpy(second + 4 * l, pair + 1, 4);
                }
            }
            continue;
        }
        __m128 firsts[2], seconds[2];
        for (unsigned h = 0; h < 2; ++h) {
            const auto two = [&](unsigned l) WARPWRIGHT_AVX2 {
                return _mm_castsi128_ps(_mm_unpacklo_epi64(pair_at(own[4 * h + l]), pair_at(own[4 * h + l + 1])));
            };
            const auto a = two(0), b = two(2);
            firsts[h] = _mm_shuffle_ps(a, b, 0x88);
            seconds[h] = _mm_shuffle_ps(a, b, 0xdd);
        }
        put(data, _mm_castps_si128(firsts[0]), _mm_castps_si128(firsts[1]));
        put(second, _mm_castps_si128(seconds[0]), _mm_castps_si128(seconds[1]));
    }
}

WARPWRIGHT_AVX2 void move_pairs(Places places, std::uint32_t mask, char* data, bool store) {
    for (unsigned k = 0; k < 32; k += 8, data += 64) {
        const auto own = places.from(k);
        const auto lanes = mask >> k & 0xff;
        if (store) {
            store_each<std::uint64_t>(own, lanes, data);
        } else if (are_few(lanes)) {
            load_each<std::uint64_t>(own, lanes, data);
        } else {
            const auto two = [&](unsigned l)
                                 WARPWRIGHT_AVX2 { return _mm_unpacklo_epi64(pair_at(own[l]), pair_at(own[l + 1])); };
            put(data, two(0), two(2));
            put(data + 32, two(4), two(6));
        }
    }
}

}  // namespace

WARPWRIGHT_AVX2 bool move_in_range(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask,
                                   unsigned bytes, unsigned count, void* data, bool store) {
    alignas(32) std::uint64_t list[32];
    if (!all_inside(range, addresses, mask, bytes * count, list)) return false;
    auto* at = static_cast<char*>(data);
    Places places{list, 0};
    if (bytes == 4 && count == 1) {
        move_words(places, mask, at, store);
        return true;
    }
    for (unsigned e = 0; e < count * bytes / 8; ++e, at += 256, places.further += 8)
        (bytes == 4 ? move_two_words : move_pairs)(places, mask, at, store);
    return true;
}

WARPWRIGHT_AVX2 bool all_in_range(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask,
                                  unsigned total) {
    alignas(32) std::uint64_t list[32];
    return all_inside(range, addresses, mask, total, list);
}

WARPWRIGHT_AVX2 bool places_in_range(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask,
                                     unsigned total, std::uint8_t** out) {
    return all_inside(range, addresses, mask, total, reinterpret_cast<std::uint64_t*>(out));
}

}  // namespace warpwright::engine::avx2
#endif

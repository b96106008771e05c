// Pieces in the registers of AVX2: eight words, or four pairs of words, from two vectors of 32 bytes. Of these a
// permutation takes words alone, so that a pair has the numbers of its two. Stores that do not fill a vector are made
// lane by lane: not every CPU has a quick masked one.
#include <bit>
#include <cstring>

#include "engine/runtime/lane_pattern.hpp"
#include "engine/runtime/lane_words.hpp"

#if defined(__x86_64__)

namespace warpwright::engine {

namespace {

// What a piece's 64 bytes of numbers are here: two vectors each.
constexpr unsigned kOrder = 0, kFromSecond = 32;  // of_lane: the word of each; the sign where it is the second vector's
constexpr unsigned kWords = 0, kWordsOfSecond = 32;  // of_place[0]: words that lanes access, all ones
constexpr unsigned kLaneWord = 0;                    // of_place[1]: by place, the word of the lanes

WARPWRIGHT_AVX2_INLINE __m256i at(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

struct Apart {
    const std::uint64_t* distances;
    const char* base;
    const std::uint8_t* operator[](unsigned lane) const {
        return reinterpret_cast<const std::uint8_t*>(base) + static_cast<std::int64_t>(distances[lane]);
    }
    Apart from(unsigned lane) const { return {distances + lane, base}; }
};

/// In the order of the lanes: where some store to one place, the highest one's value stays.
template <class T>
WARPWRIGHT_AVX2_INLINE void store_in_order(const Apart& places, std::uint32_t lanes, const T* from) {
    for (; lanes; lanes &= lanes - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(lanes));
        kernel_memory::store_one<T>(const_cast<std::uint8_t*>(places[l]), from + l);
    }
}

/// The words of a piece whose lanes are near.
WARPWRIGHT_AVX2_INLINE __m256i ordered(const PatternPiece& p, const char* base) {
    const auto* from = reinterpret_cast<const int*>(base + p.low);
    const auto order = at(p.of_lane + kOrder);
    const auto first = _mm256_permutevar8x32_epi32(_mm256_maskload_epi32(from, at(p.of_place[0] + kWords)), order);
    if (!p.read[1]) return first;
    const auto second =
        _mm256_permutevar8x32_epi32(_mm256_maskload_epi32(from + 8, at(p.of_place[0] + kWordsOfSecond)), order);
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(first), _mm256_castsi256_ps(second),
                                                _mm256_castsi256_ps(at(p.of_lane + kFromSecond))));
}

WARPWRIGHT_AVX2_INLINE __m256i joined(__m128i low, __m128i high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/// Eight words, of lanes that are all active; else those of the active ones.
WARPWRIGHT_AVX2_INLINE void load_words(const PatternPiece& p, const Apart& places, std::uint32_t lanes, char* to) {
    if (p.near || lanes == 0xff) {
        const auto words = p.near ? ordered(p, places.base) : joined(four_words(places), four_words(places.from(4)));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), words);
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(lanes));
        kernel_memory::load_one<std::uint32_t>(to + 4 * l, places[l]);
    }
}

/// Four pairs of words.
WARPWRIGHT_AVX2_INLINE __m256i load_pairs(const PatternPiece& p, const Apart& places, std::uint32_t lanes) {
    if (p.near) return ordered(p, places.base);
    if (lanes == 0xf)
        return joined(_mm_unpacklo_epi64(pair_at(places[0]), pair_at(places[1])),
                      _mm_unpacklo_epi64(pair_at(places[2]), pair_at(places[3])));
    alignas(32) std::uint64_t each[4] = {};
    for (; lanes; lanes &= lanes - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(lanes));
        kernel_memory::load_one<std::uint64_t>(each + l, places[l]);
    }
    return at(each);
}

/// A vector that the lanes fill alone.
bool fills(const PatternPiece& p) { return p.near && p.whole && !p.read[1]; }

WARPWRIGHT_AVX2_INLINE void store_ordered(const PatternPiece& p, char* base, __m256i values) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(base + p.low),
                        _mm256_permutevar8x32_epi32(values, at(p.of_place[1] + kLaneWord)));
}

WARPWRIGHT_AVX2_INLINE void store_pairs(const PatternPiece& p, const Apart& places, std::uint32_t lanes,
                                        __m256i values) {
    if (fills(p)) return store_ordered(p, const_cast<char*>(places.base), values);
    alignas(32) std::uint64_t from[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(from), values);
    store_in_order(places, lanes, from);
}

WARPWRIGHT_AVX2 void move_words(const PatternPiece* pieces, const Apart& places, std::uint32_t mask, char* data,
                                bool store) {
    #pragma GCC unroll 4
    for (unsigned k = 0; k < 4; ++k, data += 32) {
        const auto lanes = mask >> 8 * k & 0xff;
        const auto own = places.from(8 * k);
        if (!store)
            load_words(pieces[k], own, lanes, data);
        else if (fills(pieces[k]))
            store_ordered(pieces[k], const_cast<char*>(own.base), at(data));
        else
            store_in_order(own, lanes, reinterpret_cast<const std::uint32_t*>(data));
    }
}

/// Two words of each lane that follow each other: `data` has the first ones, 128 bytes on the second ones.
WARPWRIGHT_AVX2 void move_two_words(const PatternPiece* pieces, const Apart& places, std::uint32_t mask, char* data,
                                    bool store) {
    for (unsigned k = 0; k < 8; k += 2, data += 32) {
        const auto low = mask >> 4 * k & 0xf, high = mask >> (4 * k + 4) & 0xf;
        const auto own = places.from(4 * k);
        if (store) {
            const auto first = at(data), second = at(data + 128);
            const auto even = _mm256_unpacklo_epi32(first, second), odd = _mm256_unpackhi_epi32(first, second);
            store_pairs(pieces[k], own, low, _mm256_permute2x128_si256(even, odd, 0x20));
            store_pairs(pieces[k + 1], own.from(4), high, _mm256_permute2x128_si256(even, odd, 0x31));
            continue;
        }
        const auto a = _mm256_castsi256_ps(load_pairs(pieces[k], own, low)),
                   b = _mm256_castsi256_ps(load_pairs(pieces[k + 1], own.from(4), high));
        const auto first = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88)),
                   second = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0xdd));
        _mm256_storeu_pd(reinterpret_cast<double*>(data), _mm256_permute4x64_pd(first, 0xd8));
        _mm256_storeu_pd(reinterpret_cast<double*>(data + 128), _mm256_permute4x64_pd(second, 0xd8));
    }
}

WARPWRIGHT_AVX2 void move_pairs(const PatternPiece* pieces, const Apart& places, std::uint32_t mask, char* data,
                                bool store) {
    for (unsigned k = 0; k < 8; ++k, data += 32) {
        const auto lanes = mask >> 4 * k & 0xf;
        const auto own = places.from(4 * k);
        if (store)
            store_pairs(pieces[k], own, lanes, at(data));
        else
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(data), load_pairs(pieces[k], own, lanes));
    }
}

/// Whether the lanes of mask lie as far behind `base` as the distances have it.
WARPWRIGHT_AVX2_INLINE bool same_distances(const std::uint64_t* addresses, std::uint64_t base, std::uint32_t mask,
                                           const std::uint64_t* distances) {
    const auto from = _mm256_set1_epi64x(static_cast<long long>(base));
    std::uint32_t same = 0;
    #pragma GCC unroll 8
    for (unsigned k = 0; k < 8; ++k) {
        const auto own = _mm256_sub_epi64(at(addresses + 4 * k), from);
        const auto equal = _mm256_castsi256_pd(_mm256_cmpeq_epi64(own, at(distances + 4 * k)));
        same |= static_cast<std::uint32_t>(_mm256_movemask_pd(equal)) << 4 * k;
    }
    return (same & mask) == mask;
}

void plan_piece(PatternPiece& p, const std::uint64_t* distances, std::uint32_t lanes, bool words) {
    constexpr std::uint64_t kSpan = 64;
    const unsigned each = words ? 1 : 2, half = 8;
    p = {};
    p.near = true;
    if (!lanes) return;
    auto low = static_cast<std::int64_t>(distances[std::countr_zero(lanes)]), high = low;
    std::uint64_t odd = 0;
    for (auto rest = lanes; rest; rest &= rest - 1) {
        const auto d = static_cast<std::int64_t>(distances[std::countr_zero(rest)]);
        low = d < low ? d : low, high = d > high ? d : high;
        odd |= distances[std::countr_zero(rest)];
    }
    p.low = low;
    // Without a sign: lanes of shared memory may lie further apart than the largest number with one.
    p.near = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) < kSpan && odd % (4 * each) == 0;
    if (!p.near) return;
    std::uint32_t order[8] = {}, from_second[8] = {}, accessed[16] = {}, lane_word[8] = {};
    for (auto rest = lanes; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        for (unsigned w = 0; w < each; ++w) {
            const auto word = static_cast<unsigned>(distances[l] - static_cast<std::uint64_t>(low)) / 4 + w;
            order[l * each + w] = word % half;
            from_second[l * each + w] = word < half ? 0 : ~0u;
            accessed[word] = ~0u;
            if (word < half) lane_word[word] = l * each + w;
            p.read[word / half] |= 1u << word % half;
        }
    }
    p.whole = p.read[0] == 0xff;
    std::memcpy(p.of_lane + kOrder, order, sizeof order);
    std::memcpy(p.of_lane + kFromSecond, from_second, sizeof from_second);
    std::memcpy(p.of_place[0] + kWords, accessed, sizeof accessed);
    std::memcpy(p.of_place[1] + kLaneWord, lane_word, sizeof lane_word);
}

}  // namespace

WARPWRIGHT_AVX2 bool LanePattern::moves_again_avx2(const LaneRange& range, const std::uint64_t* addresses,
                                                   std::uint32_t mask, unsigned bytes, unsigned count, void* data,
                                                   bool store) {
    differed_ = mask_ != mask || !same_distances(addresses, base_, mask, order_.distances);
    if (differed_ || !is_planned(range, mask, bytes * count)) return false;
    Apart places{order_.distances, reinterpret_cast<char*>(base_ + range.to)};
    auto* to = static_cast<char*>(data);
    if (bytes * count == 4) {
        move_words(order_.pieces, places, mask, to, store);
        return true;
    }
    for (unsigned e = 0; e < bytes * count / 8; ++e, to += 256, places.base += 8)
        (bytes == 4 ? move_two_words : move_pairs)(order_.pieces, places, mask, to, store);
    return true;
}

WARPWRIGHT_AVX2 bool LanePattern::same_distances_avx2(const std::uint64_t* addresses, std::uint64_t base,
                                                      std::uint32_t mask) const {
    return same_distances(addresses, base, mask, order_.distances);
}

/// Also where lanes lie far apart: what a request costs need not be counted again, which takes longer than to move it.
void LanePattern::plan_avx2(std::uint32_t mask, unsigned total) {
    const unsigned per = total == 4 ? 8 : 4;
    for (unsigned k = 0; k < 32 / per; ++k)
        plan_piece(order_.pieces[k], order_.distances + k * per, mask >> k * per & ((1u << per) - 1), total == 4);
    constexpr int kFew = 4;
    near_ = std::popcount(mask) > kFew;
}

}  // namespace warpwright::engine
#endif

// A piece's lanes are loaded as two vectors from its lowest address on, of which a permutation takes each lane's
// element; stores go the other way. Only elements that lanes access are read or written, so that no neighbour of theirs
// is touched. Pieces whose lanes lie further apart are gathered, and stored lane by lane.
#include "engine/runtime/lane_pattern.hpp"

#include <algorithm>
#include <bit>

#include "engine/runtime/kernel_memory.hpp"
#include "engine/runtime/lane_words.hpp"

namespace warpwright::engine {

namespace {

constexpr unsigned kLanes = 32;

#if defined(__x86_64__)
const LaneVectors kVectors = lane_vectors();

WARPWRIGHT_AVX512_INLINE bool same_distances(const std::uint64_t* addresses, std::uint64_t base, std::uint32_t mask,
                                             const std::uint64_t* distances) {
    const auto from = _mm512_set1_epi64(static_cast<long long>(base));
    unsigned differ = 0;
    #pragma GCC unroll 4
    for (unsigned k = 0; k < 4; ++k)
        differ |= _mm512_mask_cmpneq_epi64_mask(static_cast<__mmask8>(mask >> 8 * k),
                                                _mm512_sub_epi64(_mm512_loadu_si512(addresses + 8 * k), from),
                                                _mm512_load_si512(distances + 8 * k));
    return differ == 0;
}

WARPWRIGHT_AVX512_INLINE __m512i order(const std::uint8_t (&of)[64]) { return _mm512_load_si512(of); }

/// Places of lanes by their distances.
struct Apart {
    const std::uint64_t* distances;
    const char* base;
    const std::uint8_t* operator[](unsigned lane) const {
        return reinterpret_cast<const std::uint8_t*>(base) + static_cast<std::int64_t>(distances[lane]);
    }
};

/// Sixteen words, or those of `lanes`.
WARPWRIGHT_AVX512_INLINE __m512i load_words(const PatternPiece& p, const char* base, std::uint32_t lanes,
                                            const std::uint64_t* distances) {
    if (p.near) {
        const auto* at = base + p.low;
        const auto first = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(p.read[0]), at);
        if (!p.read[1]) return _mm512_permutexvar_epi32(order(p.of_lane), first);
        const auto second = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(p.read[1]), at + 64);
        return _mm512_permutex2var_epi32(first, order(p.of_lane), second);
    }
    if (lanes == 0xffff) {
        const auto first = _mm512_inserti32x4(_mm512_castsi128_si512(four_words(Apart{distances, base})),
                                              four_words(Apart{distances + 4, base}), 1);
        return _mm512_inserti32x4(_mm512_inserti32x4(first, four_words(Apart{distances + 8, base}), 2),
                                  four_words(Apart{distances + 12, base}), 3);
    }
    const auto low = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), static_cast<__mmask8>(lanes),
                                                 _mm512_load_si512(distances), base, 1),
               high = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), static_cast<__mmask8>(lanes >> 8),
                                                  _mm512_load_si512(distances + 8), base, 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

WARPWRIGHT_AVX512_INLINE __m512i load_pairs(const PatternPiece& p, const char* base, std::uint32_t lanes,
                                            const std::uint64_t* distances) {
    if (p.near) {
        const auto* at = base + p.low;
        const auto first = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(p.read[0]), at);
        if (!p.read[1]) return _mm512_permutexvar_epi64(order(p.of_lane), first);
        const auto second = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(p.read[1]), at + 64);
        return _mm512_permutex2var_epi64(first, order(p.of_lane), second);
    }
    if (lanes == 0xff) return eight_pairs(Apart{distances, base});
    return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), static_cast<__mmask8>(lanes),
                                       _mm512_load_si512(distances), base, 1);
}

/// In the order of the lanes: where some store to one place, the highest one's value stays.
template <class T>
void store_in_order(char* base, std::uint32_t lanes, const std::uint64_t* distances, const T* from) {
    for (; lanes; lanes &= lanes - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(lanes));
        kernel_memory::store_one<T>(reinterpret_cast<std::uint8_t*>(base) + static_cast<std::int64_t>(distances[l]),
                                    from + l);
    }
}

WARPWRIGHT_AVX512_INLINE void store_words(const PatternPiece& p, char* base, std::uint32_t lanes,
                                          const std::uint64_t* distances, const char* from) {
    if (!p.near) return store_in_order(base, lanes, distances, reinterpret_cast<const std::uint32_t*>(from));
    const auto values = _mm512_loadu_si512(from);
    auto* at = base + p.low;
    _mm512_mask_storeu_epi32(at, static_cast<__mmask16>(p.read[0]),
                             _mm512_permutexvar_epi32(order(p.of_place[0]), values));
    if (p.read[1])
        _mm512_mask_storeu_epi32(at + 64, static_cast<__mmask16>(p.read[1]),
                                 _mm512_permutexvar_epi32(order(p.of_place[1]), values));
}

WARPWRIGHT_AVX512_INLINE void store_pairs(const PatternPiece& p, char* base, std::uint32_t lanes,
                                          const std::uint64_t* distances, __m512i values) {
    if (!p.near) {
        alignas(64) std::uint64_t from[8];
        _mm512_store_si512(from, values);
        return store_in_order(base, lanes, distances, from);
    }
    auto* at = base + p.low;
    _mm512_mask_storeu_epi64(at, static_cast<__mmask8>(p.read[0]),
                             _mm512_permutexvar_epi64(order(p.of_place[0]), values));
    if (p.read[1])
        _mm512_mask_storeu_epi64(at + 64, static_cast<__mmask8>(p.read[1]),
                                 _mm512_permutexvar_epi64(order(p.of_place[1]), values));
}

/// Pairs of words of eight lanes: the first words, and 128 bytes on the second ones.
WARPWRIGHT_AVX512_INLINE __m512i joined_words(const char* first) {
    const auto low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first)),
               high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first + 128));
    return _mm512_or_si512(_mm512_cvtepu32_epi64(low), _mm512_slli_epi64(_mm512_cvtepu32_epi64(high), 32));
}

WARPWRIGHT_AVX512 void move_words(const PatternPiece* pieces, char* base, std::uint32_t mask,
                                  const std::uint64_t* distances, char* data, bool store) {
    if (store) {
        store_words(pieces[0], base, mask & 0xffff, distances, data);
        store_words(pieces[1], base, mask >> 16, distances + 16, data + 64);
    } else {
        _mm512_storeu_si512(data, load_words(pieces[0], base, mask & 0xffff, distances));
        _mm512_storeu_si512(data + 64, load_words(pieces[1], base, mask >> 16, distances + 16));
    }
}

WARPWRIGHT_AVX512 void move_two_words(const PatternPiece* pieces, char* base, std::uint32_t mask,
                                      const std::uint64_t* distances, char* data, bool store) {
    const auto even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const auto odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    #pragma GCC unroll 2
    for (unsigned k = 0; k < 4; k += 2) {
        char* first = data + 32 * k;
        const auto low = mask >> 8 * k & 0xff, high = mask >> (8 * k + 8) & 0xff;
        if (store) {
            store_pairs(pieces[k], base, low, distances + 8 * k, joined_words(first));
            store_pairs(pieces[k + 1], base, high, distances + 8 * k + 8, joined_words(first + 32));
        } else {
            const auto a = load_pairs(pieces[k], base, low, distances + 8 * k),
                       b = load_pairs(pieces[k + 1], base, high, distances + 8 * k + 8);
            _mm512_storeu_si512(first, _mm512_permutex2var_epi32(a, even, b));
            _mm512_storeu_si512(first + 128, _mm512_permutex2var_epi32(a, odd, b));
        }
    }
}

WARPWRIGHT_AVX512 void move_pairs(const PatternPiece* pieces, char* base, std::uint32_t mask,
                                  const std::uint64_t* distances, char* data, bool store) {
    #pragma GCC unroll 4
    for (unsigned k = 0; k < 4; ++k) {
        const auto lanes = mask >> 8 * k & 0xff;
        if (store)
            store_pairs(pieces[k], base, lanes, distances + 8 * k, _mm512_loadu_si512(data + 64 * k));
        else
            _mm512_storeu_si512(data + 64 * k, load_pairs(pieces[k], base, lanes, distances + 8 * k));
    }
}

/// How far sixteen lanes lie above the lowest active one, and whether all active ones are below `span` there.
WARPWRIGHT_AVX512_INLINE bool above_lowest(const std::uint64_t* distances, std::uint32_t lanes, std::int64_t span,
                                           unsigned vectors, __m512i* above, std::int64_t& low) {
    low = _mm512_mask_reduce_min_epi64(static_cast<__mmask8>(lanes), _mm512_load_si512(distances));
    if (vectors > 1 && lanes >> 8) {
        const auto other =
            _mm512_mask_reduce_min_epi64(static_cast<__mmask8>(lanes >> 8), _mm512_load_si512(distances + 8));
        low = lanes & 0xff && low < other ? low : other;
    }
    unsigned beyond = 0;
    for (unsigned k = 0; k < vectors; ++k) {
        const auto active = static_cast<__mmask8>(lanes >> 8 * k);
        above[k] = _mm512_maskz_sub_epi64(active, _mm512_load_si512(distances + 8 * k), _mm512_set1_epi64(low));
        beyond |= _mm512_cmpge_epu64_mask(above[k], _mm512_set1_epi64(span));
    }
    return !beyond;
}

/// The orders of one vector of lanes, of words or pairs of words.
WARPWRIGHT_AVX512 void plan_piece(PatternPiece& p, const std::uint64_t* distances, std::uint32_t lanes, bool words) {
    p.read[0] = p.read[1] = 0;
    p.near = true;
    p.low = 0;
    if (!lanes) return;
    __m512i above[2];
    p.near = above_lowest(distances, lanes, 128, words ? 2 : 1, above, p.low);
    if (!p.near) return;
    std::uint8_t lane_of[2][16] = {};
    alignas(64) std::uint32_t element[16];
    if (words) {
        const auto number =
            _mm512_srli_epi32(_mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(above[0])),
                                                 _mm512_cvtepi64_epi32(above[1]), 1),
                              2);
        _mm512_store_si512(p.of_lane, number);
        _mm512_store_si512(element, number);
    } else {
        const auto number = _mm512_srli_epi64(above[0], 3);
        _mm512_store_si512(p.of_lane, number);
        _mm256_store_si256(reinterpret_cast<__m256i*>(element), _mm512_cvtepi64_epi32(number));
    }
    const unsigned bits = words ? 4 : 3, low = (1u << bits) - 1;
    for (auto rest = lanes; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        lane_of[element[l] >> bits][element[l] & low] = static_cast<std::uint8_t>(l);
        p.read[element[l] >> bits] |= 1u << (element[l] & low);
    }
    for (unsigned k = 0; k < 2; ++k) {
        const auto by_place = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lane_of[k]));
        _mm512_store_si512(p.of_place[k], words ? _mm512_cvtepu8_epi32(by_place) : _mm512_cvtepu8_epi64(by_place));
    }
}
#endif

}  // namespace

#if defined(__x86_64__)
WARPWRIGHT_AVX512 bool LanePattern::moves_again_avx512(const LaneRange& range, const std::uint64_t* addresses,
                                                       std::uint32_t mask, unsigned bytes, unsigned count, void* data,
                                                       bool store) {
    differed_ = mask_ != mask || !same_distances(addresses, base_, mask, order_.distances);
    if (differed_ || !is_planned(range, mask, bytes * count)) return false;
    auto* base = reinterpret_cast<char*>(base_ + range.to);
    auto* at = static_cast<char*>(data);
    if (bytes * count == 4) {
        move_words(order_.pieces, base, mask, order_.distances, at, store);
        return true;
    }
    for (unsigned e = 0; e < bytes * count / 8; ++e, at += 256, base += 8)
        (bytes == 4 ? move_two_words : move_pairs)(order_.pieces, base, mask, order_.distances, at, store);
    return true;
}

WARPWRIGHT_AVX512 bool LanePattern::same_distances_avx512(const std::uint64_t* addresses, std::uint64_t base,
                                                          std::uint32_t mask) const {
    return same_distances(addresses, base, mask, order_.distances);
}
#endif

bool LanePattern::moves_again([[maybe_unused]] const LaneRange& range, const std::uint64_t* addresses,
                              std::uint32_t mask, [[maybe_unused]] unsigned bytes, [[maybe_unused]] unsigned count,
                              [[maybe_unused]] void* data, [[maybe_unused]] bool store) {
    base_ = addresses[std::countr_zero(mask)];
#if defined(__x86_64__)
    if (kVectors == LaneVectors::avx512) return moves_again_avx512(range, addresses, mask, bytes, count, data, store);
    if (kVectors == LaneVectors::avx2) return moves_again_avx2(range, addresses, mask, bytes, count, data, store);
#endif
    differed_ = false;
    return false;
}

bool LanePattern::is_known(const std::uint64_t* addresses, std::uint32_t mask) const {
    if (!moved() || mask_ != mask) return false;
    const auto base = addresses[std::countr_zero(mask)];
    const auto highest = 31 - std::countl_zero(mask);
    if (addresses[highest] - base != order_.distances[highest]) return false;
#if defined(__x86_64__)
    return kVectors == LaneVectors::avx512 ? same_distances_avx512(addresses, base, mask)
                                           : same_distances_avx2(addresses, base, mask);
#else
    return false;
#endif
}

/// Whether all lanes lie in the range, aligned to their whole width.
bool LanePattern::within(const LaneRange& range, unsigned total) const {
    return aligned_ && (base_ & (total - 1)) == 0 && (base_ & range.cut) == base_ && span_ <= range.bytes &&
           base_ + static_cast<std::uint64_t>(lowest_) - range.first <= range.bytes - span_;
}

void LanePattern::start(const std::uint64_t* addresses, std::uint32_t mask) {
    base_ = addresses[std::countr_zero(mask)];
    differed_ = true;
}

void LanePattern::note(const std::uint64_t* addresses, std::uint32_t mask) {
    if (!differed_) return;
    for (unsigned l = 0; l < kLanes; ++l) order_.distances[l] = addresses[l] - base_;
    mask_ = mask;
    cost_known_ = false;
    repeated_ = 0;
    std::fill(std::begin(order_.sectors), std::end(order_.sectors), std::uint8_t{0});
}

void LanePattern::plan([[maybe_unused]] std::uint32_t mask, [[maybe_unused]] unsigned total) {
    std::int64_t highest = lowest_ = 0;
    std::uint64_t bits = 0;
    for (unsigned l = 0; l < kLanes; ++l) order_.low_distances[l] = static_cast<std::uint32_t>(order_.distances[l]);
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto d = static_cast<std::int64_t>(order_.distances[std::countr_zero(rest)]);
        lowest_ = d < lowest_ ? d : lowest_, highest = d > highest ? d : highest;
        bits |= static_cast<std::uint64_t>(d);
    }
    aligned_ = (bits & (total - 1)) == 0;
    span_ = static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest_) + total;
#if defined(__x86_64__)
    if (kVectors == LaneVectors::avx2) return plan_avx2(mask, total);
    const unsigned per = total == 4 ? 16 : 8;
    // Few lanes are moved one by one as fast.
    constexpr int kFew = 4;
    int near = 0;
    for (unsigned k = 0; k < kLanes / per; ++k) {
        const auto lanes = mask >> k * per & ((1u << per) - 1);
        plan_piece(order_.pieces[k], order_.distances + k * per, lanes, total == 4);
        if (order_.pieces[k].near && std::popcount(lanes) >= kFew) near += std::popcount(lanes);
    }
    near_ = 2 * near >= std::popcount(mask);
#endif
}

unsigned LanePattern::sectors(const std::uint64_t* addresses, std::uint32_t mask, unsigned total) {
    auto& known = order_.sectors[base_ / 4 % 8];
    if (!known) known = static_cast<std::uint8_t>(counters::global_sectors(addresses, mask, total, kLanes));
    return known;
}

counters::SharedCost LanePattern::shared_cost(counters::SharedOp op, const std::uint64_t* addresses, std::uint32_t mask,
                                              unsigned total) {
    if (cost_known_) return cost_;
    std::uint32_t offsets[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) offsets[l] = static_cast<std::uint32_t>(addresses[l]);
    cost_ = counters::shared_cost(op, offsets, mask, total, kLanes);
    cost_known_ = true;
    return cost_;
}

const LaneOrder* LanePattern::for_code(const LaneRange& range, unsigned total) {
#if defined(__x86_64__)
    if (kVectors != LaneVectors::avx512 || mask_ != ~0u || (total != 4 && total != 8)) return nullptr;
    if (range.bytes < span_ || (range.first & (total - 1)) != 0) return nullptr;
    for (unsigned k = 0; k < total / 2; ++k)
        if (!order_.pieces[k].near) return nullptr;
    order_.minus = range.first - static_cast<std::uint64_t>(lowest_);
    order_.limit = (range.bytes - span_) >> std::countr_zero(total);
    order_.wavefronts = cost_.wavefronts;
    order_.bank_conflicts = cost_.bank_conflicts;
    return &order_;
#else
    static_cast<void>(range), static_cast<void>(total);
    return nullptr;
#endif
}

bool LanePatterns::moves_again(const LaneRange& range, const std::uint64_t* addresses, std::uint32_t mask,
                               unsigned bytes, unsigned count, void* data, bool store) {
    if (ways_.empty()) ways_.push_back(std::make_unique<LanePattern>());
    bool moved = last().moves_again(range, addresses, mask, bytes, count, data, store);
    if (!moved && last().differed())
        for (std::size_t k = 0; k < ways_.size(); ++k) {
            if (k == now_ || !ways_[k]->is_known(addresses, mask)) continue;
            now_ = k;
            moved = last().moves_again(range, addresses, mask, bytes, count, data, store);
            break;
        }
    if (moved) in_vain_ = 0;
    return moved;
}

void LanePatterns::note(const std::uint64_t* addresses, std::uint32_t mask) {
    if (last().differed() && last().moved()) {
        // Orders are kept until as many others have been made since.
        now_ = (now_ + 1) % kMost;
        if (now_ == ways_.size()) ways_.push_back(std::make_unique<LanePattern>());
        last().start(addresses, mask);
    }
    last().note(addresses, mask);
}

}  // namespace warpwright::engine

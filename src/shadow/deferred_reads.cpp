// What the log of deferred accesses takes.
#include "shadow/deferred_reads.hpp"

#include <algorithm>
#include <bit>

#include "support/clones.hpp"

namespace warpwright::shadow {

namespace {

/// The marks of a lane's words, and 0 if all are calm.
template <unsigned kWords>
WARPWRIGHT_BY_VECTORS unsigned not_calm(const std::uint8_t* p, Marks<kWords>& marks) {
    std::memcpy(&marks, p, sizeof marks);
    return (marks & all_marks<kWords>(CalmLog::kState)) ^ all_marks<kWords>(CalmLog::kCalm);
}

/// `words` where their number is not known before.
template <unsigned kWords>
bool are_calm(const std::uint8_t* p, std::uint64_t words) {
    if constexpr (kWords == 0) {
        return all_are(p, words, CalmLog::kState, CalmLog::kCalm);
    } else {
        Marks<kWords> marks;
        return not_calm<kWords>(p, marks) == 0;
    }
}

}  // namespace

/// Marks the words that a whole warp reads, if all are calm.
template <unsigned kWords>
WARPWRIGHT_BY_VECTORS bool CalmReads::mark_all(const std::uint64_t* at) {
    const auto now = all_marks<kWords>(mark);
    unsigned wrong = 0, old = 0;
    for (unsigned l = 0; l < kLoggedLanes; ++l) {
        Marks<kWords> marks;
        wrong |= not_calm<kWords>(states + (at[l] >> 2), marks);
        old |= marks ^ now;
    }
    if (wrong) return false;
    if (old)
        for (unsigned l = 0; l < kLoggedLanes; ++l) std::memcpy(states + (at[l] >> 2), &now, sizeof now);
    return true;
}

/// Marks the words of those lanes that are calm: returns these.
template <unsigned kWords>
std::uint64_t CalmReads::mark_each(const std::uint64_t* at, std::uint64_t mask, std::uint64_t bytes) {
    std::uint64_t calm = 0;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto word = at[l] >> 2, words = kWords ? kWords : ((at[l] + bytes - 1) >> 2) - word + 1;
        if (!are_calm<kWords>(states + word, words)) continue;
        set(states + word, words, mark);
        calm |= std::uint64_t{1} << l;
    }
    return calm;
}

/// Consecutive lanes at equal distances are one entry.
void CalmReads::log_stretches(const std::uint64_t* at, std::uint64_t mask, LoggedAccess e) {
    const auto its_shape = e.shape & ~0xffffu;
    std::uint64_t end = 0;
    unsigned first = 0, n = 0;
    const auto put = [&] {
        if (n == 0) return;
        e.shape = its_shape | shape::kStrided | first | n << 8;
        log[count++] = e;
    };
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto step = static_cast<std::int64_t>(at[l] - end);
        if (n && l == first + n && (n == 1 ? step == static_cast<std::int16_t>(step) : step == e.stride)) {
            e.stride = static_cast<std::int16_t>(step), ++n;
        } else {
            put();
            e.at = static_cast<std::uint32_t>(at[l]), e.stride = 0, first = l, n = 1;
        }
        end = at[l];
    }
    put();
}

/// All lanes are one entry where they have one distance, or each its word.
WARPWRIGHT_CLONES void CalmReads::log_lanes(const std::uint64_t* at, std::uint64_t mask, std::uint64_t bytes,
                                            LoggedAccess e) {
    if (mask != kLoggedWarp || bytes < 4) return log_stretches(at, mask, e);
    LoggedWords words;
    const auto step = at[1] - at[0];
    std::uint64_t all = at[0], uneven = 0;
    words.at[0] = static_cast<std::uint16_t>(at[0] >> 2);
    for (unsigned l = 1; l < kLoggedLanes; ++l) {
        all |= at[l], uneven |= (at[l] - at[l - 1]) ^ step;
        words.at[l] = static_cast<std::uint16_t>(at[l] >> 2);
    }
    e.shape |= kLoggedLanes << 8;
    if (const auto stride = static_cast<std::int16_t>(step); !uneven && static_cast<std::uint64_t>(stride) == step) {
        e.at = static_cast<std::uint32_t>(at[0]), e.stride = stride, e.shape |= shape::kStrided;
        log[count++] = e;
        return;
    }
    if (all >> 18) return log_stretches(at, mask, e);
    e.shape |= shape::kScattered;
    log[count++] = e;
    std::memcpy(log + count, &words, sizeof words);
    count += LoggedWords::kEntries;
}

template <unsigned kWords>
std::uint64_t CalmReads::read_each(const std::uint64_t* at, std::uint64_t mask, std::uint64_t bytes,
                                   std::uint32_t its_shape, std::uint32_t site) {
    std::uint64_t calm = 0;
    if constexpr (kWords != 0) calm = mask == kLoggedWarp && mark_all<kWords>(at) ? mask : 0;
    if (!calm) calm = mark_each<kWords>(at, mask, bytes);
    if (calm) log_lanes(at, calm, bytes, {0, its_shape, site_in(site), 0, *tick});
    return calm;
}

/// The entry is the one that read_each() makes of such lanes.
template <unsigned kWords>
bool CalmReads::read_spread(std::uint64_t first, std::int64_t stride, std::uint32_t its_shape, std::uint32_t site) {
    const unsigned lanes = its_shape >> 8 & 0xff;
    auto* const p = states + (first >> 2);
    const auto step = stride / 4;
    bool calm = true;
    for (unsigned l = 0; l < lanes; ++l) calm &= are_calm<kWords>(p + step * l, kWords);
    if (!calm) return false;
    for (unsigned l = 0; l < lanes; ++l) std::memset(p + step * l, mark, kWords);
    log[count++] = {static_cast<std::uint32_t>(first), its_shape | shape::kStrided, site_in(site),
                    static_cast<std::int16_t>(lanes > 1 ? stride : 0), *tick};
    return true;
}

bool CalmReads::read_far_apart(std::uint64_t first, std::int64_t stride, std::uint64_t bytes, std::uint32_t its_shape,
                               std::uint32_t site) {
    if (stride != static_cast<std::int16_t>(stride) || stride % 4 || full()) return false;
    switch (bytes) {
        case 1:
        case 2:  // each in one word
        case 4:
            return read_spread<1>(first, stride, its_shape, site);
        case 8:
            return read_spread<2>(first, stride, its_shape, site);
        case 16:
            return read_spread<4>(first, stride, its_shape, site);
        default:
            return false;
    }
}

std::uint64_t CalmReads::read_lanes(const std::uint64_t* at, std::uint64_t mask, std::uint64_t bytes,
                                    std::uint32_t its_shape, std::uint32_t site) {
    if (full()) return 0;
    switch (bytes) {
        case 1:
        case 2:  // each in one word
        case 4:
            return read_each<1>(at, mask, bytes, its_shape, site);
        case 8:
            return read_each<2>(at, mask, bytes, its_shape, site);
        case 16:
            return read_each<4>(at, mask, bytes, its_shape, site);
        default:
            return read_each<0>(at, mask, bytes, its_shape, site);
    }
}

namespace {

/// Whether one of `n` bytes has a bit of `bits`, or is `tag` above its two lowest bits. Up to 7 bytes behind them are
/// read.
bool any_touched(const std::uint8_t* p, std::uint64_t n, std::uint64_t tag) {
    constexpr std::uint64_t kOnes = 0x0101010101010101u, kHigh = kOnes << 7;
    std::uint64_t any = 0;
    const auto look = [&](const std::uint8_t* at) {
        std::uint64_t x;
        std::memcpy(&x, at, 8);
        const auto other = (x ^ kOnes * (tag << 2)) & kOnes * 0xfc;  // 0 in a byte with the tag
        return (other - kOnes) & ~other & kHigh;
    };
    for (; n > 8; n -= 8, p += 8) any |= look(p);
    return (any | look(p) << (64 - 8 * n)) != 0;
}

}  // namespace

bool CalmReads::touched(std::uint64_t first, std::uint64_t n) const {
    return count != 0 && any_touched(states + first, n, tag_);
}

/// Whether what the log has of these bytes is all by the threads that write them now.
bool CalmReads::only_by(std::uint64_t at, std::uint64_t bytes, std::uint32_t its_shape) const {
    // A transfer takes as long as a look at so many entries.
    constexpr std::uint64_t kMostLooked = 128;
    if (count > kMostLooked) return false;
    const auto first_of = [](const LoggedAccess& e) {
        return std::int64_t{e.at} - (std::int64_t{e.shape & 0xff} << (e.shape >> shape::kBytesShift & 15));
    };
    constexpr auto kAlike = ~std::uint32_t{0} << shape::kBytesShift;  // the warp and the bytes per lane
    const LoggedAccess mine{static_cast<std::uint32_t>(at), its_shape, 0, 0, 0};
    for (std::uint64_t k = 0; k < count; ++k) {
        const auto& e = log[k];
        if (e.shape & shape::kScattered) {
            if (words_at(k).meet(at, bytes, std::uint64_t{1} << (e.shape >> shape::kBytesShift & 15))) return false;
            k += LoggedWords::kEntries;
            continue;
        }
        const auto each = std::int64_t{1} << (e.shape >> shape::kBytesShift & 15), from = std::int64_t{e.at};
        const auto last = e.shape & shape::kStrided ? std::int64_t{e.stride} * ((e.shape >> 8 & 0xff) - 1) : 0;
        const auto low = from + std::min<std::int64_t>(last, 0),
                   end = e.shape & shape::kStrided ? from + std::max<std::int64_t>(last, 0) + each
                                                   : from + static_cast<std::int64_t>(shape::bytes(e.shape));
        if (end <= static_cast<std::int64_t>(at) || low >= static_cast<std::int64_t>(at + bytes)) continue;
        if (e.shape & (shape::kSame | shape::kStrided) || (e.shape ^ its_shape) & kAlike ||
            first_of(e) != first_of(mine))
            return false;
    }
    return true;
}

bool CalmReads::write(std::uint64_t at, std::uint64_t bytes, std::uint32_t its_shape, std::uint32_t site) {
    const bool narrow = (its_shape >> shape::kBytesShift & 15) < 2;
    if (!defers_writes_ || stamped_ || count >= kMost || narrow || at & 3) return false;
    const auto first = at >> 2, n = bytes >> 2;
    auto* const p = states + first;
    if (touched(first, n) && !only_by(at, bytes, its_shape)) return false;
    // Words that have stamps of writes since the barrier, or an agent's.
    const auto now = static_cast<std::uint8_t>(tag_ << 2 | kWritten);
    bool others = false, fresh = false;
    for (std::uint64_t k = 0; k < n; ++k) {
        const bool differs = p[k] != now;
        others |= differs & ((p[k] & kWritten) != 0), fresh |= differs;
    }
    if (others) return false;
    static_assert((kWritten & kAgents) == kWritten && !(kCalm & kWritten));
    set(p, n, now);
    if (fresh) note_written(first, n);
    log[count++] = {static_cast<std::uint32_t>(at), its_shape | shape::kWrite, site_in(site), 0, *tick};
    writes_ = true;
    return true;
}

bool CalmReads::write_far_apart(std::uint64_t first, std::int64_t stride, std::uint64_t bytes, std::uint32_t its_shape,
                                std::uint32_t site) {
    const auto step = stride < 0 ? -stride : stride;
    if (!defers_writes_ || stamped_ || full() || bytes < 4 || (first | static_cast<std::uint64_t>(step)) & 3 ||
        stride != static_cast<std::int16_t>(stride) || step < static_cast<std::int64_t>(bytes))
        return false;
    const unsigned lanes = its_shape >> 8 & 0xff;
    const auto words = bytes / 4;
    // Words that are in the log, whoever has accessed them, or have stamps of writes since the barrier, or an agent's.
    auto* const p = states + (first >> 2);
    bool fresh = true;
    for (unsigned l = 0; l < lanes; ++l)
        for (std::uint64_t k = 0; k < words; ++k) {
            const auto x = p[stride / 4 * l + static_cast<std::int64_t>(k)];
            fresh &= !(x & kWritten) && !(count != 0 && x >> 2 == static_cast<int>(tag_));
        }
    if (!fresh) return false;
    for (unsigned l = 0; l < lanes; ++l) {
        auto* const its = p + stride / 4 * static_cast<std::int64_t>(l);
        set(its, words, static_cast<std::uint8_t>(tag_ << 2 | kWritten));
        note_written(static_cast<std::uint64_t>(its - states), words);
    }
    log[count++] = {static_cast<std::uint32_t>(first), its_shape | shape::kStrided | shape::kWrite, site_in(site),
                    static_cast<std::int16_t>(stride), *tick};
    writes_ = true;
    return true;
}

}  // namespace warpwright::shadow

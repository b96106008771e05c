// Deferred accesses to a block's own memory. A word is *calm* when it was written before the block's last barrier and
// not since: any thread may read it without a race. Its readers matter only if a thread writes there before the next
// barrier, which is rare. So such reads go into a log, one entry per warp's access; the log is transferred to the
// stamps when a write touches what it read, and discarded at the barrier.
//
// A write goes into the log too if nobody has touched its words since the barrier, or only the very threads that write
// now, by accesses that are in the log. Whoever reads such words before the next barrier has the log transferred first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "shadow/clock.hpp"
#include "shadow/shared_word.hpp"

namespace warpwright::shadow {

/// Whether `n` bytes, one at least, are `value` where `mask` has bits. Up to 7 bytes behind them are read. Others may
/// write there meanwhile (Shadow::quiet): each byte is then as it was or as it will be.
WARPWRIGHT_BY_VECTORS inline bool all_are(const std::uint8_t* p, std::uint64_t n, std::uint8_t mask,
                                          std::uint8_t value) {
    constexpr std::uint64_t kOnes = 0x0101010101010101u;
    const auto wrong = [&](const std::uint8_t* at) WARPWRIGHT_BY_VECTORS {
        std::uint64_t x;
        __builtin_memcpy(&x, at, 8);
        return (x & kOnes * mask) ^ kOnes * value;
    };
    for (; n > 8; n -= 8, p += 8)
        if (wrong(p)) return false;  // a branch: vectors cost more than these few words are worth
    return wrong(p) << (64 - 8 * n) == 0;
}

/// Marks of one, two or four words that lie together.
template <unsigned kWords>
using Marks =
    std::conditional_t<kWords == 1, std::uint8_t, std::conditional_t<kWords == 2, std::uint16_t, std::uint32_t>>;
/// The same mark for each of them.
template <unsigned kWords>
inline constexpr Marks<kWords> all_marks(std::uint8_t mark) {
    static_assert(sizeof(Marks<kWords>) == kWords);
    return static_cast<Marks<kWords>>(0x01010101u * mark);
}

/// A warp's access, in 32 bits: the first lane (8 bits), the number of lanes (8), 1 = all at one place, bits 20-23 the
/// bytes per lane as a power of two, 24-31 the warp. Scattered: LoggedWords are behind the entry.
namespace shape {
inline constexpr std::uint32_t kSame = 1u << 16, kStrided = 1u << 17, kWrite = 1u << 18, kScattered = 1u << 19;
inline constexpr unsigned kBytesShift = 20, kWarpShift = 24;
inline std::uint64_t bytes(std::uint32_t s) {
    return std::uint64_t{s & kSame ? 1 : s >> 8 & 0xff} << (s >> kBytesShift & 15);
}
}  // namespace shape

struct LoggedAccess {
    std::uint32_t at, shape;
    std::uint16_t site;   ///< as far as a Side can hold it
    std::int16_t stride;  ///< from lane to lane, if the shape has it
    std::uint32_t tick;
};

inline constexpr unsigned kLoggedLanes = 32;
inline constexpr std::uint64_t kLoggedWarp = 0xffffffff;

/// What lies behind an entry of all 32 lanes (shape::kScattered), in the place of four more: the number of each lane's
/// first word.
struct LoggedWords {
    static constexpr std::uint64_t kEntries = 4;
    std::uint16_t at[kLoggedLanes];

    /// Whether a lane's `each` bytes, 4 at least, meet [from, from + bytes).
    bool meet(std::uint64_t from, std::uint64_t bytes, std::uint64_t each) const {
        return std::any_of(at, at + kLoggedLanes,
                           [&](std::uint64_t word) { return word * 4 < from + bytes && from < word * 4 + each; });
    }
};
static_assert(sizeof(LoggedWords) == LoggedWords::kEntries * sizeof(LoggedAccess));

/// The part of a log that generated code reads and writes itself where all words of a read are calm.
struct CalmLog {
    static constexpr std::uint64_t kMost = 1 << 15;  // a transfer takes several times as long as a few more entries
    // For each word of memory: its state in two bits, and above them the tag under which it was last read.
    static constexpr std::uint8_t kState = 3, kCalm = 1;
    std::uint8_t* states = nullptr;
    LoggedAccess* log = nullptr;
    std::uint64_t count = 0;              ///< entries, kMost at most
    const std::uint32_t* tick = nullptr;  ///< the block's time
    std::uint8_t mark = 1 << 2 | kCalm;   ///< of a calm word that has been read under the present tag

    static std::uint16_t site_in(std::uint32_t site) {
        return static_cast<std::uint16_t>(site < kMostSites ? site : kMostSites);
    }
};

/// The log of one block. Accesses to shared memory by other blocks of a cluster are not deferred.
class CalmReads : public CalmLog {
public:
    bool on() const { return on_; }

    /// True: the read is no race, and is logged. `at`: an offset; all bytes lie within the memory. False: nothing is
    /// known.
    bool read(std::uint64_t at, std::uint64_t bytes, std::uint32_t shape, std::uint32_t site) {
        auto* p = states + (at >> 2);
        const auto n = ((at + bytes - 1) >> 2) - (at >> 2) + 1;
        if (count >= kMost || !all_are(p, n, kState, kCalm)) return false;
        set(p, n, mark);
        log[count++] = {static_cast<std::uint32_t>(at), shape, site_in(site), 0, *tick};
        return true;
    }
    /// The same for lanes `stride` bytes apart, the first at `first`, if all words are calm from the lowest of them to
    /// the end of the highest.
    bool read_strided(std::uint64_t low, std::uint64_t length, std::uint64_t first, std::int64_t stride,
                      std::uint32_t shape, std::uint32_t site) {
        if (stride != static_cast<std::int16_t>(stride) || !read(low, length, shape, site)) return false;
        log[count - 1].at = static_cast<std::uint32_t>(first);
        log[count - 1].stride = static_cast<std::int16_t>(stride);
        return true;
    }
    /// The same, only that words between the lanes' need not be calm: those of lanes far apart.
    bool read_far_apart(std::uint64_t first, std::int64_t stride, std::uint64_t bytes, std::uint32_t shape,
                        std::uint32_t site);
    /// The same for the lanes of `mask`, below 32, each of `bytes`, a power of two, at at[lane]: returns those that are
    /// calm.
    std::uint64_t read_lanes(const std::uint64_t* at, std::uint64_t mask, std::uint64_t bytes, std::uint32_t shape,
                             std::uint32_t site);
    /// A write of lanes at consecutive addresses, 4 bytes each at least. True: it is no race, and is logged.
    bool write(std::uint64_t at, std::uint64_t bytes, std::uint32_t shape, std::uint32_t site);
    /// The same for lanes `stride` bytes apart, the first at `first`, each of `bytes`, a power of two.
    bool write_far_apart(std::uint64_t first, std::int64_t stride, std::uint64_t bytes, std::uint32_t shape,
                         std::uint32_t site);
    bool full() const { return count + 32 > kMost; }

private:
    friend class Shadow;
    static constexpr std::uint8_t kUnknown = 0, kWritten = 2, kAgents = 3;
    static constexpr std::uint32_t kTags = 64;

    template <unsigned kWords>
    bool mark_all(const std::uint64_t* at);
    template <unsigned kWords>
    std::uint64_t mark_each(const std::uint64_t* at, std::uint64_t mask, std::uint64_t bytes);
    void log_stretches(const std::uint64_t* at, std::uint64_t mask, LoggedAccess e);
    void log_lanes(const std::uint64_t* at, std::uint64_t mask, std::uint64_t bytes, LoggedAccess e);
    /// What lies behind entry `k`.
    LoggedWords words_at(std::uint64_t k) const {
        LoggedWords words;
        std::memcpy(&words, log + k + 1, sizeof words);
        return words;
    }
    template <unsigned kWords>
    std::uint64_t read_each(const std::uint64_t* at, std::uint64_t mask, std::uint64_t bytes, std::uint32_t its_shape,
                            std::uint32_t site);
    template <unsigned kWords>
    bool read_spread(std::uint64_t first, std::int64_t stride, std::uint32_t its_shape, std::uint32_t site);
    static void set(std::uint8_t* p, std::uint64_t n, std::uint8_t value) {
        const std::uint64_t all = 0x0101010101010101u * value;
        for (; n >= 8; n -= 8, p += 8) std::memcpy(p, &all, 8);
        for (; n; --n) *p++ = value;
    }
    void next_tag() {
        tag_ = tag_ + 1 < kTags ? tag_ + 1 : 1;
        mark = static_cast<std::uint8_t>(tag_ << 2 | kCalm);
        count = 0;
        writes_ = false;
    }

    struct WrittenWords {
        std::uint32_t word, count;
    };
    /// Words that will be calm after the barrier.
    void note_written(std::uint64_t first, std::uint64_t n) {
        top_ = std::max(top_, first + n);
        if (!written_.empty() && written_.back().word + written_.back().count == first)
            written_.back().count += static_cast<std::uint32_t>(n);
        else
            written_.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(n)});
    }
    bool only_by(std::uint64_t at, std::uint64_t bytes, std::uint32_t shape) const;
    /// Whether the log has an access to one of these words, one at least.
    bool touched(std::uint64_t first, std::uint64_t n) const;
    /// Whether the log has a write of one of these words.
    bool has_written(std::uint64_t first, std::uint64_t n) const {
        if (!writes_) return false;
        for (auto k = first; k < first + n; ++k)
            if ((states[k] & kState) == kWritten && states[k] >> 2 == static_cast<int>(tag_)) return true;
        return false;
    }

    bool on_ = false, ask_written_ = true;
    bool defers_writes_ = false;
    bool stamped_ = false;  ///< since the last barrier stamps were left of reads, which the states do not show
    bool writes_ = false;   ///< the log has writes
    std::uint32_t tag_ = 1, epoch_ = 0;
    std::unique_ptr<LoggedAccess[]> storage_;
    const BlockClock* clock_ = nullptr;
    Stamp key_ = 0;
    std::uint64_t top_ = 0;              ///< words from here on are unknown
    std::vector<WrittenWords> written_;  ///< words written since the last barrier
};

}  // namespace warpwright::shadow

// Deferred reads of a block's own memory. A word is *calm* when it was written before the block's last barrier and not
// since: any thread may read it without a race. Its readers matter only if a thread writes there before the next
// barrier, which is rare. So such reads go into a log, one entry per warp's access; the log is transferred to the
// stamps when a write touches what it read, and discarded at the barrier.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
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

/// A warp's read, in 32 bits: the first lane (8 bits), the number of lanes (8), 1 = all at one place, bits 20-23 the
/// bytes per lane as a power of two, 24-31 the warp.
namespace shape {
inline constexpr std::uint32_t kSame = 1u << 16, kStrided = 1u << 17;
inline constexpr unsigned kBytesShift = 20, kWarpShift = 24;
inline std::uint64_t bytes(std::uint32_t s) {
    return std::uint64_t{s & kSame ? 1 : s >> 8 & 0xff} << (s >> kBytesShift & 15);
}
}  // namespace shape

/// The log of one block. Reads of shared memory by other blocks of a cluster are not deferred.
class CalmReads {
public:
    struct LoggedRead {
        std::uint32_t at, shape;
        std::uint16_t site;   ///< as far as a Side can hold it
        std::int16_t stride;  ///< from lane to lane, if the shape has it
        std::uint32_t tick;
    };
    bool on() const { return on_; }

    /// True: the read is no race, and is logged. `at`: an offset; all bytes lie within the memory. False: nothing is
    /// known.
    bool read(std::uint64_t at, std::uint64_t bytes, std::uint32_t shape, std::uint32_t site) {
        auto* p = states_ + (at >> 2);
        const auto n = ((at + bytes - 1) >> 2) - (at >> 2) + 1;
        if (count_ >= kMost || !all_are(p, n, kState, kCalm)) return false;
        mark(p, n, static_cast<std::uint8_t>(tag_ << 2 | kCalm));
        log_[count_++] = {static_cast<std::uint32_t>(at), shape, site_in(site), 0, clock_->tick()};
        return true;
    }
    /// The same for lanes `stride` bytes apart, the first at `first`, if all words are calm from the lowest of them to
    /// the end of the highest.
    bool read_strided(std::uint64_t low, std::uint64_t length, std::uint64_t first, std::int64_t stride,
                      std::uint32_t shape, std::uint32_t site) {
        if (stride != static_cast<std::int16_t>(stride) || !read(low, length, shape, site)) return false;
        log_[count_ - 1].at = static_cast<std::uint32_t>(first);
        log_[count_ - 1].stride = static_cast<std::int16_t>(stride);
        return true;
    }
    /// The same for the lanes of `mask`, below 32, each of `bytes`, a power of two, at at[lane]: returns those that are
    /// calm.
    std::uint64_t read_lanes(const std::uint64_t* at, std::uint64_t mask, std::uint64_t bytes, std::uint32_t shape,
                             std::uint32_t site);
    bool full() const { return count_ + 32 > kMost; }

private:
    friend class Shadow;
    // For each word of memory: its state in two bits, and above them the tag under which it was last read.
    static constexpr std::uint8_t kState = 3, kUnknown = 0, kCalm = 1, kWritten = 2, kAgents = 3;
    static constexpr std::uint32_t kTags = 64;
    static constexpr std::size_t kMost = 4096;

    template <unsigned kWords>
    std::uint64_t read_each(const std::uint64_t* at, std::uint64_t mask, std::uint64_t bytes, std::uint32_t its_shape,
                            std::uint32_t site);
    static std::uint16_t site_in(std::uint32_t site) {
        return static_cast<std::uint16_t>(site < kMostSites ? site : kMostSites);
    }
    static void mark(std::uint8_t* p, std::uint64_t n, std::uint8_t value) {
        const std::uint64_t all = 0x0101010101010101u * value;
        for (; n >= 8; n -= 8, p += 8) std::memcpy(p, &all, 8);
        for (; n; --n) *p++ = value;
    }
    void next_tag() {
        tag_ = tag_ + 1 < kTags ? tag_ + 1 : 1;
        count_ = 0;
    }

    struct WrittenWords {
        std::uint32_t word, count;
    };
    bool on_ = false, ask_written_ = true;
    std::uint32_t tag_ = 1, epoch_ = 0;
    std::size_t count_ = 0;
    std::uint8_t* states_ = nullptr;
    std::unique_ptr<LoggedRead[]> log_;
    const BlockClock* clock_ = nullptr;
    Stamp key_ = 0;
    std::uint64_t top_ = 0;              ///< words from here on are unknown
    std::vector<WrittenWords> written_;  ///< words written since the last barrier
};

}  // namespace warpwright::shadow

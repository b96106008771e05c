// The log of deferred accesses, and its transfer to the stamps.
#include <algorithm>
#include <bit>

#include "shadow/shadow_known.hpp"

namespace warpwright::shadow {

namespace {

template <unsigned kWords>
bool are_calm(const std::uint8_t* p, std::uint64_t words) {
    if constexpr (kWords == 0) return all_are(p, words, 3, 1);
    std::uint32_t x = 0;
    std::memcpy(&x, p, kWords);
    constexpr std::uint32_t kOnes = 0x01010101u >> 8 * (4 - (kWords ? kWords : 4));
    return (x & kOnes * 3) == kOnes;
}

}  // namespace

template <unsigned kWords>
std::uint64_t CalmReads::read_each(const std::uint64_t* at, std::uint64_t mask, std::uint64_t bytes,
                                   std::uint32_t its_shape, std::uint32_t site) {
    std::uint64_t calm = 0, end = 0;
    // Consecutive lanes at equal distances are one entry.
    LoggedAccess e{0, 0, site_in(site), 0, *tick};
    unsigned first = 0, n = 0;
    const auto put = [&] {
        if (n == 0) return;
        e.shape = its_shape | shape::kStrided | first | n << 8;
        log[count++] = e;
    };
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto word = at[l] >> 2, words = kWords ? kWords : ((at[l] + bytes - 1) >> 2) - word + 1;
        if (!are_calm<kWords>(states + word, words)) continue;
        set(states + word, words, mark);
        calm |= std::uint64_t{1} << l;
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
    const bool touched = count != 0 && any_touched(p, n, tag_);
    if (touched && !only_by(at, bytes, its_shape)) return false;
    // Words that have stamps of writes since the barrier, or an agent's.
    const auto now = static_cast<std::uint8_t>(tag_ << 2 | kWritten);
    bool known = true;
    for (std::uint64_t k = 0; k < n; ++k) {
        if (p[k] & kWritten && p[k] != now) return false;
        known &= p[k] == now;
    }
    static_assert((kWritten & kAgents) == kWritten && !(kCalm & kWritten));
    set(p, n, now);
    if (!known) note_written(first, n);
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

void Shadow::start_calm(const BlockClock* clock, Stamp key, std::uint32_t epoch, bool on, bool ask_written,
                        bool defer_writes) {
    auto& c = calm_;
    c.on_ = on;
    c.defers_writes_ = on && defer_writes;
    c.stamped_ = c.writes_ = false;
    c.clock_ = clock, c.tick = clock->tick_place(), c.key_ = key, c.epoch_ = epoch;
    c.ask_written_ = ask_written;
    c.count = 0;
    c.written_.clear();
    if (!on) return;
    if (!c.log) {
        c.storage_ = std::make_unique_for_overwrite<LoggedAccess[]>(CalmLog::kMost);
        c.log = c.storage_.get();
    }
    std::memset(c.states, 0, c.top_);
    c.top_ = 0;
}

void Shadow::calm_barrier(std::uint32_t epoch) {
    auto& c = calm_;
    if (epoch % 255 == 0) forget_quiet();
    if (!c.on_) return;
    c.next_tag();
    c.stamped_ = false;
    c.epoch_ = epoch;
    for (const auto& span : c.written_) {
        auto* s = c.states + span.word;
        const auto at = start_ + std::uint64_t{span.word} * 4;
        if (!c.ask_written_ || is_written(at, std::uint64_t{span.count} * 4)) {
            for (std::uint32_t k = 0; k < span.count; ++k)
                s[k] = (s[k] & CalmLog::kState) == CalmReads::kWritten ? CalmLog::kCalm : s[k];
        } else {
            for (std::uint32_t k = 0; k < span.count; ++k)
                if ((s[k] & CalmLog::kState) == CalmReads::kWritten)
                    s[k] = is_written(at + std::uint64_t{k} * 4, 4) ? CalmReads::kCalm : CalmReads::kUnknown;
        }
    }
    c.written_.clear();
}

/// Transfers the log to the stamps.
void Shadow::replay() {
    auto& c = calm_;
    const auto count = c.count;
    c.next_tag();
    c.stamped_ |= count != 0;
    for (std::size_t k = 0; k < count; ++k) {
        const auto& e = c.log[k];
        Accessor a;
        a.key = c.key_, a.tick = e.tick, a.base = c.clock_->base();
        a.warp = e.shape >> shape::kWarpShift;
        a.warp_base = c.clock_->warp_base(a.warp);
        a.side = side_of(e.site, kWeak);
        a.others_known = a.may_settle = true;
        a.epoch = c.epoch_;
        const unsigned each = 1u << (e.shape >> shape::kBytesShift & 15), first = e.shape & 0xff,
                       lanes = e.shape >> 8 & 0xff;
        const bool write = e.shape & shape::kWrite;
        const auto one_by_one = [&](std::uint64_t at, unsigned lane) {
            const auto mine = a.key | (Stamp{a.warp} * 32 + lane) << kThreadShift | a.tick;
            for (std::uint64_t b = 0; b < each;) {
                const auto p = piece(at + b, each - b, a.key, write);
                if (write) {
                    p.cells->read[p.index] = p.cells->read_too[p.index] = 0;
                    put_stamp(p.cells->written[p.index], p.cells->written_side[p.index], mine, a.side);
                } else {
                    note_read(*p.cells, p.index, mine, a.side, [&](Stamp s, Side) { return known_to_warp(s, a); });
                }
                b += p.bytes;
            }
        };
        if (e.shape & shape::kStrided) {
            std::uint64_t at[32];
            const auto mask = (std::uint64_t{2} << (first + lanes - 1)) - (std::uint64_t{1} << first);
            for (unsigned l = 0; l < lanes; ++l)
                at[first + l] = start_ + e.at + static_cast<std::uint64_t>(std::int64_t{e.stride} * l);
            const auto fine = this->lanes(at, mask, each, write, a);
            for (auto rest = mask & ~fine; rest; rest &= rest - 1) {
                const auto l = static_cast<unsigned>(std::countr_zero(rest));
                one_by_one(at[l], l);
            }
            continue;
        }
        const auto at = start_ + e.at, bytes = shape::bytes(e.shape);
        if (write) {
            // (It was found to be in order when it was logged.)
            if (!write_run(at, bytes, each, first, a))
                for (unsigned l = 0; l < lanes; ++l) one_by_one(at + std::uint64_t{l} * each, first + l);
            continue;
        }
        if (quiet(at, bytes, a.epoch)) continue;
        if (e.shape & shape::kSame) {
            if (read_same(at, bytes, first, first + lanes - 1, a)) continue;
            one_by_one(at, first);
            one_by_one(at, first + lanes - 1);
        } else if (!read_run(at, bytes, each, first, a)) {
            for (unsigned l = 0; l < lanes; ++l) one_by_one(at + std::uint64_t{l} * each, first + l);
        }
    }
}

void Shadow::before_write(std::uint64_t at, std::uint64_t bytes) {
    auto& c = calm_;
    if (bytes == 0) return;  // there is no last byte
    const auto first = (at - start_) >> 2, n = ((at - start_ + bytes - 1) >> 2) - first + 1;
    auto* s = c.states + first;
    bool all = true;
    for (std::uint64_t k = 0; k < n; ++k) {
        if (c.count && s[k] >> 2 == static_cast<int>(c.tag_)) replay();
        all &= s[k] == CalmReads::kWritten;
    }
    if (all) return;
    CalmReads::set(s, n, CalmReads::kWritten);
    c.note_written(first, n);
}

void Shadow::before_read(std::uint64_t at, std::uint64_t bytes) {
    auto& c = calm_;
    if (bytes == 0) return;
    const auto first = (at - start_) >> 2;
    if (c.has_written(first, ((at - start_ + bytes - 1) >> 2) - first + 1)) replay();
    c.stamped_ = true;
}

void Shadow::calm_written(std::uint64_t at, std::uint64_t bytes) {
    if (calm_.on_) before_write(at, bytes);
}

void Shadow::calm_agent(std::uint64_t at, std::uint64_t bytes) {
    auto& c = calm_;
    if (!c.on_ || bytes == 0) return;
    before_write(at, bytes);
    const auto first = (at - start_) >> 2, n = ((at - start_ + bytes - 1) >> 2) - first + 1;
    CalmReads::set(c.states + first, n, CalmReads::kAgents);
}

}  // namespace warpwright::shadow

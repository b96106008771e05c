// The log of deferred accesses in a block's life, and its transfer to the stamps.
#include <bit>

#include "shadow/shadow_known.hpp"

namespace warpwright::shadow {

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

/// Of these words, those that were written become calm.
void Shadow::calm_down(std::uint64_t first, std::uint64_t count) {
    auto& c = calm_;
    auto* s = c.states + first;
    const auto at = start_ + first * 4;
    if (!c.ask_written_ || is_written(at, count * 4)) {
        for (std::uint64_t k = 0; k < count; ++k)
            s[k] = (s[k] & CalmLog::kState) == CalmReads::kWritten ? CalmLog::kCalm : s[k];
        return;
    }
    for (std::uint64_t k = 0; k < count; ++k)
        if ((s[k] & CalmLog::kState) == CalmReads::kWritten)
            s[k] = is_element_written(at + k * 4, 4) ? CalmReads::kCalm : CalmReads::kUnknown;
}

void Shadow::calm_barrier(std::uint32_t epoch) {
    auto& c = calm_;
    if (epoch % 255 == 0) forget_quiet();
    if (!c.on_) return;
    c.next_tag();
    c.stamped_ = false;
    c.epoch_ = epoch;
    // (All that was written lies below the top: many short stretches take longer than one look at all words.)
    constexpr std::uint64_t kWordsLikeOneStretch = 16;
    if (c.written_.size() * kWordsLikeOneStretch > c.top_)
        calm_down(0, c.top_);
    else
        for (const auto& span : c.written_) calm_down(span.word, span.count);
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
        if (e.shape & (shape::kStrided | shape::kScattered)) {
            std::uint64_t at[32];
            const auto mask = (std::uint64_t{2} << (first + lanes - 1)) - (std::uint64_t{1} << first);
            if (e.shape & shape::kScattered) {
                const auto words = c.words_at(k);
                for (unsigned l = 0; l < lanes; ++l) at[l] = start_ + std::uint64_t{words.at[l]} * 4;
                k += LoggedWords::kEntries;
            } else {
                for (unsigned l = 0; l < lanes; ++l)
                    at[first + l] = start_ + e.at + static_cast<std::uint64_t>(std::int64_t{e.stride} * l);
            }
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
    if (c.touched(first, n)) replay();
    unsigned others = 0;
    for (std::uint64_t k = 0; k < n; ++k) others |= s[k] ^ CalmReads::kWritten;
    if (!others) return;
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

// The log of deferred reads, and its transfer to the stamps.
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
    const auto value = static_cast<std::uint8_t>(tag_ << 2 | kCalm);
    // Consecutive lanes at equal distances are one entry.
    LoggedRead e{0, 0, site_in(site), 0, clock_->tick()};
    unsigned first = 0, n = 0;
    const auto put = [&] {
        if (n == 0) return;
        e.shape = its_shape | shape::kStrided | first | n << 8;
        log_[count_++] = e;
    };
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto word = at[l] >> 2, words = kWords ? kWords : ((at[l] + bytes - 1) >> 2) - word + 1;
        if (!are_calm<kWords>(states_ + word, words)) continue;
        mark(states_ + word, words, value);
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

std::uint64_t CalmReads::read_lanes(const std::uint64_t* at, std::uint64_t mask, std::uint64_t bytes,
                                    std::uint32_t its_shape, std::uint32_t site) {
    if (full()) return 0;
    switch (bytes) {
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

void Shadow::start_calm(const BlockClock* clock, Stamp key, std::uint32_t epoch, bool on, bool ask_written) {
    auto& c = calm_;
    c.on_ = on;
    c.clock_ = clock, c.key_ = key, c.epoch_ = epoch;
    c.ask_written_ = ask_written;
    c.count_ = 0;
    c.written_.clear();
    if (!on) return;
    if (!c.log_) c.log_ = std::make_unique<CalmReads::LoggedRead[]>(CalmReads::kMost);
    std::memset(c.states_, 0, c.top_);
    c.top_ = 0;
}

void Shadow::calm_barrier(std::uint32_t epoch) {
    auto& c = calm_;
    if (epoch % 255 == 0) forget_quiet();
    if (!c.on_) return;
    c.next_tag();
    c.epoch_ = epoch;
    for (const auto& span : c.written_) {
        auto* s = c.states_ + span.word;
        const auto at = start_ + std::uint64_t{span.word} * 4;
        if (!c.ask_written_ || is_written(at, std::uint64_t{span.count} * 4)) {
            for (std::uint32_t k = 0; k < span.count; ++k) s[k] = s[k] == CalmReads::kWritten ? CalmReads::kCalm : s[k];
        } else {
            for (std::uint32_t k = 0; k < span.count; ++k)
                if (s[k] == CalmReads::kWritten)
                    s[k] = is_written(at + std::uint64_t{k} * 4, 4) ? CalmReads::kCalm : CalmReads::kUnknown;
        }
    }
    c.written_.clear();
}

/// Transfers the log to the stamps.
void Shadow::replay() {
    auto& c = calm_;
    const auto count = c.count_;
    c.next_tag();
    for (std::size_t k = 0; k < count; ++k) {
        const auto& e = c.log_[k];
        Accessor a;
        a.key = c.key_, a.tick = e.tick, a.base = c.clock_->base();
        a.warp = e.shape >> shape::kWarpShift;
        a.warp_base = c.clock_->warp_base(a.warp);
        a.side = side_of(e.site, kWeak);
        a.others_known = a.may_settle = true;
        a.epoch = c.epoch_;
        const unsigned each = 1u << (e.shape >> shape::kBytesShift & 15), first = e.shape & 0xff,
                       lanes = e.shape >> 8 & 0xff;
        const auto one_by_one = [&](std::uint64_t at, unsigned lane) {
            const auto mine = a.key | (Stamp{a.warp} * 32 + lane) << kThreadShift | a.tick;
            for (std::uint64_t b = 0; b < each;) {
                const auto p = piece(at + b, each - b, a.key, false);
                note_read(*p.cells, p.index, mine, a.side, [&](Stamp s, Side) { return known_to_warp(s, a); });
                b += p.bytes;
            }
        };
        if (e.shape & shape::kStrided) {
            std::uint64_t at[32];
            const auto mask = (std::uint64_t{2} << (first + lanes - 1)) - (std::uint64_t{1} << first);
            for (unsigned l = 0; l < lanes; ++l)
                at[first + l] = start_ + e.at + static_cast<std::uint64_t>(std::int64_t{e.stride} * l);
            const auto fine = this->lanes(at, mask, each, false, a);
            for (auto rest = mask & ~fine; rest; rest &= rest - 1) {
                const auto l = static_cast<unsigned>(std::countr_zero(rest));
                one_by_one(at[l], l);
            }
            continue;
        }
        const auto at = start_ + e.at, bytes = shape::bytes(e.shape);
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
    auto* s = c.states_ + first;
    bool all = true;
    for (std::uint64_t k = 0; k < n; ++k) {
        if (c.count_ && s[k] >> 2 == static_cast<int>(c.tag_)) replay();
        all &= s[k] == CalmReads::kWritten;
    }
    if (all) return;
    CalmReads::mark(s, n, CalmReads::kWritten);
    c.top_ = std::max(c.top_, first + n);
    c.written_.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(n)});
}

void Shadow::calm_written(std::uint64_t at, std::uint64_t bytes) {
    if (calm_.on_) before_write(at, bytes);
}

void Shadow::calm_agent(std::uint64_t at, std::uint64_t bytes) {
    auto& c = calm_;
    if (!c.on_ || bytes == 0) return;
    before_write(at, bytes);
    const auto first = (at - start_) >> 2, n = ((at - start_ + bytes - 1) >> 2) - first + 1;
    CalmReads::mark(c.states_ + first, n, CalmReads::kAgents);
}

}  // namespace warpwright::shadow

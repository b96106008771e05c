// Accesses of single lanes and of a few words against shadow memory: the quick tests, word by word.
#include <bit>

#include "shadow/shadow_known.hpp"

namespace warpwright::shadow {

namespace {

/// Ordered for the thread that leaves `mine`, by stamps alone.
inline bool known(Stamp s, Stamp mine, const Accessor& a) {
    return !is_recent(s, a) || ((s ^ mine) >> kThreadShift == 0 && !(s & kAgent)) || known_to_warp(s, a);
}

}  // namespace

Shadow::Quick Shadow::read_words(std::uint64_t first, std::uint64_t count, std::uint64_t thread, unsigned shift,
                                 const Accessor& a) {
    const auto& c = word_;
    const Stamp start = a.key | thread << kThreadShift | a.tick;
    bool all_enough = true;
    for (std::uint64_t k = 0; k < count; ++k) {
        const auto i = first + k;
        const Stamp mine = start + ((k >> shift) << kThreadShift);
        const Stamp w = c.written[i];
        if (!known(w, mine, a) && !((w & kAgent) && handed_over(w, c.written_side[i], 5, a))) return Quick::unclear;
        const Stamp r = c.read[i];
        // The same as keep_readers() does for whole runs.
        if (is_recent(r, a) && !(a.others_known && (r ^ a.key) >> kBlockShift)) {
            const Stamp too = c.read_too[i];
            if (enough_readers(r, too, a)) continue;
            const bool own = (r ^ a.key) >> kBlockShift == 0, other_launch = (too ^ a.key) >> kGenerationShift == 0,
                       other_own = (too ^ a.key) >> kBlockShift == 0;
            if (!known(r, mine, a) && !(own && other_launch && !other_own))
                put_stamp(c.read_too[i], c.read_too_side[i], r, c.read_side[i]);
        }
        all_enough = false;
        put_stamp(c.read[i], c.read_side[i], mine, a.side);
    }
    return all_enough ? Quick::enough : Quick::noted;
}

bool Shadow::write_words(std::uint64_t first, std::uint64_t count, std::uint64_t thread, unsigned shift,
                         const Accessor& a) {
    const auto& c = word_;
    const Stamp start = a.key | thread << kThreadShift | a.tick;
    for (std::uint64_t k = 0; k < count; ++k) {
        const auto i = first + k;
        const Stamp mine = start + ((k >> shift) << kThreadShift);
        if (!known(c.written[i], mine, a) ||
            (c.read[i] && !(known(c.read[i], mine, a) && known(c.read_too[i], mine, a))))
            return false;
    }
    for (std::uint64_t k = 0; k < count; ++k) {
        const auto i = first + k;
        if (c.read[i]) c.read[i] = c.read_too[i] = 0;
        put_stamp(c.written[i], c.written_side[i], start + ((k >> shift) << kThreadShift), a.side);
    }
    return true;
}

std::uint64_t Shadow::lanes(const std::uint64_t* at, std::uint64_t mask, unsigned bytes, bool store,
                            const Accessor& a) {
    if (bytes % 4 || bytes > kLine) return 0;
    std::uint64_t fine = 0, open = ~std::uint64_t{0};
    enum { words, answered, unclear } state = unclear;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto offset = at[l] - start_, line = offset >> kLineShift, thread = std::uint64_t{a.warp} * 32 + l;
        if (calm_.on_) store ? before_write(at[l], bytes) : before_read(at[l], bytes);
        if (!store && quiet(at[l], bytes, a.epoch)) {
            fine |= std::uint64_t{1} << l;
            continue;
        }
        if (line != open) {
            open = line;
            visit(offset, bytes, a.key);
            by_lines(line, a.key);
            state = split_[offset >> kPageShift].acquire() ? unclear : words;
            std::uint16_t forms = 0;
            if (state == words && whole(line, a, forms)) {
                const auto& x = lines_[line];
                if (!store && known_to_warp(stamp_in(x.written), a) &&
                    enough_readers(stamp_in(x.read), stamp_in(x.read_too), a))
                    state = answered;
            }
            if (state == words) {
                take_apart(line, a.key);
                if (split_[offset >> kPageShift].acquire()) state = unclear;
            }
        }
        bool good = state == answered;
        const auto i = offset / 4, n = std::uint64_t{bytes / 4};
        if (state == words && store) {
            good = write_words(i, n, thread, 5, a);
            if (good) no_longer_quiet(line);
        } else if (state == words) {
            const auto quick = read_words(i, n, thread, 5, a);
            good = quick != Quick::unclear;
            if (quick == Quick::enough && a.may_settle && read_enough(i, n, a)) settle(offset, bytes, a);
        }
        fine |= std::uint64_t{good} << l;
    }
    return fine;
}

}  // namespace warpwright::shadow

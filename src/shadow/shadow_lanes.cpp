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
            const bool own = (r ^ a.key) >> kBlockShift == 0;
            if (!known(r, mine, a) && !(own && of_another_block(too, a.key, a.others_known)))
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

/// Makes a line ready for accesses to its words by lanes.
[[gnu::noinline]] Shadow::LineState Shadow::open_line(std::uint64_t line, bool store, const Accessor& a) {
    const auto offset = line << kLineShift, page = offset >> kPageShift;
    visit(offset, 1, a.key);
    by_lines(line, a.key);
    if (split_[page].acquire()) return LineState::unclear;
    std::uint16_t forms = 0;
    if (whole(line, a, forms)) {
        const auto& x = lines_[line];
        if (!store && known_to_warp(stamp_in(x.written), a) &&
            enough_readers(stamp_in(x.read), stamp_in(x.read_too), a))
            return LineState::answered;
        if (has_rows_ && begin_list(lines_[line], store, a)) return LineState::listed;
    }
    const auto first = line * (kLine / 4);
    if (has_rows_) store ? word_.written[first].touch() : word_.read[first].touch();
    take_apart(line, a.key);
    return split_[page].acquire() ? LineState::unclear : LineState::words;
}

/// Whether this access's block, or launch, has the line's words or bytes in use.
inline bool Shadow::in_use(std::uint64_t line, const Accessor& a) const {
    const auto apart = [&](const Line& l) {
        return (l.form.acquire() & Line::kStates) == Line::kApart && (l.written ^ a.key) >> stale_shift_ == 0;
    };
    return (!has_rows_ || apart(rows_[line >> (kRowShift - kLineShift)])) && apart(lines_[line]);
}

/// Whether open_line() has nothing to do.
inline bool Shadow::is_open(std::uint64_t line, const Accessor& a) const {
    return in_use(line, a) && !split_[line >> (kPageShift - kLineShift)].acquire();
}

/// What each_lane() looks at, so that it waits for all lanes' at once: they may all be on pages of their own. Words
/// only where the first lane's line has some.
inline void Shadow::fetch_lanes(const std::uint64_t* at, std::uint64_t mask) const {
    if (!mask) return;
    const auto first = (at[std::countr_zero(mask)] - start_) >> kLineShift;
    const bool words = (lines_[first].form & (Line::kApart | Line::kListed)) == Line::kApart;
    for (; mask; mask &= mask - 1) {
        const auto offset = at[std::countr_zero(mask)] - start_;
        __builtin_prefetch(rows_ + (offset >> kRowShift));
        __builtin_prefetch(lines_ + (offset >> kLineShift), 1);
        if (!words) continue;
        __builtin_prefetch(word_.written + offset / 4, 1);
        __builtin_prefetch(word_.read + offset / 4, 1);
    }
}

/// The usual case: nobody has been at these words since all threads of the warp last knew of each other.
template <bool kStore>
inline bool Shadow::first_in_words(std::uint64_t first, std::uint64_t count, Stamp mine, const Accessor& a) {
    const auto& c = word_;
    for (auto i = first; i < first + count; ++i) {
        const Stamp r = c.read[i];
        if (is_recent(c.written[i], a) || is_recent(r, a) || (kStore && r && is_recent(c.read_too[i], a))) return false;
    }
    for (auto i = first; i < first + count; ++i) {
        if constexpr (kStore) {
            if (c.read[i]) c.read[i] = c.read_too[i] = 0;
            put_stamp(c.written[i], c.written_side[i], mine, a.side);
        } else {
            put_stamp(c.read[i], c.read_side[i], mine, a.side);
        }
    }
    return true;
}

constexpr std::uint64_t kNoLine = ~std::uint64_t{0};

template <bool kStore>
std::uint64_t Shadow::each_lane(const std::uint64_t* at, std::uint64_t mask, unsigned bytes, const Accessor& a) {
    std::uint64_t fine = 0;
    if (has_rows_) {
        if (bytes == 4) fine = list_together(at, mask, kStore, a);
        if (fine == mask) return fine;
        fetch_lanes(at, mask);
    }
    // The lines that were looked at last.
    constexpr unsigned kOpen = 4;
    std::uint64_t open[kOpen] = {kNoLine, kNoLine, kNoLine, kNoLine};
    LineState states[kOpen];
    const Stamp start = a.key | Stamp{a.warp} * 32 << kThreadShift | a.tick;
    for (auto rest = mask & ~fine; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto offset = at[l] - start_, line = offset >> kLineShift, thread = std::uint64_t{a.warp} * 32 + l;
        if (calm_.on_) kStore ? before_write(at[l], bytes) : before_read(at[l], bytes);
        if (!kStore && quiet(at[l], bytes, a.epoch)) {
            fine |= std::uint64_t{1} << l;
            continue;
        }
        auto& state = states[line % kOpen];
        if (line != open[line % kOpen]) {
            open[line % kOpen] = line;
            state = is_open(line, a)                  ? LineState::words
                    : continues_list(line, kStore, a) ? LineState::listed
                                                      : open_line(line, kStore, a);
        }
        if (state == LineState::listed) {
            // (A listed line was not accessed in this launch before, so that no word of it is quiet.)
            if (add_to_list(lines_[line], static_cast<unsigned>(offset % kLine / 4), bytes / 4, thread, a)) {
                fine |= std::uint64_t{1} << l;
                continue;
            }
            take_apart(line, a.key);
            state = split_[line >> (kPageShift - kLineShift)].acquire() ? LineState::unclear : LineState::words;
        }
        bool good = state == LineState::answered;
        const auto i = offset / 4, n = std::uint64_t{bytes / 4};
        if (state == LineState::words && first_in_words<kStore>(i, n, start + (Stamp{l} << kThreadShift), a)) {
            good = true;
            if (kStore) no_longer_quiet(line);
        } else if (state == LineState::words && kStore) {
            good = write_words(i, n, thread, 5, a);
            if (good) no_longer_quiet(line);
        } else if (state == LineState::words) {
            const auto quick = read_words(i, n, thread, 5, a);
            good = quick != Quick::unclear;
            if (quick == Quick::enough && a.may_settle && read_enough(word_, i, n, a)) settle(offset, bytes, a);
        }
        fine |= std::uint64_t{good} << l;
    }
    return fine;
}

std::uint64_t Shadow::lanes(const std::uint64_t* at, std::uint64_t mask, unsigned bytes, bool store,
                            const Accessor& a) {
    if (bytes > kLine) return 0;
    if (bytes % 4) return store ? write_lanes(at, mask, bytes, a) : note_lanes(at, mask, bytes, a);
    return store ? each_lane<true>(at, mask, bytes, a) : each_lane<false>(at, mask, bytes, a);
}

/// The records of a lane's words, or of its bytes where those are kept. `open`: the line that the lane before has
/// accessed.
inline Shadow::Pieces Shadow::pieces_of_lane(std::uint64_t at, unsigned bytes, const Accessor& a, std::uint64_t& open) {
    const auto offset = at - start_, line = offset >> kLineShift, page = offset >> kPageShift;
    if (line != open && !in_use(line, a)) {
        visit(offset, bytes, a.key);
        by_lines(line, a.key);
        take_apart(line, a.key);
    }
    open = line;
    if (bytes % 4) split(page);
    if (split_[page].acquire()) return {&byte_, offset, bytes, 0};
    return {&word_, offset / 4, bytes / 4, 0};
}

/// Goes from lane to lane, up to the first that `look` refuses; those that it has taken.
template <class Look>
static std::uint64_t lane_by_lane(std::uint64_t mask, const Accessor& a, Look look) {
    std::uint64_t done = 0;
    const Stamp start = a.key | Stamp{a.warp} * 32 << kThreadShift | a.tick;
    for (; mask; mask &= mask - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(mask));
        if (!look(l, start + (Stamp{l} << kThreadShift))) break;
        done |= std::uint64_t{1} << l;
    }
    return done;
}

std::uint64_t Shadow::note_lanes(const std::uint64_t* at, std::uint64_t mask, unsigned bytes, const Accessor& a) {
    auto open = kNoLine;
    return lane_by_lane(mask, a, [&](unsigned l, Stamp mine) {
        if (calm_.on_) before_read(at[l], bytes);
        const auto p = pieces_of_lane(at[l], bytes, a, open);
        for (auto i = p.index; i < p.index + p.count; ++i)
            if (!known(p.cells->written[i].acquire(), mine, a)) return false;
        for (auto i = p.index; i < p.index + p.count; ++i)
            note_read(*p.cells, i, mine, a.side, [&](Stamp s, Side) { return known(s, mine, a); });
        return true;
    });
}

std::uint64_t Shadow::write_lanes(const std::uint64_t* at, std::uint64_t mask, unsigned bytes, const Accessor& a) {
    auto open = kNoLine;
    return lane_by_lane(mask, a, [&](unsigned l, Stamp mine) {
        if (calm_.on_) before_write(at[l], bytes);
        const auto p = pieces_of_lane(at[l], bytes, a, open);
        const auto& c = *p.cells;
        for (auto i = p.index; i < p.index + p.count; ++i) {
            const Stamp r = c.read[i].acquire();
            if (!known(c.written[i].acquire(), mine, a) ||
                (r && !(known(r, mine, a) && known(c.read_too[i].acquire(), mine, a))))
                return false;
        }
        for (auto i = p.index; i < p.index + p.count; ++i) {
            if (c.read[i]) c.read[i] = c.read_too[i] = 0;
            put_stamp(c.written[i], c.written_side[i], mine | a.also, a.side);
        }
        no_longer_quiet((at[l] - start_) >> kLineShift);
        if (a.also & kAgent) calm_agent(at[l], bytes);
        return true;
    });
}

bool Shadow::replace_writers(std::uint64_t at, unsigned each, Stamp from, Stamp to, Side side) {
    const auto line = (at - start_) >> kLineShift;
    auto& l = lines_[line];
    const auto forms = l.form.acquire();
    if (has_rows_ || (forms & (Line::kApart | Line::kBusy)) || l.written != from ||
        form_of(forms, 0) != static_cast<unsigned>(std::countr_zero(each)))
        return false;
    l.written = to, l.written_side = side;
    no_longer_quiet(line);
    return true;
}

bool Shadow::read_same(std::uint64_t at, std::uint64_t bytes, unsigned first, unsigned last, const Accessor& a) {
    const auto offset = at - start_, line = offset >> kLineShift;
    if ((offset + bytes - 1) >> kLineShift != line) return false;
    if (calm_.on_) before_read(at, bytes);
    if (bytes % 4 == 0 && offset % 4 == 0 && is_open(line, a))
        return note_same({&word_, offset / 4, bytes / 4, 0}, offset, bytes, first, last, a);
    visit(offset, bytes, a.key);
    by_lines(line, a.key);
    if (std::uint16_t forms; whole(line, a, forms)) {
        const auto& l = lines_[line];
        if (known_to_warp(stamp_in(l.written), a) && enough_readers(stamp_in(l.read), stamp_in(l.read_too), a))
            return true;
    }
    return note_same(pieces(line, offset, bytes, bytes < 4 ? 0 : 2, a.key), offset, bytes, first, last, a);
}

/// All lanes from `first` to `last` read the same pieces: the two of them stand for all.
bool Shadow::note_same(const Pieces& p, std::uint64_t offset, std::uint64_t bytes, unsigned first, unsigned last,
                       const Accessor& a) {
    const auto& c = *p.cells;
    for (auto i = p.index; i < p.index + p.count; ++i)
        if (!known_to_warp(c.written[i], a)) return false;
    const Stamp one = a.key | (Stamp{a.warp} * 32 + last) << kThreadShift | a.tick,
                two = a.key | (Stamp{a.warp} * 32 + first) << kThreadShift | a.tick;
    bool all = true;
    for (auto i = p.index; i < p.index + p.count; ++i) {
        const Stamp r = c.read[i];
        if ((r == one && c.read_too[i]) || enough_readers(r, c.read_too[i], a)) continue;
        all = false;
        if (!is_recent(r, a) || (a.others_known && (r ^ a.key) >> kBlockShift)) {
            // The first readers since the last barrier.
            if (first != last && known_to_warp(c.read_too[i], a))
                put_stamp(c.read_too[i], c.read_too_side[i], two, a.side);
            put_stamp(c.read[i], c.read_side[i], one, a.side);
            continue;
        }
        const auto of_warp = [&](Stamp s, Side) { return known_to_warp(s, a); };
        if (first != last) note_read(*p.cells, i, two, a.side, of_warp);
        note_read(*p.cells, i, one, a.side, of_warp);
    }
    if (all && a.may_settle && bytes % 4 == 0 && read_enough(c, p.index, p.count, a)) settle(offset, bytes, a);
    return true;
}

}  // namespace warpwright::shadow

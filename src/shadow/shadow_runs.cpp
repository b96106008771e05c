// Whole accesses of many lanes against shadow memory. Lines that warps access whole need one record per line; the rest
// needs a stamp per word or byte.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "shadow/shadow_known.hpp"
#include "support/clones.hpp"

// The loops over a warp's pieces use the widest vectors that the CPU has.
#define WARPWRIGHT_WIDE WARPWRIGHT_CLONES WARPWRIGHT_BY_VECTORS
// Inlined into the functions that have such versions, so that they use the same vectors.
#define WARPWRIGHT_INLINE WARPWRIGHT_BY_VECTORS inline __attribute__((always_inline))

namespace warpwright::shadow {

namespace {

/// Whether any of the stamps is not ordered for the thread that accesses its piece: 1 = by the block's own rules, 2 =
/// from another block of this launch. The thread of piece i is first + (i >> shift).
WARPWRIGHT_INLINE unsigned unknown(const Stamp* stamps, std::uint64_t count, Stamp key, std::uint64_t first,
                                   unsigned shift, std::uint64_t base, std::uint64_t warp, std::uint64_t warp_base,
                                   std::uint64_t others_known) {
    std::uint64_t bad = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto s = stamps[i], d = s ^ key;
        const std::uint64_t same_launch = d >> kGenerationShift == 0, same_block = d >> kBlockShift == 0;
        const std::uint64_t thread = s >> kThreadShift & 1023, tick = s & kLastTick, agent = s >> kTickBits & 1;
        const std::uint64_t known =
            (tick <= base) | (thread == first + (i >> shift)) | ((thread >> 5 == warp) & (tick <= warp_base));
        bad |= (same_block & (agent | (known ^ 1))) | ((same_launch & (same_block ^ 1) & (others_known ^ 1)) << 1);
    }
    return static_cast<unsigned>(bad);
}

/// 0 if each stamp is from another launch, or of this block before its last barrier: mostly nothing else must be
/// tested.
WARPWRIGHT_INLINE std::uint64_t recent(const Stamp* stamps, std::uint64_t count, Stamp key, std::uint64_t base) {
    std::uint64_t any = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto s = stamps[i];
        any |= static_cast<std::uint64_t>((s & ~kThreadBits) - key > base) &
               static_cast<std::uint64_t>((s ^ key) >> kGenerationShift == 0);
    }
    return any;
}

WARPWRIGHT_INLINE void put_stamps(Stamp* stamps, Side* sides, std::uint64_t count, Stamp mine, unsigned shift,
                                  Side side) {
    for (std::uint64_t i = 0; i < count; ++i) sides[i] = side;
    for (std::uint64_t i = 0; i < count; ++i) stamps[i] = mine + ((i >> shift) << kThreadShift);
}

/// 1 if some stamp is from this launch.
WARPWRIGHT_INLINE std::uint64_t any_of_launch(const Stamp* stamps, std::uint64_t count, Stamp key) {
    std::uint64_t any = 0;
    for (std::uint64_t i = 0; i < count; ++i) any |= (stamps[i] ^ key) >> kGenerationShift == 0;
    return any;
}

/// 0 if that holds for every piece.
WARPWRIGHT_INLINE std::uint64_t lacks_readers(const Stamp* a, const Stamp* b, std::uint64_t count, Stamp key,
                                              std::uint64_t base, std::uint64_t alone) {
    std::uint64_t lacks = 0;
    for (std::uint64_t i = 0; i < count; ++i) lacks |= enough(a[i], b[i], key, base, alone) ^ 1;
    return lacks;
}

/// A stamp whose order is not known is kept as a second reader, unless there is one of another block already.
WARPWRIGHT_INLINE void keep_readers(Stamp* a, Stamp* b, Side* a_side, Side* b_side, std::uint64_t count, Stamp key,
                                    Stamp mine, unsigned shift, Side side, std::uint64_t alone) {
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto old = a[i], other = b[i], now = mine + ((i >> shift) << kThreadShift);
        const bool launch = (old ^ key) >> kGenerationShift == 0, differs = old >> kThreadShift != now >> kThreadShift;
        const bool own = (old ^ key) >> kBlockShift == 0;
        const bool keep = !launch || !differs || (own && of_another_block(other, key, alone));
        b_side[i] = keep ? b_side[i] : a_side[i];
        b[i] = keep ? other : old;
        a_side[i] = side;
        a[i] = now;
    }
}

/// 1 if each piece was written before this launch and has readers of two blocks in it; in a block's own memory: before
/// its last barrier, and readers of two warps since.
WARPWRIGHT_INLINE std::uint64_t settled(const Stamp* written, const Stamp* a, const Stamp* b, std::uint64_t count,
                                        const Accessor& by) {
    std::uint64_t all = 1;
    if (by.others_known) {
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto s = written[i];
            all &= static_cast<std::uint64_t>((s & ~kThreadBits) - by.key <= by.base) |
                   static_cast<std::uint64_t>((s ^ by.key) >> kBlockShift != 0);
            all &= enough(a[i], b[i], by.key, by.base, 1);
        }
        return all;
    }
    for (std::uint64_t i = 0; i < count; ++i)
        all &= static_cast<std::uint64_t>((written[i] ^ by.key) >> kGenerationShift != 0) &
               static_cast<std::uint64_t>((a[i] ^ by.key) >> kGenerationShift == 0) &
               static_cast<std::uint64_t>((b[i] ^ by.key) >> kGenerationShift == 0) &
               static_cast<std::uint64_t>((a[i] ^ b[i]) >> kBlockShift != 0);
    return all;
}

/// The stamp of a line or row of so many bytes, against an access whose lanes have 2^form bytes each, from `thread` on.
inline bool known_in_piece(Stamp s, Side side, unsigned of, std::uint64_t thread, unsigned form, const Accessor& a,
                           std::uint64_t bytes) {
    return known_to_warp(s, a) ||
           ((s ^ a.key) >> kBlockShift == 0 && of == form && thread_of(s) == thread && !(s & kAgent)) ||
           handed_over(s, side, of, a, bytes);
}

enum class CellsOutcome { unclear, noted, settled };

/// A read of `n` pieces: whether it is ordered; it is then recorded. Settled: further readers change nothing.
WARPWRIGHT_WIDE CellsOutcome read_cells(const Cells& c, std::uint64_t i, std::uint64_t n, std::uint64_t thread,
                                        unsigned shift, const Accessor& a) {
    const auto unclear = [&](const SharedWord<Stamp>* words) WARPWRIGHT_BY_VECTORS __attribute__((always_inline)) {
        const auto* s = plain(words);
        return recent(s + i, n, a.key, a.base) &&
               unknown(s + i, n, a.key, thread, shift, a.base, a.warp, a.warp_base, a.others_known);
    };
    if (unclear(c.written)) return CellsOutcome::unclear;
    const Stamp mine = a.key | thread << kThreadShift | a.tick;
    auto *read = plain(c.read + i), *read_too = plain(c.read_too + i);
    auto *read_side = plain(c.read_side + i), *read_too_side = plain(c.read_too_side + i);
    if (!recent(read, n, a.key, a.base)) {
        put_stamps(read, read_side, n, mine, shift, a.side);
    } else if (!lacks_readers(read, read_too, n, a.key, a.base, a.others_known)) {
        if (a.may_settle && settled(plain(c.written + i), read, read_too, n, a)) return CellsOutcome::settled;
    } else if (!unclear(c.read)) {
        put_stamps(read, read_side, n, mine, shift, a.side);
    } else {
        keep_readers(read, read_too, read_side, read_too_side, n, a.key, mine, shift, a.side, a.others_known);
    }
    return CellsOutcome::noted;
}

/// A write of them; recorded if `note`.
WARPWRIGHT_WIDE bool write_cells(const Cells& c, std::uint64_t i, std::uint64_t n, std::uint64_t thread, unsigned shift,
                                 const Accessor& a, bool note) {
    const auto known = [&](const SharedWord<Stamp>* words) WARPWRIGHT_BY_VECTORS __attribute__((always_inline)) {
        const auto* s = plain(words);
        return recent(s + i, n, a.key, a.base) == 0 ||
               unknown(s + i, n, a.key, thread, shift, a.base, a.warp, a.warp_base, a.others_known) == 0;
    };
    if (!known(c.written)) return false;
    const bool were_read = any_of_launch(plain(c.read + i), n, a.key) != 0;
    if (were_read && (!known(c.read) || !known(c.read_too))) return false;
    if (!note) return true;
    if (were_read) {
        auto *read = plain(c.read + i), *read_too = plain(c.read_too + i);
        for (std::uint64_t k = 0; k < n; ++k) read[k] = read_too[k] = 0;
    }
    put_stamps(plain(c.written + i), plain(c.written_side + i), n, a.key | thread << kThreadShift | a.tick | a.also,
               shift, a.side);
    return true;
}

}  // namespace

WARPWRIGHT_BY_VECTORS bool Shadow::read_enough(const Cells& c, std::uint64_t first, std::uint64_t count,
                                               const Accessor& a) const {
    return settled(plain(c.written + first), plain(c.read + first), plain(c.read_too + first), count, a) != 0;
}

void Shadow::settle(std::uint64_t from, std::uint64_t bytes, const Accessor& a) {
    const auto mark = quiet_mark(a.epoch);
    for (auto k = from >> 2; k <= (from + bytes - 1) >> 2; ++k) __atomic_store_n(quiet_ + k, mark, __ATOMIC_RELAXED);
}

/// Whether the line is in one piece, or can be joined: its pieces have accesses of earlier launches only.
bool Shadow::whole(std::uint64_t line, const Accessor& a, std::uint16_t& form) {
    auto& l = lines_[line];
    form = l.form.acquire();
    if (form & Line::kBusy) return false;
    if (!(form & Line::kApart)) return true;
    if ((l.written ^ a.key) >> stale_shift_ == 0) return false;
    l.written = l.read = l.read_too = 0;
    if (!change_form(l, form, form & 0xfff)) return false;
    form &= 0xfff;
    return true;
}

/// A read that is in order, as note_read() records one of each word.
Shadow::Outcome Shadow::note_newest(Line& l, std::uint16_t forms, std::uint64_t thread, unsigned form,
                                    const Accessor& a) {
    const Stamp mine = a.key | thread << kThreadShift | a.tick;
    const Reader last{stamp_in(l.read), l.read_side, 1}, other{stamp_in(l.read_too), l.read_too_side, 2};
    const auto alike = [&](const Reader& r) { return form_of(forms, r.which) == form; };
    const auto before = [&](const Reader& r) {
        return (alike(r) && (r.stamp ^ mine) >> kThreadShift == 0) || known_to_warp(r.stamp, a);
    };
    // Some of its words may have the same thread.
    const auto mixed = [&](const Reader& r) {
        return r.stamp && !alike(r) && (r.stamp ^ mine) >> (kThreadShift + 5) == 0 && !known_to_warp(r.stamp, a);
    };
    if (mixed(last) || mixed(other)) return Outcome::unclear;
    auto to = with_form(forms, 1, form);
    if (last.stamp && keeps_last(last, [&] { return other; }, {mine, a.side}, before)) {
        l.read_too = last.stamp, l.read_too_side = last.side;
        to = with_form(to, 2, form_of(forms, 1));
    }
    l.read = mine, l.read_side = a.side;
    return change_form(l, forms, to) ? Outcome::noted : Outcome::split;
}

/// A read of a whole line or row, `bytes` from the offset `from` on, whose record was found in the state `forms`.
Shadow::Outcome Shadow::read_piece(Line& l, std::uint16_t forms, std::uint64_t from, std::uint64_t bytes,
                                   std::uint64_t thread, unsigned form, const Accessor& a) {
    const auto w = stamp_in(l.written), r = stamp_in(l.read), too = stamp_in(l.read_too);
    if (!known_in_piece(w, l.written_side, form_of(forms, 0), thread, form, a, bytes)) return Outcome::unclear;
    if (a.newest) return note_newest(l, forms, thread, form, a);
    const Stamp mine = a.leaves ? a.leaves : a.key | thread << kThreadShift | a.tick;
    auto to = with_form(forms, 1, form);
    if (is_recent(r, a) && !(a.others_known && (r ^ a.key) >> kBlockShift)) {
        if (enough_readers(r, too, a)) return Outcome::noted;
        const bool own = (r ^ a.key) >> kBlockShift == 0,
                   differs = r >> kThreadShift != mine >> kThreadShift || form_of(forms, 1) != form;
        if (differs && !known_to_warp(r, a) && !(own && of_another_block(too, a.key, a.others_known))) {
            l.read_too = r, l.read_too_side = Side{l.read_side};
            to = with_form(to, 2, form_of(forms, 1));
        }
    }
    l.read = mine, l.read_side = a.side;
    if (!change_form(l, forms, to)) return Outcome::split;
    const Stamp now = l.read, now_too = l.read_too;
    if (a.may_settle && settled(&w, &now, &now_too, 1, a)) settle(from, bytes, a);
    return Outcome::noted;
}

/// The same for a write.
Shadow::Outcome Shadow::write_piece(Line& l, std::uint16_t forms, std::uint64_t from, std::uint64_t bytes,
                                    std::uint64_t thread, unsigned form, const Accessor& a) {
    const Stamp stamps[3] = {l.written, l.read, l.read_too};
    const Side sides[3] = {l.written_side, l.read_side, l.read_too_side};
    for (unsigned k = 0; k < 3; ++k)
        if (!known_in_piece(stamp_in(stamps[k]), sides[k], form_of(forms, k), thread, form, a, bytes))
            return Outcome::unclear;
    return make_whole(l, forms, from, bytes, thread, form, a) ? Outcome::noted : Outcome::split;
}

bool Shadow::read_line(std::uint64_t index, std::uint64_t thread, unsigned form, const Accessor& a) {
    std::uint16_t forms = 0;
    const auto from = index << kLineShift;
    const auto outcome =
        whole(index, a, forms) ? read_piece(lines_[index], forms, from, kLine, thread, form, a) : Outcome::split;
    return outcome == Outcome::split ? read_part(index, from, kLine, thread, form, a) : outcome == Outcome::noted;
}

bool Shadow::read_row(std::uint64_t row, std::uint64_t thread, unsigned form, const Accessor& a) {
    auto& r = rows_[row];
    if (const auto forms = r.form.acquire(); !(forms & (Line::kApart | Line::kBusy)))
        if (const auto outcome = read_piece(r, forms, row << kRowShift, kRow, thread, form, a);
            outcome != Outcome::split)
            return outcome == Outcome::noted;
    constexpr auto kLines = kRow / kLine;
    by_lines(row * kLines, a.key);
    for (std::uint64_t j = 0; j < kLines; ++j)
        if (!read_line(row * kLines + j, thread + (j << kLineShift >> form), std::min(form, kLineShift), a))
            return false;
    return true;
}

/// A row that was taken apart before this launch is joined, and nothing of it is lost: none of what its lines know is
/// newer than this write.
bool Shadow::write_row(std::uint64_t row, std::uint64_t thread, unsigned form, const Accessor& a) {
    auto& r = rows_[row];
    auto outcome = Outcome::split;
    if (const auto forms = r.form.acquire(); !(forms & (Line::kApart | Line::kBusy)))
        outcome = write_piece(r, forms, row << kRowShift, kRow, thread, form, a);
    else if ((forms & Line::kApart) && (r.written ^ a.key) >> stale_shift_)
        outcome = make_whole(r, forms, row << kRowShift, kRow, thread, form, a) ? Outcome::noted : Outcome::split;
    if (outcome != Outcome::split) return outcome == Outcome::noted;
    constexpr auto kLines = kRow / kLine;
    by_lines(row * kLines, a.key);
    for (std::uint64_t j = 0; j < kLines; ++j)
        if (!write_line(row * kLines + j, thread + (j << kLineShift >> form), std::min(form, kLineShift), a))
            return false;
    return true;
}

bool Shadow::make_whole(Line& l, std::uint16_t from, std::uint64_t at, std::uint64_t bytes, std::uint64_t thread,
                        unsigned form, const Accessor& a) {
    l.read = l.read_too = 0;
    l.written = a.leaves ? a.leaves : a.key | thread << kThreadShift | a.tick | a.also, l.written_side = a.side;
    for (auto line = at >> kLineShift; line < (at + bytes) >> kLineShift; ++line) no_longer_quiet(line);
    return change_form(l, from, with_form(from & 0xfff, 0, form));
}

bool Shadow::write_line(std::uint64_t index, std::uint64_t thread, unsigned form, const Accessor& a) {
    std::uint16_t forms = 0;
    const auto from = index << kLineShift;
    const auto outcome =
        whole(index, a, forms) ? write_piece(lines_[index], forms, from, kLine, thread, form, a) : Outcome::split;
    return outcome == Outcome::split ? write_part(index, from, kLine, thread, form, a) : outcome == Outcome::noted;
}

Shadow::Pieces Shadow::pieces(std::uint64_t line, std::uint64_t from, std::uint64_t bytes, unsigned form, Stamp key) {
    take_apart(line, key);
    const auto page = from >> kPageShift;
    if (form < 2 || from % 4) split(page);
    if (split_[page].acquire()) return {&byte_, from, bytes, form};
    return {&word_, from / 4, bytes / 4, form - 2};
}

bool Shadow::read_part(std::uint64_t line, std::uint64_t from, std::uint64_t bytes, std::uint64_t thread, unsigned form,
                       const Accessor& a) {
    if (a.newest) return false;
    if (std::uint16_t forms; whole(line, a, forms)) {
        const auto& l = lines_[line];
        if (known_to_warp(stamp_in(l.written), a) && enough_readers(stamp_in(l.read), stamp_in(l.read_too), a))
            return true;
    }
    if (a.leaves) return false;  // the stamps below are those of threads
    const auto [c, i, n, shift] = pieces(line, from, bytes, form, a.key);
    if (c == &word_) {
        if (const auto quick = read_words(i, n, thread, shift, a); quick != Quick::unclear) {
            if (quick == Quick::enough && a.may_settle && read_enough(word_, i, n, a)) settle(from, bytes, a);
            return true;
        }
    }
    const auto outcome = read_cells(*c, i, n, thread, shift, a);
    if (outcome == CellsOutcome::settled && from % 4 == 0 && bytes % 4 == 0) settle(from, bytes, a);
    return outcome != CellsOutcome::unclear;
}

bool Shadow::write_part(std::uint64_t line, std::uint64_t from, std::uint64_t bytes, std::uint64_t thread,
                        unsigned form, const Accessor& a) {
    const auto [c, i, n, shift] = pieces(line, from, bytes, form, a.key);
    const bool all = bytes == kLine;
    if (!all && c == &word_ && write_words(i, n, thread, shift, a)) {
        no_longer_quiet(line);
        return true;
    }
    if (!write_cells(*c, i, n, thread, shift, a, !all)) return false;
    if (all) {
        const auto forms = lines_[line].form.acquire();
        if ((forms & Line::kApart) && make_whole(lines_[line], forms, from, kLine, thread, form, a))
            return true;  // in one piece again
        (void)write_cells(*c, i, n, thread, shift, a, true);
    }
    no_longer_quiet(line);
    return true;
}

bool Shadow::read_run(std::uint64_t at, std::uint64_t bytes, unsigned each, unsigned first, const Accessor& a) {
    if (calm_.on_) before_read(at, bytes);
    const auto offset = at - start_, end = offset + bytes;
    visit(offset, bytes, a.key);
    const auto form = static_cast<unsigned>(__builtin_ctz(each));
    for (auto from = offset; from < end;) {
        const auto thread = a.warp * 32 + first + ((from - offset) >> form);
        if (is_row(from, end, form)) {
            if (!read_row(from >> kRowShift, thread, form, a)) return false;
            from += kRow;
            continue;
        }
        const auto line = from >> kLineShift, to = std::min(end, (line + 1) << kLineShift);
        by_lines(line, a.key);
        const bool fine =
            to - from == kLine ? read_line(line, thread, form, a) : read_part(line, from, to - from, thread, form, a);
        if (!fine) return false;
        from = to;
    }
    return true;
}

bool Shadow::write_run(std::uint64_t at, std::uint64_t bytes, unsigned each, unsigned first, const Accessor& a) {
    if (calm_.on_) before_write(at, bytes);
    const auto offset = at - start_, end = offset + bytes;
    visit(offset, bytes, a.key);
    const auto form = static_cast<unsigned>(__builtin_ctz(each));
    for (auto from = offset; from < end;) {
        const auto thread = a.warp * 32 + first + ((from - offset) >> form);
        if (is_row(from, end, form)) {
            if (!write_row(from >> kRowShift, thread, form, a)) return false;
            from += kRow;
            continue;
        }
        const auto line = from >> kLineShift, to = std::min(end, (line + 1) << kLineShift);
        by_lines(line, a.key);
        const bool fine =
            to - from == kLine ? write_line(line, thread, form, a) : write_part(line, from, to - from, thread, form, a);
        if (!fine) return false;
        from = to;
    }
    return true;
}

template <bool kStore>
std::uint64_t Shadow::long_access(std::uint64_t at, std::uint64_t bytes, unsigned lane, const Accessor& a) {
    constexpr unsigned kRowForm = kRowShift, kLineForm = kLineShift;
    const std::uint64_t thread = std::uint64_t{a.warp} * 32 + lane;
    const auto offset = at - start_, end = offset + bytes;
    auto from = offset;
    while (from % kLine == 0 && end - from >= kLine) {
        const bool row = has_rows_ && from % kRow == 0 && end - from >= kRow;
        if (calm_.on_)
            kStore ? before_write(start_ + from, row ? kRow : kLine) : before_read(start_ + from, row ? kRow : kLine);
        visit(from, 1, a.key);
        if (row && (kStore ? write_row(from >> kRowShift, thread, kRowForm, a)
                           : read_row(from >> kRowShift, thread, kRowForm, a))) {
            from += kRow;
            continue;
        }
        const auto line = from >> kLineShift;
        by_lines(line, a.key);
        if (!(kStore ? write_line(line, thread, kLineForm, a) : read_line(line, thread, kLineForm, a))) break;
        from += kLine;
    }
    return from - offset;
}

std::uint64_t Shadow::read_long(std::uint64_t at, std::uint64_t bytes, unsigned lane, const Accessor& a) {
    return long_access<false>(at, bytes, lane, a);
}

std::uint64_t Shadow::write_long(std::uint64_t at, std::uint64_t bytes, unsigned lane, const Accessor& a) {
    return long_access<true>(at, bytes, lane, a);
}

}  // namespace warpwright::shadow

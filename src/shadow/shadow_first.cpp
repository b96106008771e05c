// The usual access of a kernel that touches memory once, or once between two barriers: whole rows and lines in which no
// other thread has been since. What read_run() and write_run() would find after several tests, one look at the record
// of each tells here.
#include "shadow/shadow_known.hpp"

namespace warpwright::shadow {

/// The first thread of the piece, which has `bytes` from the offset `from` on, leaves `mine`.
inline bool Shadow::first_in_piece(Line& l, std::uint64_t from, std::uint64_t bytes, Stamp mine, const FirstAccess& a) {
    const auto forms = l.form.acquire();
    if (forms & (Line::kApart | Line::kBusy)) return false;
    const auto recent = [&](Stamp s) {
        return (s & ~kThreadBits) - a.key > a.base && (s ^ a.key) >> kGenerationShift == 0 &&
               !(a.others_known && (s ^ a.key) >> kBlockShift);
    };
    const auto known = [&](Stamp s, unsigned k) {
        return !recent(s) || ((s ^ mine) >> kThreadShift == 0 && form_of(forms, k) == a.form && !(s & kAgent));
    };
    if (!known(l.written, 0) || !known(l.read, 1)) return false;
    if (!a.store) {
        // (With two readers the piece may become quiet.)
        if (recent(l.read_too)) return false;
        l.read = mine, l.read_side = a.side;
        return change_form(l, forms, with_form(forms, 1, a.form));
    }
    if (!known(l.read_too, 2)) return false;
    // (A row that nobody has read is not quiet.)
    if (bytes < kRow || l.read || l.read_too) {
        for (auto line = from >> kLineShift; line < (from + bytes) >> kLineShift; ++line) no_longer_quiet(line);
        l.read = l.read_too = 0;
    }
    l.written = mine, l.written_side = a.side;
    return change_form(l, forms, with_form(forms, 0, a.form));
}

bool Shadow::first_in_pieces(std::uint64_t at, std::uint64_t bytes, unsigned thread, const FirstAccess& a) {
    const auto offset = at - start_, end = offset + bytes;
    if (offset % kLine || bytes % kLine) return false;
    if (a.store && calm_.on_) before_write(at, bytes);
    const bool first = visit(offset, bytes, a.key);
    if (first && a.store && a.ask_written && has_rows_) bits_[offset / 8].touch();
    for (auto from = offset; from < end;) {
        const bool row = is_row(from, end, a.form);
        const auto piece = row ? kRow : kLine;
        if (!row) by_lines(from >> kLineShift, a.key);
        const bool written = !a.ask_written || all_are(plain(bits_) + from / 8, piece / 8, 0xff, 0xff);
        if (!written && !a.store) return false;
        const Stamp mine = a.key | (Stamp{thread} + ((from - offset) >> a.form)) << kThreadShift | a.tick;
        if (!first_in_piece(row ? rows_[from >> kRowShift] : lines_[from >> kLineShift], from, piece, mine, a))
            return false;
        if (!written) set_written(start_ + from, piece);
        from += piece;
    }
    return true;
}

}  // namespace warpwright::shadow

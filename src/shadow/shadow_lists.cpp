// Lines whose words single lanes of one block have read, or have written, at one time and by one instruction, and
// nobody else in this launch: columns, gathers, the odd lanes of a branch. Stamps for each word take ten bytes for
// every four of memory, which are mostly touched for the first time, and that costs more than all tests. The line's own
// record has a list of the threads instead. Whoever accesses it in another way takes it apart first, as if each word
// had had its stamp from the start.
//
// While a line is listed its record has:
//   written         the mark of lines that are apart
//   written_side    the side of the accesses
//   read            their stamp, but for the thread
//   read_too        the threads' numbers in the block, by word: the lower 8 bits of each
//   read_side       the upper 2 bits of each
//   read_too_side   a bit for each word that is in the list; bit 8: stores
#include <algorithm>
#include <bit>
#include <cstring>

#include "shadow/shadow_known.hpp"

namespace warpwright::shadow {

namespace {

constexpr unsigned kWordBits = 8, kHighBits = 2, kStores = 1u << 8;

constexpr std::uint64_t thread_in(std::uint64_t low, unsigned high, unsigned word) {
    return (low >> kWordBits * word & 0xff) | std::uint64_t{high >> kHighBits * word & 3} << kWordBits;
}

}  // namespace

/// False where accesses of this launch are known of the line: it is then as it was.
bool Shadow::begin_list(Line& l, bool store, const Accessor& a) const {
    const auto in_launch = [&] {
        const auto of = [&](Stamp s) { return (s ^ a.key) >> kGenerationShift == 0; };
        return of(l.written) || of(l.read) || of(l.read_too);
    };
    std::uint16_t forms = 0;
    if (a.leaves || a.also || in_launch() || !begin_split(l, forms, a.key)) return false;
    if (forms & Line::kListed || in_launch()) {
        l.form.release(forms);
        return false;
    }
    l.written = mark_of(a.key), l.written_side = a.side;
    l.read = a.key | a.tick;
    l.read_too = 0, l.read_side = 0;
    l.read_too_side = static_cast<Side>(store ? kStores : 0);
    l.form.release(static_cast<std::uint16_t>((forms & 0xfff) | Line::kApart | Line::kListed));
    return true;
}

/// Whether the line has the list of this access still: what was added before is in it.
bool Shadow::still_lists(const Line& l, const Accessor& a) {
    return (l.form.acquire() & Line::kStates) == (Line::kApart | Line::kListed) && l.read == (a.key | a.tick);
}

/// Whether such an access may add to the line's list.
bool Shadow::continues_list(std::uint64_t line, bool store, const Accessor& a) const {
    // (The row may have been forgotten meanwhile. The line's record is looked at behind it: it may never have been
    // used.)
    const auto& row = rows_[line >> (kRowShift - kLineShift)];
    if ((row.form.acquire() & Line::kStates) != Line::kApart || (row.written ^ a.key) >> stale_shift_) return false;
    const auto& l = lines_[line];
    return still_lists(l, a) && l.written_side == a.side && lists_stores(l) == store &&
           !split_[line >> (kPageShift - kLineShift)].acquire();
}

/// False: another thread has been at one of the words, or the line has no longer the list of this access.
bool Shadow::add_to_list(Line& l, unsigned word, unsigned count, std::uint64_t thread, const Accessor& a) {
    if (thread >> (kWordBits + kHighBits) || l.read != (a.key | a.tick)) return false;
    auto low = std::uint64_t{l.read_too};
    unsigned high = l.read_side, have = l.read_too_side;
    const unsigned wanted = ((1u << count) - 1) << word;
    for (auto k = word; k < word + count; ++k) {
        if (have >> k & 1 && thread_in(low, high, k) != thread) return false;
        low |= (thread & 0xff) << kWordBits * k;
        high |= static_cast<unsigned>(thread >> kWordBits) << kHighBits * k;
    }
    if ((have & wanted) != wanted) {
        l.read_too = low, l.read_side = static_cast<Side>(high);
        l.read_too_side.publish_bits(static_cast<Side>(wanted));
    }
    return still_lists(l, a);
}

/// Lanes of one warp that have each a word of the line: `low` has the lower bits of their threads, by word.
bool Shadow::list_words(std::uint64_t line, unsigned words, std::uint64_t low, bool store, const Accessor& a) {
    auto& l = lines_[line];
    if (!continues_list(line, store, a)) {
        visit(line << kLineShift, 1, a.key);
        by_lines(line, a.key);
        std::uint16_t forms = 0;
        if (split_[line >> (kPageShift - kLineShift)].acquire() || !whole(line, a, forms) || !begin_list(l, store, a))
            return false;
    }
    const unsigned have = l.read_too_side, high = a.warp >> (kWordBits - 5);
    unsigned highs = 0;
    for (auto rest = words; rest; rest &= rest - 1) {
        const auto word = static_cast<unsigned>(std::countr_zero(rest));
        highs |= high << kHighBits * word;
        if (have >> word & 1 && thread_in(l.read_too, l.read_side, word) != thread_in(low, highs, word)) return false;
    }
    if ((have & words) != words) {
        l.read_too = l.read_too | low, l.read_side = static_cast<Side>(l.read_side | highs);
        l.read_too_side.publish_bits(static_cast<Side>(words));
    }
    return still_lists(l, a);
}

/// Lanes of 4 bytes each that are close to each other, as far as their lines have lists that they may be added to:
/// returns those.
std::uint64_t Shadow::list_together(const std::uint64_t* at, std::uint64_t mask, bool store, const Accessor& a) {
    constexpr unsigned kLines = 8, kWords = kLine / 4;
    if (!has_rows_ || mask >> 32 || a.leaves || a.also) return 0;
    std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto here = at[std::countr_zero(rest)];
        lowest = std::min(lowest, here), highest = std::max(highest, here);
    }
    const auto first = (lowest - start_) >> kLineShift;
    if (((highest - start_) >> kLineShift) - first >= kLines) return 0;
    std::uint8_t low[kLines * kWords] = {}, lane_of[kLines * kWords];
    std::uint64_t words = 0, twice = 0;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const auto word = static_cast<unsigned>((at[lane] - start_ - (first << kLineShift)) >> 2);
        twice |= words & std::uint64_t{1} << word;
        words |= std::uint64_t{1} << word;
        low[word] = static_cast<std::uint8_t>(a.warp * 32 + lane);
        lane_of[word] = static_cast<std::uint8_t>(lane);
    }
    if (twice) return 0;
    std::uint64_t done = 0;
    for (unsigned line = 0; line < kLines; ++line) {
        const auto its = static_cast<unsigned>(words >> kWords * line & 0xff);
        if (!its) continue;
        std::uint64_t threads;
        std::memcpy(&threads, low + kWords * line, sizeof threads);
        if (!list_words(first + line, its, threads, store, a)) continue;
        for (auto rest = its; rest; rest &= rest - 1)
            done |= std::uint64_t{1} << lane_of[kWords * line + static_cast<unsigned>(std::countr_zero(rest))];
    }
    return done;
}

/// The stamp that the list has of a word; 0: none. A host thread that accesses the whole line at this moment may have
/// written into the record before it sees that the line is listed: what is no list then has no words.
Stamp Shadow::listed(const Line& l, unsigned word) {
    if (!(l.read_too_side.acquire() >> word & 1)) return 0;
    const Stamp stamp = l.read;
    if (stamp & kThreadBits || mark_of(stamp) != l.written) return 0;
    return stamp | thread_in(l.read_too, l.read_side, word) << kThreadShift;
}

bool Shadow::lists_stores(const Line& l) { return l.read_too_side & kStores; }

/// Each word gets the stamp that the list has of it, or each of its bytes where those are kept.
void Shadow::put_listed(std::uint64_t index) const {
    const auto& l = lines_[index];
    const bool in_bytes = split_[index >> (kPageShift - kLineShift)].acquire();
    const auto& c = in_bytes ? byte_ : word_;
    const std::uint64_t pieces = in_bytes ? 4 : 1, from = index * (kLine / 4) * pieces, count = kLine / 4 * pieces;
    const bool stores = lists_stores(l);
    auto* const to = stores ? c.written : c.read;
    auto* const to_side = stores ? c.written_side : c.read_side;
    to[from].touch(), to_side[from].touch();
    for (auto* const stamps : {c.written, c.read, c.read_too})
        for (auto i = from; i < from + count; ++i)
            if (stamps[i]) stamps[i] = 0;
    for (std::uint64_t i = 0; i < count; ++i)
        if (const auto stamp = listed(l, static_cast<unsigned>(i / pieces)))
            put_stamp(to[from + i], to_side[from + i], stamp, l.written_side);
}

}  // namespace warpwright::shadow

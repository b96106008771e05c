// This file reserves and clears the arrays, keeps the marks of written bytes, and splits lines into words and bytes.
// The accesses themselves are checked in files of their own, by lanes, by runs and through the log of deferred reads.
#include "shadow/shadow.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <type_traits>

#include "host/memory.hpp"

namespace warpwright::shadow {

namespace {

constexpr std::uint64_t kPage = std::uint64_t{1} << Shadow::kPageShift;

}  // namespace

template <class Place>
void Shadow::each_array(bool small, Place&& place) {
    const std::uint64_t words = bytes_ / 4, marks = words + 8;  // all_are() reads up to 7 marks behind the last
    const auto place_cells = [&](Cells& cells, std::uint64_t pieces) {
        place(cells.written, pieces), place(cells.read, pieces), place(cells.read_too, pieces);
        place(cells.written_side, pieces), place(cells.read_side, pieces), place(cells.read_too_side, pieces);
    };
    place(rows_, small ? 0 : bytes_ >> kRowShift);
    place(lines_, bytes_ >> kLineShift);
    place(quiet_, marks);
    place_cells(word_, words);
    place_cells(byte_, bytes_);
    place(split_, bytes_ / kPage + 1);
    place(visited_, bytes_ / kPage + 1);
    place(bits_, bytes_ / 8);
    place(calm_.states, small ? marks : 0);
}

Result<std::unique_ptr<Shadow>> Shadow::reserve(std::uint64_t start, std::uint64_t bytes) {
    std::unique_ptr<Shadow> s(new Shadow);
    s->start_ = start;
    // A block's own memory is small, and many blocks run: their arrays are packed together.
    const bool small = bytes < (std::uint64_t{1} << 20);
    const auto rounded = [&](std::uint64_t x) {
        return (x + (small ? kLine : kPage) - 1) & ~((small ? kLine : kPage) - 1);
    };
    s->bytes_ = rounded(bytes + (small ? kLine : kPage));
    s->each_array(small, [&](auto* array, std::uint64_t count) { s->mapped_ += rounded(count * sizeof *array); });
    void* p = ::mmap(nullptr, s->mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return Error{ErrorKind::limit,
                     "cannot reserve " + std::to_string(s->mapped_ >> 30) +
                         " GiB of address space for the checkers: " + std::strerror(errno),
                     {},
                     "raise the limit on address space (ulimit -v)"};
    s->map_ = static_cast<std::uint8_t*>(p);
    host::prefer_large_pages(p, s->mapped_, false);
    s->has_rows_ = !small;
    std::uint8_t* free = s->map_;
    s->each_array(small, [&](auto*& array, std::uint64_t count) {
        array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(free);
        free += rounded(count * sizeof *array);
    });
    return s;
}

Shadow::~Shadow() { ::munmap(map_, mapped_); }

/// Large pages save much time for kernels that use much memory, since the system clears each small one by itself. Of
/// those that use little the system would clear a large page for each array, which takes longer than the kernel.
void Shadow::expect(std::uint64_t at, std::uint64_t bytes) {
    constexpr std::uint64_t kLarge = std::uint64_t{2} << 20;
    // The system has a limit on the number of stretches with pages of another kind.
    constexpr unsigned kMostOften = 512;
    if (bytes < kLarge || expected_ > kMostOften) return;
    if (++expected_ > kMostOften) return host::prefer_large_pages(map_, mapped_, true);
    const auto first = at - start_, last = std::min(first + bytes, bytes_);
    each_array(!has_rows_, [&](auto* array, std::uint64_t count) {
        const auto place = [&](std::uint64_t byte) {
            const auto part = static_cast<double>(byte) / static_cast<double>(bytes_);
            return reinterpret_cast<std::uint64_t>(array) +
                   static_cast<std::uint64_t>(part * static_cast<double>(count)) * sizeof *array;
        };
        // A large page at an end is worth it from half of it on.
        const auto from = (place(first) + kLarge / 2) / kLarge * kLarge,
                   to = std::min((place(last) + kLarge / 2) / kLarge * kLarge,
                                 reinterpret_cast<std::uint64_t>(map_) + mapped_);
        if (to > from) host::prefer_large_pages(reinterpret_cast<void*>(from), to - from, true);
    });
}

namespace {

/// Sets [first, last) of an array to a value. Other threads may be at work beside it, and in the same place where a
/// kernel races with itself.
void fill(void* array, std::uint64_t first, std::uint64_t last, std::uint8_t value) {
    auto* p = static_cast<std::uint8_t*>(array);
    const std::uint64_t eight = 0x0101010101010101u * value;
    while (first < last && reinterpret_cast<std::uintptr_t>(p + first) % 8)
        __atomic_store_n(p + first++, value, __ATOMIC_RELAXED);
    for (; first + 8 <= last; first += 8)
        __atomic_store_n(reinterpret_cast<std::uint64_t*>(p + first), eight, __ATOMIC_RELAXED);
    while (first < last) __atomic_store_n(p + first++, value, __ATOMIC_RELAXED);
}

/// Zeros [first, last) of an array; if there are many whole pages, they are returned to the system.
void zero(void* array, std::uint64_t first, std::uint64_t last) {
    auto* p = static_cast<std::uint8_t*>(array);
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    if (last - first >= 16 * page) {
        const auto from =
            (reinterpret_cast<std::uint64_t>(p) + first + page - 1) / page * page - reinterpret_cast<std::uint64_t>(p);
        const auto to = (reinterpret_cast<std::uint64_t>(p) + last) / page * page - reinterpret_cast<std::uint64_t>(p);
        (void)host::give_back(p + from, to - from);
        fill(p, first, from, 0);
        fill(p, to, last, 0);
        return;
    }
    fill(p, first, last, 0);
}

}  // namespace

void Shadow::forget(std::uint64_t at, std::uint64_t bytes) {
    if (bytes == 0) return;
    expect(at, bytes);
    // Split lines get new stamps before they are read, so the lines are enough.
    const auto first = (at - start_) >> kLineShift, last = (at - start_ + bytes + kLine - 1) >> kLineShift;
    forget_lines(first, last);
    zero(quiet_, first * (kLine / 4), last * (kLine / 4));
    clear_written(at, bytes);
}

void Shadow::forget_lines(std::uint64_t first, std::uint64_t last) {
    const auto zero_lines = [&](std::uint64_t from, std::uint64_t to) {
        zero(lines_, from * sizeof(Line), to * sizeof(Line));
    };
    if (!has_rows_) return zero_lines(first, last);
    constexpr auto kLines = kRow / kLine;
    // The lines of a whole row are not read.
    const auto from = (first + kLines - 1) / kLines, to = std::max(from, last / kLines);
    zero(rows_, from * sizeof(Line), to * sizeof(Line));
    const auto part = [&](std::uint64_t begin, std::uint64_t end) {
        if (begin >= end) return;
        const auto& r = rows_[begin / kLines];
        if (!(r.form.acquire() & Line::kApart)) {
            const Stamp read = stamp_in(r.read);
            take_row_apart(begin / kLines, read ? read : stamp_in(r.written));
        }
        zero_lines(begin, end);
    };
    part(first, std::min(last, from * kLines));
    part(std::max(first, to * kLines), last);
}

void Shadow::forget_accesses() {
    const auto lines = bytes_ >> kLineShift;
    if (has_rows_) zero(rows_, 0, (bytes_ >> kRowShift) * sizeof(Line));
    zero(lines_, 0, lines * sizeof(Line));
    zero(visited_, 0, (bytes_ / kPage + 1) * sizeof *visited_);
    forget_quiet();
}

void Shadow::forget_quiet() { zero(quiet_, 0, bytes_ / 4); }

void Shadow::set_written(std::uint64_t at, std::uint64_t bytes) {
    if (bytes == 0) return;
    const auto first = at - start_, last = first + bytes;
    const auto part = [&](std::uint64_t byte, unsigned mask) {
        // Other host threads may write neighbours at this moment.
        if ((bits_[byte] & mask) != mask) bits_[byte].set_bits(static_cast<std::uint8_t>(mask));
    };
    const auto from = (first + 7) / 8, to = last / 8;
    if (from > to) return part(first / 8, ((1u << bytes) - 1) << first % 8);
    if (first % 8) part(first / 8, 0xffu << first % 8 & 0xff);
    if (to > from) fill(bits_, from, to, 0xff);
    if (last % 8) part(to, (1u << last % 8) - 1);
}

bool Shadow::is_written(std::uint64_t at, std::uint64_t bytes) const {
    if (bytes == 0) return true;
    const auto first = at - start_, last = first + bytes;
    const auto part = [&](std::uint64_t byte, unsigned mask) { return (bits_[byte] & mask) == mask; };
    const auto from = (first + 7) / 8, to = last / 8;
    if (from > to) return part(first / 8, ((1u << bytes) - 1) << first % 8);
    if (first % 8 && !part(first / 8, 0xffu << first % 8 & 0xff)) return false;
    if (last % 8 && !part(to, (1u << last % 8) - 1)) return false;
    return from == to || all_are(plain(bits_) + from, to - from, 0xff, 0xff);
}

bool Shadow::is_blank(std::uint64_t at, std::uint64_t bytes) const {
    unsigned any = 0;
    for (auto k = (at - start_) / 8, to = k + bytes / 8; k < to; ++k) any |= bits_[k];
    return any == 0;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> Shadow::unwritten(std::uint64_t at, std::uint64_t bytes,
                                                                       std::size_t most) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
    // False where there are as many stretches as are wanted.
    const auto add = [&](std::uint64_t from, std::uint64_t n) {
        if (!out.empty() && out.back().first + out.back().second == from) {
            out.back().second += n;
            return true;
        }
        if (out.size() == most) return false;
        out.emplace_back(from, n);
        return true;
    };
    for (std::uint64_t k = 0; k < bytes;) {
        // Whole pages at a time, where all marks are alike, then whole bytes of marks.
        const auto n = std::min<std::uint64_t>(bytes - k, kPage);
        const bool even = (at + k - start_) % 8 == 0 && n % 8 == 0;
        if (n >= 8 && is_written(at + k, n)) {
            k += n;
            continue;
        }
        if (even && is_blank(at + k, n)) {
            if (!add(at + k, n)) return out;
            k += n;
            continue;
        }
        for (const auto end = k + n; k < end;) {
            const auto byte = at + k - start_;
            const unsigned marks = bits_[byte / 8];
            const bool whole = byte % 8 == 0 && end - k >= 8 && (marks == 0 || marks == 0xff);
            const std::uint64_t step = whole ? 8 : 1;
            if (!(marks >> byte % 8 & 1) && !add(at + k, step)) return out;
            k += step;
        }
    }
    return out;
}

std::pair<Stamp, Side> Shadow::last_write(std::uint64_t at) const {
    const auto offset = at - start_;
    if (const auto& r = rows_[offset >> kRowShift]; has_rows_ && !(r.form.acquire() & Line::kApart))
        return {stamp_in(r.written), r.written_side};
    const auto& l = lines_[offset >> kLineShift];
    const auto form = l.form.acquire();
    if (!(form & Line::kApart)) return {stamp_in(l.written), l.written_side};
    if (form & Line::kListed)
        return {lists_stores(l) ? listed(l, static_cast<unsigned>(offset % kLine / 4)) : 0, l.written_side};
    const bool bytes = split_[offset >> kPageShift].acquire() != 0;
    const auto& c = bytes ? byte_ : word_;
    const auto i = bytes ? offset : offset / 4;
    return {c.written[i], c.written_side[i]};
}

std::pair<Stamp, Side> Shadow::last_writer(std::uint64_t at) const {
    const auto offset = at - start_;
    const auto& l = lines_[offset >> kLineShift];
    auto [s, side] = last_write(at);
    if (const auto form = l.form.acquire(); s && !(form & Line::kApart) && !(s & kAgent))
        s += ((offset & (kLine - 1)) >> form_of(form, 0)) << kThreadShift;
    return {s, side};
}

bool Shadow::no_thread_wrote(std::uint64_t at, std::uint64_t bytes, Stamp key) const {
    const auto end = (at - start_ + bytes + kLine - 1) >> kLineShift;
    for (auto line = (at - start_) >> kLineShift; line < end; ++line) {
        const auto& l = lines_[line];
        const Stamp s = stamp_in(l.written);
        const bool of_thread = s && !(s & kAgent) && (s ^ key) >> kBlockShift == 0;
        if (has_rows_ || (l.form.acquire() & (Line::kApart | Line::kBusy)) || of_thread) return false;
    }
    return true;
}

void Shadow::clear_written(std::uint64_t at, std::uint64_t bytes) {
    const auto first = at - start_, last = first + bytes;
    auto k = first;
    const auto clear = [&](std::uint64_t byte) {
        bits_[byte / 8].clear_bits(static_cast<std::uint8_t>(1u << byte % 8));
    };
    for (; k < last && k % 8; ++k) clear(k);
    const auto whole = last / 8 * 8;
    if (whole > k) zero(bits_, k / 8, whole / 8), k = whole;
    for (; k < last; ++k) clear(k);
}

void Shadow::copy_written(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    for (std::uint64_t k = 0; k < bytes;) {
        // Whole stretches at a time if all is written, which is the usual case.
        const auto n = std::min<std::uint64_t>(bytes - k, kPage);
        if (is_written(from + k, n)) {
            set_written(to + k, n);
            k += n;
            continue;
        }
        for (const auto end = k + n; k < end; ++k)
            is_written(from + k, 1) ? set_written(to + k, 1) : clear_written(to + k, 1);
    }
}

/// The first access of a launch to a page. (All records of its rows lie on one page of their array.)
[[gnu::noinline]] void Shadow::first_visit(std::uint64_t page, std::uint16_t generation) {
    visited_[page] = generation;
    if (has_rows_) rows_[page << (kPageShift - kRowShift)].form.touch();
}

void Shadow::split(std::uint64_t page) {
    if (split_[page].acquire()) return;
    constexpr auto kLines = std::uint64_t{1} << (kPageShift - kLineShift);
    for (auto line = page * kLines; line < std::min((page + 1) * kLines, bytes_ >> kLineShift); ++line) {
        if ((lines_[line].form & (Line::kApart | Line::kListed)) != Line::kApart) continue;
        for (auto k = line << kLineShift; k < (line + 1) << kLineShift; ++k) {
            // (A page is split once, so that its bytes have no stamps before.)
            const auto copy = [w = k / 4, k](const auto* from, const auto* side, auto* to, auto* to_side) {
                if (const Stamp s = from[w]) to[k] = s, to_side[k] = Side{side[w]};
            };
            copy(word_.written, word_.written_side, byte_.written, byte_.written_side);
            copy(word_.read, word_.read_side, byte_.read, byte_.read_side);
            copy(word_.read_too, word_.read_too_side, byte_.read_too, byte_.read_too_side);
        }
    }
    split_[page].release(1);
}

bool Shadow::change_form(Line& l, std::uint16_t from, std::uint16_t to) {
    return from == to ? l.form.acquire() == from : l.form.exchange(from, to);
}

/// False where it is apart already, as this access's block has it marked then. True: `forms` is as it was, and the
/// caller takes it apart. One thread does it: a second one would undo what the first records next.
bool Shadow::begin_split(Line& l, std::uint16_t& forms, Stamp key) const {
    forms = l.form.acquire();
    for (;;) {
        if ((forms & Line::kStates) == Line::kApart) {
            if ((l.written ^ key) >> stale_shift_) l.written = mark_of(key);
            return false;
        }
        if (forms & Line::kBusy) {
            std::this_thread::yield();
            forms = l.form.acquire();
        } else if (l.form.exchange(forms, static_cast<std::uint16_t>(forms | Line::kBusy))) {
            return true;
        }
    }
}

/// Each line gets what the row had.
void Shadow::take_row_apart(std::uint64_t row, Stamp key) {
    auto& r = rows_[row];
    std::uint16_t forms = 0;
    if (!begin_split(r, forms, key)) return;
    constexpr auto kLines = kRow / kLine;
    const Stamp stamps[3] = {stamp_in(r.written), stamp_in(r.read), stamp_in(r.read_too)};
    std::uint16_t to = 0;
    for (unsigned k = 0; k < 3; ++k) to = with_form(to, k, std::min(form_of(forms, k), kLineShift));
    for (std::uint64_t j = 0; j < kLines; ++j) {
        auto& l = lines_[row * kLines + j];
        const auto of_line = [&](unsigned k) {
            const auto s = stamps[k];
            return s && !(s & kAgent) ? s + ((j << kLineShift >> form_of(forms, k)) << kThreadShift) : s;
        };
        l.written = of_line(0), l.read = of_line(1), l.read_too = of_line(2);
        l.written_side = Side{r.written_side}, l.read_side = Side{r.read_side};
        l.read_too_side = Side{r.read_too_side};
        l.form.release(to);
    }
    r.written = mark_of(key);
    r.form.release(static_cast<std::uint16_t>((forms & 0xfff) | Line::kApart));
}

void Shadow::take_apart(std::uint64_t index, Stamp key) {
    auto& l = lines_[index];
    std::uint16_t forms = 0;
    if (!begin_split(l, forms, key)) return;
    if (forms & Line::kListed)
        put_listed(index);
    else
        put_parts(index, forms, key);
    l.written = mark_of(key);
    l.form.release(static_cast<std::uint16_t>((forms & 0xfff) | Line::kApart));
}

/// Whether one of `count` stamps, a multiple of 8, is not zero.
WARPWRIGHT_BY_VECTORS static bool any_stamp(const Stamp* stamps, std::uint64_t count) {
    Stamp any = 0;
    for (auto* const end = stamps + count; stamps != end; stamps += 8)
        for (unsigned i = 0; i < 8; ++i) any |= stamps[i];
    return any != 0;
}

/// Each word of a line gets what the line had, or each byte where those are kept.
void Shadow::put_parts(std::uint64_t index, std::uint16_t forms, Stamp key) {
    const auto& l = lines_[index];
    const auto page = index >> (kPageShift - kLineShift);
    const Stamp stamps[3] = {stamp_in(l.written), stamp_in(l.read), stamp_in(l.read_too)};
    const Side sides[3] = {l.written_side, l.read_side, l.read_too_side};
    const auto live = [&](Stamp x) { return x != 0 && (x ^ key) >> kGenerationShift == 0; };
    for (unsigned k = 0; k < 3; ++k)
        if (live(stamps[k]) && form_of(forms, k) < 2) split(page);
    const unsigned size = split_[page].acquire() ? 0 : 2;
    auto& c = size ? word_ : byte_;
    SharedWord<Stamp>* const to[3] = {c.written, c.read, c.read_too};
    SharedWord<Side>* const to_side[3] = {c.written_side, c.read_side, c.read_too_side};
    const auto n = kLine >> size, from = index * n;
    for (unsigned k = 0; k < 3; ++k) {
        const bool there = live(stamps[k]);
        const auto each = form_of(forms, k);
        if (!there) {
            // The sides of unused stamps are not read. (Mostly these are zero: memory that was never touched is read
            // for less than the system takes to clear it.)
            if (any_stamp(plain(to[k]) + from, n))
                for (std::uint64_t i = 0; i < n; ++i) to[k][from + i] = 0;
            continue;
        }
        for (std::uint64_t i = 0; i < n; ++i) {
            to[k][from + i] = stamps[k] + ((i << size >> each) << kThreadShift);
            to_side[k][from + i] = sides[k];
        }
    }
}

Shadow::Piece Shadow::piece(std::uint64_t at, std::uint64_t bytes, Stamp key, bool writes) {
    const auto offset = at - start_, page = offset >> kPageShift, line = offset >> kLineShift;
    if (calm_.on_) {
        const auto in_line = std::min(bytes, kLine - (offset & (kLine - 1)));
        writes ? before_write(at, in_line) : before_read(at, in_line);
    }
    visit(offset, 1, key);
    by_lines(line, key);
    take_apart(line, key);
    if (writes) no_longer_quiet(line);
    if (!split_[page].acquire()) {
        if (offset % 4 == 0 && bytes >= 4) return {&word_, offset / 4, 4};
        split(page);
    }
    return {&byte_, offset, 1};
}

}  // namespace warpwright::shadow

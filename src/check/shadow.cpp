#include "check/shadow.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

// The loops over a warp's pieces are worth vectors of the widest kind that the CPU has.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WARPWRIGHT_WIDE __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define WARPWRIGHT_WIDE
#endif

namespace warpwright::check {

namespace {

constexpr std::uint64_t kPage = std::uint64_t{1} << Shadow::kPageShift;

std::uint64_t rounded(std::uint64_t x) { return (x + kPage - 1) / kPage * kPage; }

/// Whether any of the stamps is not known to the thread that accesses its piece: 1 = by the block's own rules, 2 = of
/// another block of this launch. Thread of piece i: first + (i >> shift).
WARPWRIGHT_WIDE unsigned unknown(const Stamp* stamps, std::uint64_t count, Stamp key, std::uint64_t first, unsigned shift, std::uint64_t base,
                                 std::uint64_t warp, std::uint64_t warp_base, std::uint64_t others_known) {
    std::uint64_t bad = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto s = stamps[i], d = s ^ key;
        const std::uint64_t same_launch = d >> kGenerationShift == 0, same_block = d >> kBlockShift == 0;
        const std::uint64_t thread = s >> kThreadShift & 1023, tick = s & kLastTick, agent = s >> kTickBits & 1;
        const std::uint64_t known = (tick <= base) | (thread == first + (i >> shift)) | ((thread >> 5 == warp) & (tick <= warp_base));
        bad |= (same_block & (agent | (known ^ 1))) | ((same_launch & (same_block ^ 1) & (others_known ^ 1)) << 1);
    }
    return static_cast<unsigned>(bad);
}

constexpr Stamp kThreadBits = Stamp{1023} << kThreadShift;

/// 0 where each stamp is of another launch, or of this block before its last barrier: mostly all there is to ask.
WARPWRIGHT_WIDE std::uint64_t recent(const Stamp* stamps, std::uint64_t count, Stamp key, std::uint64_t base) {
    std::uint64_t any = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto s = stamps[i];
        any |= static_cast<std::uint64_t>((s & ~kThreadBits) - key > base) & static_cast<std::uint64_t>((s ^ key) >> kGenerationShift == 0);
    }
    return any;
}

WARPWRIGHT_WIDE void put_stamps(Stamp* stamps, Side* sides, std::uint64_t count, Stamp mine, unsigned shift, Side side) {
    for (std::uint64_t i = 0; i < count; ++i) stamps[i] = mine + ((i >> shift) << kThreadShift);
    for (std::uint64_t i = 0; i < count; ++i) sides[i] = side;
}

/// 1 where some stamp is of this launch.
WARPWRIGHT_WIDE std::uint64_t any_of_launch(const Stamp* stamps, std::uint64_t count, Stamp key) {
    std::uint64_t any = 0;
    for (std::uint64_t i = 0; i < count; ++i) any |= (stamps[i] ^ key) >> kGenerationShift == 0;
    return any;
}

/// Two readers of this launch, of two blocks, or of two warps of this block since its last barrier: nothing is gained by
/// noting a third.
inline std::uint64_t enough(Stamp a, Stamp b, Stamp key, std::uint64_t base) {
    const auto x = a ^ key, y = b ^ key, between = a ^ b;
    const std::uint64_t launch = (x | y) >> kGenerationShift == 0, blocks = between >> kBlockShift != 0, warps = between >> (kThreadShift + 5) != 0;
    const std::uint64_t own = (x | y) >> kBlockShift == 0, late = static_cast<std::uint64_t>((a & kLastTick) > base) & static_cast<std::uint64_t>((b & kLastTick) > base);
    return launch & (blocks | (own & warps & late));
}

/// 0 where that is so of every piece.
WARPWRIGHT_WIDE std::uint64_t lacks_readers(const Stamp* a, const Stamp* b, std::uint64_t count, Stamp key, std::uint64_t base) {
    std::uint64_t lacks = 0;
    for (std::uint64_t i = 0; i < count; ++i) lacks |= enough(a[i], b[i], key, base) ^ 1;
    return lacks;
}

/// What cannot be known at a glance is kept as a second reader, unless there is one of another block already.
WARPWRIGHT_WIDE void keep_readers(Stamp* a, Stamp* b, Side* a_side, Side* b_side, std::uint64_t count, Stamp key, Stamp mine, unsigned shift, Side side) {
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto old = a[i], other = b[i], now = mine + ((i >> shift) << kThreadShift);
        const bool launch = (old ^ key) >> kGenerationShift == 0, differs = old >> kThreadShift != now >> kThreadShift;
        const bool own = (old ^ key) >> kBlockShift == 0, other_launch = (other ^ key) >> kGenerationShift == 0, other_own = (other ^ key) >> kBlockShift == 0;
        const bool keep = !launch || !differs || (own && other_launch && !other_own);
        b[i] = keep ? other : old;
        b_side[i] = keep ? b_side[i] : a_side[i];
        a[i] = now;
        a_side[i] = side;
    }
}

}  // namespace

Result<std::unique_ptr<Shadow>> Shadow::reserve(std::uint64_t start, std::uint64_t bytes) {
    std::unique_ptr<Shadow> s(new Shadow);
    s->start_ = start;
    s->bytes_ = rounded(bytes + kPage);
    const auto n = s->bytes_;
    const std::uint64_t words = n / 4;
    // Stamps and sides of words and of bytes, a byte a page, a bit a byte.
    const std::uint64_t sizes[14] = {words * 8, words * 8, words * 8, words * 2, words * 2, words * 2, n * 8, n * 8, n * 8, n * 2, n * 2, n * 2, n / kPage, n / 8};
    for (auto x : sizes) s->mapped_ += rounded(x);
    void* p = ::mmap(nullptr, s->mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return Error{ErrorKind::limit, "cannot reserve " + std::to_string(s->mapped_ >> 30) + " GiB of address space for the checkers: " + std::strerror(errno), {},
                     "raise the limit on address space (ulimit -v)"};
    s->map_ = static_cast<std::uint8_t*>(p);
    // Large pages save much time where kernels go through much memory; for one block's shared memory they would waste it.
    ::madvise(p, s->mapped_, bytes >= (std::uint64_t{1} << 30) ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    std::uint8_t* at[14];
    std::uint64_t offset = 0;
    for (int k = 0; k < 14; ++k) at[k] = s->map_ + offset, offset += rounded(sizes[k]);
    const auto cells = [&](int k) {
        Cells c;
        c.written = reinterpret_cast<Stamp*>(at[k]), c.read = reinterpret_cast<Stamp*>(at[k + 1]), c.read_too = reinterpret_cast<Stamp*>(at[k + 2]);
        c.written_side = reinterpret_cast<Side*>(at[k + 3]), c.read_side = reinterpret_cast<Side*>(at[k + 4]), c.read_too_side = reinterpret_cast<Side*>(at[k + 5]);
        return c;
    };
    s->word_ = cells(0);
    s->byte_ = cells(6);
    s->split_ = at[12];
    s->bits_ = at[13];
    return s;
}

Shadow::~Shadow() { ::munmap(map_, mapped_); }

namespace {

/// Zeros [first, last) of an array; whole pages go back to the system where there are many.
void zero(void* array, std::uint64_t first, std::uint64_t last) {
    auto* p = static_cast<std::uint8_t*>(array);
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    if (last - first >= 16 * page) {
        const auto from = (reinterpret_cast<std::uint64_t>(p) + first + page - 1) / page * page - reinterpret_cast<std::uint64_t>(p);
        const auto to = (reinterpret_cast<std::uint64_t>(p) + last) / page * page - reinterpret_cast<std::uint64_t>(p);
        ::madvise(p + from, to - from, MADV_DONTNEED);
        std::memset(p + first, 0, from - first);
        std::memset(p + to, 0, last - to);
        return;
    }
    std::memset(p + first, 0, last - first);
}

}  // namespace

void Shadow::forget(std::uint64_t at, std::uint64_t bytes) {
    if (bytes == 0) return;
    const auto first = at - start_, last = first + bytes;
    for (auto* c : {&word_, &byte_}) {
        const std::uint64_t each = c == &word_ ? 4 : 1, from = first / each, to = (last + each - 1) / each;
        // Bytes' stamps are there only on pages that have been split.
        if (c == &byte_ && std::all_of(split_ + (first >> kPageShift), split_ + ((last - 1) >> kPageShift) + 1, [](std::uint8_t x) { return x == 0; })) break;
        for (auto* s : {c->written, c->read, c->read_too}) zero(s, from * 8, to * 8);
        for (auto* s : {c->written_side, c->read_side, c->read_too_side}) zero(s, from * 2, to * 2);
    }
    clear_written(at, bytes);
}

void Shadow::forget_accesses() {
    // Stamps are what lies before the last array.
    ::madvise(map_, static_cast<std::uint64_t>(split_ - map_), MADV_DONTNEED);
}

void Shadow::set_written(std::uint64_t at, std::uint64_t bytes) {
    if (bytes == 0) return;
    const auto first = at - start_, last = first + bytes;
    const auto part = [&](std::uint64_t byte, unsigned mask) {
        // Neighbours may be written by other host threads at this moment.
        if ((bits_[byte] & mask) != mask) __atomic_fetch_or(&bits_[byte], static_cast<std::uint8_t>(mask), __ATOMIC_RELAXED);
    };
    const auto from = (first + 7) / 8, to = last / 8;
    if (from > to) return part(first / 8, ((1u << bytes) - 1) << first % 8);
    if (first % 8) part(first / 8, 0xffu << first % 8 & 0xff);
    if (to > from) std::memset(bits_ + from, 0xff, to - from);
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
    unsigned all = 0xff;
    for (auto k = from; k < to; ++k) all &= bits_[k];
    return all == 0xff;
}

void Shadow::clear_written(std::uint64_t at, std::uint64_t bytes) {
    const auto first = at - start_, last = first + bytes;
    auto k = first;
    for (; k < last && k % 8; ++k) bits_[k / 8] &= static_cast<std::uint8_t>(~(1u << k % 8));
    const auto whole = last / 8 * 8;
    if (whole > k) zero(bits_, k / 8, whole / 8), k = whole;
    for (; k < last; ++k) bits_[k / 8] &= static_cast<std::uint8_t>(~(1u << k % 8));
}

void Shadow::copy_written(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    for (std::uint64_t k = 0; k < bytes;) {
        // Whole stretches at a time where all is written, as mostly.
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

bool Shadow::plain(std::uint64_t offset, std::uint64_t bytes) const {
    return split_[offset >> kPageShift] == 0 && split_[(offset + bytes - 1) >> kPageShift] == 0;
}

/// Whether the run is of words; if not, all its pages are of single bytes.
bool Shadow::words(std::uint64_t offset, std::uint64_t bytes, unsigned each) {
    if (each >= 4 && offset % 4 == 0 && plain(offset, bytes)) return true;
    split(offset >> kPageShift);
    split((offset + bytes - 1) >> kPageShift);
    return false;
}

void Shadow::split(std::uint64_t page) {
    if (split_[page]) return;
    const auto from = page << kPageShift;
    for (std::uint64_t k = from; k < from + kPage; ++k) {
        const auto w = k / 4;
        if (!word_.written[w] && !word_.read[w]) continue;
        byte_.written[k] = word_.written[w], byte_.read[k] = word_.read[w], byte_.read_too[k] = word_.read_too[w];
        byte_.written_side[k] = word_.written_side[w], byte_.read_side[k] = word_.read_side[w], byte_.read_too_side[k] = word_.read_too_side[w];
    }
    split_[page] = 1;
}

Shadow::Piece Shadow::piece(std::uint64_t at, std::uint64_t bytes) {
    const auto offset = at - start_, page = offset >> kPageShift;
    if (!split_[page]) {
        if (offset % 4 == 0 && bytes >= 4) return {&word_, offset / 4, 4};
        split(page);
    }
    return {&byte_, offset, 1};
}

namespace {

unsigned shift_of(unsigned each, bool words) { return static_cast<unsigned>(__builtin_ctz(each)) - (words ? 2 : 0); }

}  // namespace

bool Shadow::read_run(std::uint64_t at, std::uint64_t bytes, unsigned each, unsigned first, const Accessor& a) {
    const auto offset = at - start_;
    const bool of_words = words(offset, bytes, each);
    auto& c = of_words ? word_ : byte_;
    const auto i = of_words ? offset / 4 : offset, n = of_words ? bytes / 4 : bytes;
    const auto shift = shift_of(each, of_words);
    const std::uint64_t thread = a.warp * 32 + first;
    const auto unclear = [&](const Stamp* s) {
        return recent(s + i, n, a.key, a.base) && unknown(s + i, n, a.key, thread, shift, a.base, a.warp, a.warp_base, a.others_known);
    };
    if (unclear(c.written)) return false;
    const Stamp mine = a.key | thread << kThreadShift | a.tick;
    if (!recent(c.read + i, n, a.key, a.base)) {
        put_stamps(c.read + i, c.read_side + i, n, mine, shift, a.side);
        return true;
    }
    if (!lacks_readers(c.read + i, c.read_too + i, n, a.key, a.base)) return true;
    if (!unclear(c.read))
        put_stamps(c.read + i, c.read_side + i, n, mine, shift, a.side);
    else
        keep_readers(c.read + i, c.read_too + i, c.read_side + i, c.read_too_side + i, n, a.key, mine, shift, a.side);
    return true;
}

bool Shadow::write_run(std::uint64_t at, std::uint64_t bytes, unsigned each, unsigned first, const Accessor& a) {
    const auto offset = at - start_;
    const bool of_words = words(offset, bytes, each);
    auto& c = of_words ? word_ : byte_;
    const auto i = of_words ? offset / 4 : offset, n = of_words ? bytes / 4 : bytes;
    const auto shift = shift_of(each, of_words);
    const std::uint64_t thread = a.warp * 32 + first;
    const auto known = [&](const Stamp* s) {
        return recent(s + i, n, a.key, a.base) == 0 || unknown(s + i, n, a.key, thread, shift, a.base, a.warp, a.warp_base, a.others_known) == 0;
    };
    if (!known(c.written)) return false;
    if (any_of_launch(c.read + i, n, a.key)) {
        if (!known(c.read) || !known(c.read_too)) return false;
        std::memset(c.read + i, 0, n * 8);
        std::memset(c.read_too + i, 0, n * 8);
    }
    put_stamps(c.written + i, c.written_side + i, n, a.key | thread << kThreadShift | a.tick, shift, a.side);
    return true;
}

bool Shadow::read_same(std::uint64_t at, std::uint64_t bytes, unsigned first, unsigned last, const Accessor& a) {
    const auto offset = at - start_;
    const bool of_words = words(offset, bytes, static_cast<unsigned>(std::min<std::uint64_t>(bytes, 4)));
    auto& c = of_words ? word_ : byte_;
    const auto from = of_words ? offset / 4 : offset, n = of_words ? bytes / 4 : bytes;
    // Known to all lanes, so not merely because it was the same thread.
    const auto known_to_all = [&](Stamp s) {
        if ((s & ~kThreadBits) - a.key <= a.base || generation_of(s) != generation_of(a.key)) return true;
        if (block_of(s) != block_of(a.key)) return a.others_known;
        return !(s & kAgent) && thread_of(s) / 32 == a.warp && tick_of(s) <= a.warp_base;
    };
    for (auto i = from; i < from + n; ++i)
        if (!known_to_all(c.written[i])) return false;
    const Stamp one = a.key | (Stamp{a.warp} * 32 + last) << kThreadShift | a.tick, two = a.key | (Stamp{a.warp} * 32 + first) << kThreadShift | a.tick;
    for (auto i = from; i < from + n; ++i) {
        if ((c.read[i] == one && c.read_too[i]) || enough(c.read[i], c.read_too[i], a.key, a.base)) continue;
        const auto known = [&](Stamp s, Side) { return known_to_all(s); };
        if (first != last) note_read(c, i, two, a.side, known);
        note_read(c, i, one, a.side, known);
    }
    return true;
}

}  // namespace warpwright::check

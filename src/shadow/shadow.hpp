// Shadow memory: for each piece of a memory range its last writer, two of its readers since, and which bytes have
// ever been written. A line of 32 bytes that warps access whole, in lane order, is one piece with one record of 32
// bytes. Accesses of other shapes split it into words, or into single bytes on pages where narrower accesses have
// happened; a write of the whole line joins it again. All of it is reserved address space that costs nothing until it
// is used.
//
// An example. Threads 0 to 7 of a block wrote line 0, four bytes each; threads 8 to 11 wrote the first four words of
// line 1. These are the arrays of class Shadow below (tN: the stamp of thread N; ...: not read):
//
//   memory         line 0: bytes 0 to 31                      line 1: bytes 32 to 63
//   lines_         written = t0, form: 4 bytes per thread,    kApart: the line is split, so its words say more
//                  so byte 12 was written by thread 3
//   word_.written  ...                                        t8  t9  t10 t11 0   0   0   0
//   word_.read     ...                                        0   0   0   0   0   0   0   0     (and read_too)
//   byte_          ...                                        ...             (until a narrow access splits the page)
//   split_         0, once for the page of 4096 bytes: no single bytes
//   bits_          11111111 11111111 11111111 11111111        11111111 11111111 00000000 00000000
//   quiet_         0   0   0   0   0   0   0   0              0   0   0   0   0   0   0   0     (a byte for each word)
//
// When warps of two other blocks have read line 0 in a later launch, its words in quiet_ hold that launch's mark, and
// further reads of it end there.
//
// In memory that may be large, four lines that warps access at once (4 bytes per lane) are one piece too, a row, whose
// record stands for its lines until an access of less takes it apart. A launch that writes a row whole joins one that
// was taken apart before that launch.
//
// Several host threads may use it at once; a lost update between them can lose a finding and never makes one up.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "shadow/deferred_reads.hpp"
#include "shadow/shared_word.hpp"
#include "shadow/stamp.hpp"
#include "support/covers.hpp"
#include "support/result.hpp"

namespace warpwright::shadow {

/// The records of pieces of one size, by number: the stamp and the side of the last writer, of the last reader, and of
/// another reader before it.
struct Cells {
    SharedWord<Stamp>*written = nullptr, *read = nullptr, *read_too = nullptr;
    SharedWord<Side>*written_side = nullptr, *read_side = nullptr, *read_too_side = nullptr;
};

/// The accessing warp, for whole accesses of many lanes.
struct Accessor {
    Stamp key = 0;  ///< generation and block
    std::uint32_t tick = 0, base = 0, warp = 0, warp_base = 0;
    Side side = 0;
    bool others_known = false;  ///< stamps of other blocks come from earlier users of the memory
    bool may_settle = false;    ///< the bytes it reads are known to be written, or that is not checked
    std::uint32_t epoch =
        0;  ///< the epoch for quiet(): the launch's generation; in a block's own memory a number for each barrier
    const BlockClock* clock = nullptr;  ///< is asked about releases, where that is worth the time
    int lane = -1;                      ///< the accessing lane; -1: the whole warp
    mutable Stamp handed = 0;           ///< the last stamp that the clock found ordered
    Stamp leaves = 0;                   ///< the stamp of asynchronous work, in place of the thread's
    Stamp also = 0;                     ///< bits of what writes of whole lines and of lanes leave, beside the stamp
    bool newest = false;  ///< the newest readers of whole rows and lines are kept, as those of single lanes are
};

/// The accessing warp, for first_in_pieces(): what an Accessor has of it.
struct FirstAccess {
    Stamp key = 0;
    std::uint32_t tick = 0, base = 0;
    unsigned form = 0;  ///< bytes of a lane, as a power of two
    Side side = 0;
    bool store = false, others_known = false;
    bool ask_written = false;  ///< whether bytes are written is checked
};

class Shadow {
public:
    static constexpr unsigned kPageShift = 12, kRowShift = 7, kLineShift = 5;
    static constexpr std::uint64_t kRow = std::uint64_t{1} << kRowShift, kLine = std::uint64_t{1} << kLineShift;
    /// Reserves shadow for `bytes` from `start` on.
    static Result<std::unique_ptr<Shadow>> reserve(std::uint64_t start, std::uint64_t bytes);
    ~Shadow();
    Shadow(const Shadow&) = delete;

    /// For memory that one block uses at a time: other blocks' stamps come from earlier users.
    void of_one_block(bool one) { stale_shift_ = one ? kBlockShift : kGenerationShift; }

    /// Forgets all accesses and writes, in memory that may be large; much of it will be accessed.
    void forget(std::uint64_t at, std::uint64_t bytes);
    /// Much of this part of memory that may be large will be accessed: where that fills large pages of an array, these
    /// are asked for.
    void expect(std::uint64_t at, std::uint64_t bytes);
    /// Forgets all accesses; written bytes stay written.
    void forget_accesses();

    void set_written(std::uint64_t at, std::uint64_t bytes);
    bool is_written(std::uint64_t at, std::uint64_t bytes) const;
    /// The same of an element that is aligned to its size, a power of two.
    [[gnu::always_inline]] bool is_element_written(std::uint64_t at, std::uint64_t bytes) const {
        const auto first = at - start_;
        if (bytes >= 8) return all_are(plain(bits_) + first / 8, bytes / 8, 0xff, 0xff);
        const unsigned all = (1u << bytes) - 1;
        return (bits_[first / 8] >> first % 8 & all) == all;
    }
    /// Marks such an element as written.
    void set_element_written(std::uint64_t at, std::uint64_t bytes) {
        if (is_element_written(at, bytes)) return;
        const auto first = at - start_;
        if (bytes < 8) return bits_[first / 8].set_bits(static_cast<std::uint8_t>(((1u << bytes) - 1) << first % 8));
        for (std::uint64_t k = 0; k < bytes; k += 8) bits_[(first + k) / 8] = std::uint8_t{0xff};
    }
    /// The same of those of 64 words from `at` on, a multiple of 8, that `words` has a bit for.
    void set_words_written(std::uint64_t at, std::uint64_t words) {
        for (auto byte = (at - start_) / 8; words; words >>= 2, ++byte) {
            const auto two = static_cast<std::uint8_t>((words & 1) * 0xf | (words & 2) * 0x78);
            if ((bits_[byte] & two) == two) continue;
            if (two == 0xff)
                bits_[byte] = two;  // no other bits to mind, so that nothing must be locked
            else
                bits_[byte].set_bits(two);
        }
    }
    /// Whether none of them was ever written; both are multiples of 8.
    bool is_blank(std::uint64_t at, std::uint64_t bytes) const;
    void clear_written(std::uint64_t at, std::uint64_t bytes);
    /// The stretches of [at, at + bytes) that were never written, in order, as address and size; at most `most`.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten(std::uint64_t at, std::uint64_t bytes,
                                                                   std::size_t most) const;
    /// An access that a launch left here.
    struct Trace {
        std::uint64_t at = 0, bytes = 0;
        std::uint32_t generation = 0;
        Side side = 0;
        bool write = false;
        auto operator<=>(const Trace&) const = default;
    };
    /// Adds what accesses of the launches `generations`, in order, have left in [at, at + bytes). Neighbours of one
    /// kind are joined. What a later launch has accessed since may be missing. While no kernel runs.
    void traces(std::uint64_t at, std::uint64_t bytes, const std::vector<std::uint32_t>& generations,
                std::vector<Trace>& out) const;
    /// Who wrote a byte last, and by which site; a stamp of 0 where that is not known. While no kernel runs.
    std::pair<Stamp, Side> last_write(std::uint64_t at) const;
    /// The same for a block's own memory while it runs, with the very thread.
    std::pair<Stamp, Side> last_writer(std::uint64_t at) const;
    void copy_written(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);

    /// An access of lanes `first`, first + 1, ... of `each` bytes at consecutive addresses, `bytes` in total, tested at
    /// once. True when it is ordered with everything before it; it is then recorded. False: nothing is known, test
    /// piece by piece.
    bool read_run(std::uint64_t at, std::uint64_t bytes, unsigned each, unsigned first, const Accessor& a);
    bool write_run(std::uint64_t at, std::uint64_t bytes, unsigned each, unsigned first, const Accessor& a);
    /// Whole rows and lines in which nobody but these very threads has been: the usual case of kernels that touch
    /// memory once. The lanes follow each other from `thread` on. True: ordered, and recorded as read_run() and
    /// write_run() do; what is stored is written from now on. False: nothing is known.
    bool first_in_pieces(std::uint64_t at, std::uint64_t bytes, unsigned thread, const FirstAccess& a);
    /// Whole rows and lines from `at` on by one lane or agent, up to the first that needs a closer look: returns the
    /// bytes before it, which are recorded as by read_run() and write_run() of one piece each.
    std::uint64_t read_long(std::uint64_t at, std::uint64_t bytes, unsigned lane, const Accessor& a);
    std::uint64_t write_long(std::uint64_t at, std::uint64_t bytes, unsigned lane, const Accessor& a);
    /// Whether none of these lines has a thread of the block `key` as its last writer; false: not known.
    bool no_thread_wrote(std::uint64_t at, std::uint64_t bytes, Stamp key) const;
    /// All lanes from `first` to `last` read the same bytes.
    bool read_same(std::uint64_t at, std::uint64_t bytes, unsigned first, unsigned last, const Accessor& a);

    /// Lanes at separate places, each aligned to its `bytes`, a power of two: returns those that are ordered, and
    /// records them. Nothing is known of the others.
    std::uint64_t lanes(const std::uint64_t* at, std::uint64_t mask, unsigned bytes, bool store, const Accessor& a);

    /// Of lanes of 4 bytes each that are close to each other: those whose lines nobody has accessed in this launch but
    /// this instruction of this block. They are ordered, and recorded as by lanes().
    std::uint64_t list_together(const std::uint64_t* at, std::uint64_t mask, bool store, const Accessor& a);

    /// Records reads by lanes as note_read() does, or writes, one after the other, up to the first that needs a closer
    /// look: returns those before it. As for lanes(), but of any width below a line's.
    std::uint64_t note_lanes(const std::uint64_t* at, std::uint64_t mask, unsigned bytes, const Accessor& a);
    std::uint64_t write_lanes(const std::uint64_t* at, std::uint64_t mask, unsigned bytes, const Accessor& a);

    /// Replaces the stamps `from`, from + 1 thread, ... with which lanes of `each` bytes have written a line, and those
    /// alone, by `to`, to + 1 thread, ... False: the line has others too, or is split.
    bool replace_writers(std::uint64_t at, unsigned each, Stamp from, Stamp to, Side side);

    bool covers(std::uint64_t at, std::uint64_t bytes) const { return warpwright::covers(start_, bytes_, at, bytes); }

    /// Whether all of it is *quiet*: written before this epoch (a launch), and read in it by threads of two blocks or
    /// more, so that one more reader changes nothing. In a block's own memory an epoch lasts from barrier to barrier,
    /// and two warps are enough. Most kernels read such memory most. Marks are kept modulo 255: call forget_quiet() as
    /// often as that.
    bool quiet(std::uint64_t at, std::uint64_t bytes, std::uint32_t epoch) const {
        const auto first = (at - start_) >> 2, last = (at - start_ + bytes - 1) >> 2;
        return all_are(quiet_ + first, last - first + 1, 0xff, quiet_mark(epoch));
    }
    void forget_quiet();
    const std::uint8_t* quiet_marks() const { return quiet_; }
    std::uint64_t start() const { return start_; }
    std::uint64_t size() const { return bytes_; }
    static std::uint8_t quiet_mark(std::uint32_t epoch) { return static_cast<std::uint8_t>(1 + epoch % 255); }

    /// The block's deferred reads of its own memory (deferred_reads.hpp).
    CalmReads& calm() { return calm_; }
    /// Transfers the log to the stamps.
    void work_in() { replay(); }
    /// A write of lanes at consecutive addresses: see CalmReads::write().
    bool calm_write(std::uint64_t at, std::uint64_t bytes, std::uint32_t shape, std::uint32_t site) {
        return calm_.write(at, bytes, shape, site);
    }
    std::uint64_t calm_read_lanes(const std::uint64_t* at, std::uint64_t mask, std::uint64_t bytes, std::uint32_t shape,
                                  std::uint32_t site) {
        if (calm_.full()) replay();
        return calm_.read_lanes(at, mask, bytes, shape, site);
    }
    /// A block begins to use the memory.
    void start_calm(const BlockClock* clock, Stamp key, std::uint32_t epoch, bool on, bool ask_written,
                    bool defer_writes);
    /// All threads of the block have met at a barrier.
    void calm_barrier(std::uint32_t epoch);
    /// An asynchronous copy has written; it counts as if a thread had just written.
    void calm_agent(std::uint64_t at, std::uint64_t bytes);
    void calm_written(std::uint64_t at, std::uint64_t bytes);

    /// The piece at `at` and the number of the requested bytes in it, for an access by the block `key`. Narrow accesses
    /// split its page into single bytes.
    struct Piece {
        Cells* cells;
        std::uint64_t index;
        unsigned bytes;
    };
    Piece piece(std::uint64_t at, std::uint64_t bytes, Stamp key, bool writes);

private:
    /// A line, or a row. Stamps are those of the thread that accessed its first byte.
    struct Line {
        static constexpr std::uint16_t kApart = 0x8000;  ///< it is split; `written` then marks who split it last
        static constexpr std::uint16_t kBusy = 0x4000;   ///< a thread is splitting it
        /// Beside kApart: its words have no stamps yet, because the record itself has a list of them
        /// (shadow_lists.cpp).
        static constexpr std::uint16_t kListed = 0x2000;
        static constexpr std::uint16_t kStates = kApart | kBusy | kListed;
        SharedWord<Stamp> written, read, read_too;
        SharedWord<Side> written_side, read_side, read_too_side;
        /// 4 bits for each of the three: the number of bytes per thread, as a power of two. Those of 4 bytes are zero:
        /// that is the usual number, and fresh memory has it without a change that other host threads must see as one.
        SharedWord<std::uint16_t> form;
    };
    static constexpr unsigned kUsualForm = 2;
    static unsigned form_of(std::uint16_t forms, unsigned k) { return (forms >> 4 * k & 15u) ^ kUsualForm; }
    static std::uint16_t with_form(std::uint16_t forms, unsigned k, unsigned f) {
        return static_cast<std::uint16_t>((forms & ~(15u << 4 * k)) | (f ^ kUsualForm) << 4 * k);
    }
    /// Marks are not stamps of lines, even if host threads see one in the other's place.
    static Stamp stamp_in(Stamp s) { return (s & kAgent) && tick_of(s) == 0 ? 0 : s; }
    static Stamp mark_of(Stamp key) { return (key >> kBlockShift << kBlockShift) | kAgent; }
    /// False if the line has been split meanwhile.
    static bool change_form(Line& l, std::uint16_t from, std::uint16_t to);
    struct Pieces {
        Cells* cells;
        std::uint64_t index, count;
        unsigned shift;  ///< pieces per thread, as a power of two
    };

    enum class Quick { unclear, noted, enough };
    /// Words of lanes `thread`, thread + 1, ..., 2^shift words each. Enough: they have enough readers, so nothing
    /// changes.
    Quick read_words(std::uint64_t first, std::uint64_t count, std::uint64_t thread, unsigned shift, const Accessor& a);
    /// False: nothing was recorded.
    bool write_words(std::uint64_t first, std::uint64_t count, std::uint64_t thread, unsigned shift, const Accessor& a);
    bool read_enough(const Cells& c, std::uint64_t first, std::uint64_t count, const Accessor& a) const;
    bool note_same(const Pieces& p, std::uint64_t offset, std::uint64_t bytes, unsigned first, unsigned last,
                   const Accessor& a);
    /// What lanes may do with a line: access its words; nothing, since it has enough readers; or what is not known.
    enum class LineState { words, listed, answered, unclear };
    LineState open_line(std::uint64_t line, bool store, const Accessor& a);
    // Lines with a list (shadow_lists.cpp).
    bool begin_list(Line& l, bool store, const Accessor& a) const;
    bool continues_list(std::uint64_t line, bool store, const Accessor& a) const;
    static bool still_lists(const Line& l, const Accessor& a);
    static bool add_to_list(Line& l, unsigned word, unsigned count, std::uint64_t thread, const Accessor& a);
    bool list_words(std::uint64_t line, unsigned words, std::uint64_t low, bool store, const Accessor& a);
    static Stamp listed(const Line& l, unsigned word);
    static bool lists_stores(const Line& l);
    void put_listed(std::uint64_t index) const;
    bool in_use(std::uint64_t line, const Accessor& a) const;
    bool is_open(std::uint64_t line, const Accessor& a) const;
    void fetch_lanes(const std::uint64_t* at, std::uint64_t mask) const;
    Pieces pieces_of_lane(std::uint64_t at, unsigned bytes, const Accessor& a, std::uint64_t& open);
    template <bool kStore>
    bool first_in_words(std::uint64_t first, std::uint64_t count, Stamp mine, const Accessor& a);
    template <bool kStore>
    std::uint64_t each_lane(const std::uint64_t* at, std::uint64_t mask, unsigned bytes, const Accessor& a);

    Shadow() = default;
    void split(std::uint64_t page);
    bool begin_split(Line& l, std::uint16_t& forms, Stamp key) const;
    void put_parts(std::uint64_t index, std::uint16_t forms, Stamp key);
    void take_apart(std::uint64_t line, Stamp key);
    Pieces pieces(std::uint64_t line, std::uint64_t from, std::uint64_t bytes, unsigned form, Stamp key);
    bool whole(std::uint64_t line, const Accessor& a, std::uint16_t& form);
    /// The line's own record is to be used: its row is taken apart.
    void by_lines(std::uint64_t line, Stamp key) {
        if (!has_rows_) return;
        const auto row = line >> (kRowShift - kLineShift);
        auto& r = rows_[row];
        if (!(r.form.acquire() & Line::kApart) || (r.written ^ key) >> stale_shift_) take_row_apart(row, key);
    }
    void take_row_apart(std::uint64_t row, Stamp key);
    /// Whether an access goes on with a whole row.
    bool is_row(std::uint64_t from, std::uint64_t end, unsigned form) const {
        return has_rows_ && from % kRow == 0 && end - from >= kRow && form >= 2;
    }
    void forget_lines(std::uint64_t first, std::uint64_t last);
    template <bool kStore>
    std::uint64_t long_access(std::uint64_t at, std::uint64_t bytes, unsigned lane, const Accessor& a);
    void settle(std::uint64_t from, std::uint64_t bytes, const Accessor& a);
    enum class Outcome { unclear, noted, split };
    Outcome read_piece(Line& l, std::uint16_t forms, std::uint64_t from, std::uint64_t bytes, std::uint64_t thread,
                       unsigned form, const Accessor& a);
    Outcome note_newest(Line& l, std::uint16_t forms, std::uint64_t thread, unsigned form, const Accessor& a);
    Outcome write_piece(Line& l, std::uint16_t forms, std::uint64_t from, std::uint64_t bytes, std::uint64_t thread,
                        unsigned form, const Accessor& a);
    bool first_in_piece(Line& l, std::uint64_t from, std::uint64_t bytes, Stamp mine, const FirstAccess& a);
    bool read_row(std::uint64_t row, std::uint64_t thread, unsigned form, const Accessor& a);
    bool write_row(std::uint64_t row, std::uint64_t thread, unsigned form, const Accessor& a);
    bool read_line(std::uint64_t line, std::uint64_t thread, unsigned form, const Accessor& a);
    bool make_whole(Line& l, std::uint16_t from, std::uint64_t at, std::uint64_t bytes, std::uint64_t thread,
                    unsigned form, const Accessor& a);
    bool write_line(std::uint64_t line, std::uint64_t thread, unsigned form, const Accessor& a);
    bool read_part(std::uint64_t line, std::uint64_t from, std::uint64_t bytes, std::uint64_t thread, unsigned form,
                   const Accessor& a);
    bool write_part(std::uint64_t line, std::uint64_t from, std::uint64_t bytes, std::uint64_t thread, unsigned form,
                    const Accessor& a);

    /// Calls `place(array, elements)` for each of the arrays, in the order in which they lie in the mapping. `small`:
    /// reads of this memory may be deferred.
    template <class Place>
    void each_array(bool small, Place&& place);

    std::uint64_t start_ = 0, bytes_ = 0;
    std::uint8_t* map_ = nullptr;  ///< one mapping holds all arrays
    std::uint64_t mapped_ = 0;
    unsigned expected_ = 0;          ///< how often large pages were asked for
    Line* rows_ = nullptr;           ///< by row
    bool has_rows_ = false;          ///< not in a block's own memory
    Line* lines_ = nullptr;          ///< by line, where its row is apart
    std::uint8_t* quiet_ = nullptr;  ///< by word: an epoch's mark
    void no_longer_quiet(std::uint64_t line) {
        auto* marks = reinterpret_cast<std::uint64_t*>(quiet_ + line * (kLine / 4));
        if (__atomic_load_n(marks, __ATOMIC_RELAXED)) __atomic_store_n(marks, 0, __ATOMIC_RELAXED);
    }
    static_assert(kLine / 4 == 8);
    void replay();
    void calm_down(std::uint64_t first, std::uint64_t count);
    void before_write(std::uint64_t at, std::uint64_t bytes);
    /// A read that is not logged, and leaves stamps.
    void before_read(std::uint64_t at, std::uint64_t bytes);
    CalmReads calm_;
    unsigned stale_shift_ = kGenerationShift;
    Cells word_, byte_;                             ///< of split lines, by word and by byte
    SharedWord<std::uint8_t>* split_ = nullptr;     ///< by page: 1 = single bytes
    SharedWord<std::uint16_t>* visited_ = nullptr;  ///< by page: the last generation that accessed it
    /// True: one of the pages is accessed for the first time in this launch.
    bool visit(std::uint64_t offset, std::uint64_t bytes, Stamp key) {
        const auto generation = static_cast<std::uint16_t>(generation_of(key));
        bool first = false;
        for (auto p = offset >> kPageShift; p <= (offset + bytes - 1) >> kPageShift; ++p)
            if (visited_[p] != generation) first_visit(p, generation), first = true;
        return first;
    }
    void first_visit(std::uint64_t page, std::uint16_t generation);
    SharedWord<std::uint8_t>* bits_ = nullptr;  ///< a bit for each byte of memory: written
};

/// Writes the side first: a reader that loads the stamp before the side never sees an older side with it.
inline void put_stamp(SharedWord<Stamp>& to, SharedWord<Side>& to_side, Stamp s, Side side) {
    to_side = side;
    to.release(s);
}

/// Of all readers, the two farthest apart are kept: of two blocks, of two warps, of two lanes. Whether `other` is to be
/// kept beside `mine` rather than `old`, the last one, if `other` is not ordered before `mine`.
inline bool keeps_other(Stamp old, Stamp other, Stamp mine) {
    return generation_of(other) == generation_of(mine) &&
           ((block_of(old) == block_of(mine) && block_of(other) != block_of(mine)) ||
            (block_of(old) == block_of(mine) && thread_of(old) / 32 == thread_of(mine) / 32 &&
             thread_of(other) / 32 != thread_of(mine) / 32));
}

/// Whether a read stands for an earlier one that is ordered before it: not a strong one for a weak one, since a strong
/// write races with the weak one alone.
inline bool stands_for(Side later, Side earlier) {
    return strength_of(later) == kWeak || strength_of(earlier) == strength_of(later);
}

/// A reader as a piece has it: its stamp, 0 if there is none, its side, and which of the stamps it is (1 = the last
/// reader, 2 = the other one).
struct Reader {
    Stamp stamp = 0;
    Side side = 0;
    unsigned which = 1;
};

/// Whether the last reader is kept beside a new one, in the place of the other one, which `other()` returns. `before`:
/// whether one of them is of the new one's thread, or ordered before it.
template <class Other, class Before>
bool keeps_last(const Reader& last, Other&& other, const Reader& now, Before&& before) {
    const auto is_redundant = [&](const Reader& r) { return !r.stamp || (before(r) && stands_for(now.side, r.side)); };
    if (before(last)) return !stands_for(now.side, last.side) && is_redundant(other());
    const Reader it = other();
    return !keeps_other(last.stamp, it.stamp, now.stamp) || is_redundant(it);
}

/// Records a read of one piece by a thread; `ordered`: whether a stamp is ordered before it.
template <class Ordered>
void note_read(Cells& c, std::uint64_t i, Stamp mine, Side side, Ordered&& ordered) {
    const Stamp old = c.read[i];
    const auto other = [&] { return Reader{c.read_too[i], c.read_too_side[i], 2}; };
    const auto before = [&](const Reader& r) {
        return r.stamp >> kThreadShift == mine >> kThreadShift || ordered(r.stamp, r.side);
    };
    // (The sides of words that nobody has read are left alone: they may be on pages that were never used.)
    if (old && keeps_last({old, c.read_side[i], 1}, other, {mine, side}, before))
        put_stamp(c.read_too[i], c.read_too_side[i], old, c.read_side[i]);
    put_stamp(c.read[i], c.read_side[i], mine, side);
}

}  // namespace warpwright::shadow

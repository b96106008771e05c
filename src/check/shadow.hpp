// Shadow memory: for each piece of a range of memory who wrote it last, two of those who read it since, and which bytes
// have ever been written. A piece is 4 bytes, or single bytes on pages where narrower accesses have happened. All of it
// is reserved address space that costs nothing until it is used.
//
// Several host threads may work on it at once; a loss between them can lose a finding and never makes one up.
#pragma once

#include <cstdint>
#include <memory>

#include "check/stamp.hpp"
#include "support/result.hpp"

namespace warpwright::check {

struct Cells {
    Stamp *written = nullptr, *read = nullptr, *read_too = nullptr;
    Side *written_side = nullptr, *read_side = nullptr, *read_too_side = nullptr;
};

/// The accessing warp, for whole accesses of many lanes.
struct Accessor {
    Stamp key = 0;            ///< generation and block
    std::uint32_t tick = 0, base = 0, warp = 0, warp_base = 0;
    Side side = 0;
    bool others_known = false;///< stamps of other blocks are of earlier users of the memory
};

class Shadow {
public:
    static constexpr unsigned kPageShift = 12;
    /// For `bytes` from `start` on.
    static Result<std::unique_ptr<Shadow>> reserve(std::uint64_t start, std::uint64_t bytes);
    ~Shadow();
    Shadow(const Shadow&) = delete;

    /// As if nobody had ever touched it, in memory that may be large.
    void forget(std::uint64_t at, std::uint64_t bytes);
    /// Nobody has accessed any of it; what has been written stays so.
    void forget_accesses();

    void set_written(std::uint64_t at, std::uint64_t bytes);
    bool is_written(std::uint64_t at, std::uint64_t bytes) const;
    void clear_written(std::uint64_t at, std::uint64_t bytes);
    void copy_written(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);

    /// An access of lanes `first`, first + 1, ... of `each` bytes, one behind the other, `bytes` in all, all in one go:
    /// true when it is in order with everything before it; it is then noted. False: nothing is known, ask piece by piece.
    bool read_run(std::uint64_t at, std::uint64_t bytes, unsigned each, unsigned first, const Accessor& a);
    bool write_run(std::uint64_t at, std::uint64_t bytes, unsigned each, unsigned first, const Accessor& a);
    /// All lanes from `first` to `last` read the same bytes.
    bool read_same(std::uint64_t at, std::uint64_t bytes, unsigned first, unsigned last, const Accessor& a);

    /// The piece at `at` and how many of the bytes asked for are in it. Narrow accesses turn its page into single bytes.
    struct Piece {
        Cells* cells;
        std::uint64_t index;
        unsigned bytes;
    };
    Piece piece(std::uint64_t at, std::uint64_t bytes);

private:
    Shadow() = default;
    void split(std::uint64_t page);
    bool plain(std::uint64_t offset, std::uint64_t bytes) const;
    bool words(std::uint64_t offset, std::uint64_t bytes, unsigned each);

    std::uint64_t start_ = 0, bytes_ = 0;
    std::uint8_t* map_ = nullptr;
    std::uint64_t mapped_ = 0;
    Cells word_, byte_;
    std::uint8_t* split_ = nullptr;   ///< by page: 1 = single bytes
    std::uint8_t* bits_ = nullptr;    ///< by byte of memory: written
};

/// Notes a read of one piece by a thread; `ordered`: whether a stamp is known to it.
template <class Ordered>
void note_read(Cells& c, std::uint64_t i, Stamp mine, Side side, Ordered&& ordered) {
    const auto old = c.read[i];
    if (old && (old >> kThreadShift) != (mine >> kThreadShift) && !ordered(old, c.read_side[i])) {
        // Two readers are kept that are as far from each other as can be: of two blocks, of two warps, of two lanes.
        const auto other = c.read_too[i];
        const bool keep = generation_of(other) == generation_of(mine) &&
                          ((block_of(old) == block_of(mine) && block_of(other) != block_of(mine)) ||
                           (block_of(old) == block_of(mine) && thread_of(old) / 32 == thread_of(mine) / 32 && thread_of(other) / 32 != thread_of(mine) / 32));
        if (!keep) {
            c.read_too[i] = old;
            c.read_too_side[i] = c.read_side[i];
        }
    }
    c.read[i] = mine;
    c.read_side[i] = side;
}

}  // namespace warpwright::check

// Matrix instructions at run time: products, and fragments to and from memory.
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "counters/access.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/memory_access.hpp"
#include "engine/shared/executor.hpp"
#include "engine/shared/traced_access.hpp"
#include "engine/tensor/tensor.hpp"

namespace warpwright::engine {

namespace {

/// Machine code loads each of a fragment's words once, though registers may hold copies of it (f16).
void trace_fragment(BlockContext* c, WarpFrame* f, const SiteInfo& info, const WmmaMap& map, unsigned pieces,
                    const std::uint64_t* addresses, const std::uint64_t* stride, std::uint64_t mask) {
    std::vector<PieceOfFragment> all;
    for (unsigned r = 0; r < map.registers; ++r)
        for (unsigned p = 0; p < pieces; ++p) {
            PieceOfFragment at;
            map.addresses(r, p, addresses, stride, at.data());
            if (std::find(all.begin(), all.end(), at) == all.end()) all.push_back(at);
        }
    const auto kind = map.store ? TracedAccess::Kind::store : TracedAccess::Kind::load;
    trace_pieces(c, f, {info.space, kind, static_cast<std::uint8_t>(info.bytes)}, all, mask);
}

/// Pieces of a register of each lane, which lie a word apart, to an array of them or back.
template <unsigned kBytes>
void copy_pieces_of(std::uint8_t* in_words, std::uint8_t* pieces, bool out) {
    for (unsigned l = 0; l < 32; ++l)
        if (out)
            std::memcpy(pieces + l * kBytes, in_words + l * 4, kBytes);
        else
            std::memcpy(in_words + l * 4, pieces + l * kBytes, kBytes);
}

/// `wide`: registers of 64 bits, which are two words, the low one 32 words before the other.
void copy_pieces(std::uint8_t* in_words, std::uint8_t* pieces, unsigned bytes, bool wide, bool out) {
    if (wide) {
        for (unsigned l = 0; l < 64; ++l) {
            auto *word = in_words + l * 4, *piece = pieces + l % 32 * 8 + l / 32 * 4;
            if (out)
                std::memcpy(piece, word, 4);
            else
                std::memcpy(word, piece, 4);
        }
        return;
    }
    if (bytes == 1)
        copy_pieces_of<1>(in_words, pieces, out);
    else if (bytes == 2)
        copy_pieces_of<2>(in_words, pieces, out);
    else
        copy_pieces_of<4>(in_words, pieces, out);
}

/// A matrix of 8 x 8 elements of 16 bits, which are all that ldmatrix and stmatrix have: its rows, and its register's
/// words by lane. Four lanes have a row; a column where it is transposed (MatrixMove::source).
template <bool kStore>
void move_matrix(std::uint8_t* const* rows, std::uint32_t* words, bool transposed) {
    constexpr unsigned kSize = 8;
    const auto move = [](std::uint8_t* in_memory, std::uint8_t* in_words, auto bytes) {
        if (kStore)
            std::memcpy(in_memory, in_words, bytes);
        else
            std::memcpy(in_words, in_memory, bytes);
    };
    auto* const at = reinterpret_cast<std::uint8_t*>(words);
    for (unsigned g = 0; g < kSize; ++g)
        if (!transposed)
            move(rows[g], at + 16 * g, std::integral_constant<unsigned, 16>{});
        else
            for (unsigned k = 0; k < kSize; ++k)
                move(rows[k] + 2 * g, at + 16 * g + 2 * k, std::integral_constant<unsigned, 2>{});
}

}  // namespace

extern "C" {
void ww_rt_movmatrix(const std::uint32_t* a, std::uint32_t* d) { run_movmatrix(a, d); }

void ww_rt_matrix(BlockContext* c, std::uint32_t index, const std::uint32_t* a, const std::uint32_t* b,
                  const std::uint32_t* third, std::uint32_t* d, const std::uint32_t* metadata) {
    run_mma(*static_cast<const MmaForm*>(c->executor->launch.code->forms[index].get()), a, b, third, d, metadata);
}

/// wmma.load and wmma.store: each register, or each element if a register's are not contiguous, is one ordinary access.
std::uint32_t ww_rt_wmma(BlockContext* c, WarpFrame* f, std::uint32_t site, std::uint32_t index,
                         const std::uint64_t* addresses, const std::uint64_t* stride, std::uint64_t mask,
                         std::uint32_t* data) {
    const auto& map = *static_cast<const WmmaMap*>(c->executor->launch.code->forms[index].get());
    const auto& info = c->executor->launch.code->sites[site];
    const unsigned bytes = info.bytes, words = map.element_bits == 64 ? 2 : 1;
    const unsigned pieces = info.requests / map.registers;
    if (c->trace) trace_fragment(c, f, info, map, pieces, addresses, stride, mask);
    for (unsigned r = 0; r < map.registers; ++r)
        for (unsigned p = 0; p < pieces; ++p) {
            std::uint64_t at[32];
            map.addresses(r, p, addresses, stride, at);
            auto* const words_of = data + std::size_t{r} * words * 32;
            if (words == 1 && bytes == 4) {
                if (!move_lanes(c, f, site, info, at, mask, words_of, map.store)) return 0;
                continue;
            }
            std::uint8_t moved[32 * 8];
            auto* const first = reinterpret_cast<std::uint8_t*>(words_of) + p * bytes;
            if (map.store) copy_pieces(first, moved, bytes, words == 2, true);
            if (!move_lanes(c, f, site, info, at, mask, moved, map.store)) return 0;
            if (!map.store) copy_pieces(first, moved, bytes, words == 2, false);
        }
    return 1;
}

/// ldmatrix and stmatrix: rows of 16 bytes in shared memory; each matrix of 8 rows is one pass when nothing conflicts.
std::uint32_t ww_rt_matrix_rows(BlockContext* c, WarpFrame* f, std::uint32_t site, std::uint32_t index,
                                const std::uint64_t* addresses, const std::uint64_t*, std::uint64_t mask,
                                std::uint32_t* data) {
    const auto& move = *static_cast<const MatrixMove*>(c->executor->launch.code->forms[index].get());
    const auto& info = c->executor->launch.code->sites[site];
    std::uint8_t* rows[32];
    if (!locate_shared(c, f, info, addresses, mask, move.address_lanes(), rows)) return 0;
    if (info.counted && c->executor->launch.counters)
        for (unsigned m = 0; m < move.matrices; ++m) {
            std::uint32_t offsets[32];
            std::uint64_t lanes = 0;
            for (unsigned k = 0; k < 32; ++k) offsets[k] = static_cast<std::uint32_t>(addresses[k]);
            for (unsigned k = 0; k < move.rows; ++k) lanes |= std::uint64_t{1} << (m * move.rows + k);
            const auto op = move.store ? counters::SharedOp::store : counters::SharedOp::load;
            const auto cost = counters::shared_cost(op, offsets, lanes, 16, 32);
            c->sites[site].passes += cost.wavefronts;
            c->sites[site].excess += cost.bank_conflicts;
        }
    // Each row is the access of the lane that gives its address.
    if (c->check)
        for (unsigned k = 0; k < move.address_lanes(); ++k) {
            const auto offset = static_cast<std::uint64_t>(rows[k] - c->shared);
            if (!covers(0, c->shared_size, offset, 16)) continue;
            if (move.store)
                checked_shared_write(c, f, site, c, offset, 16, k);
            else
                checked_shared_read(c, f, site, offset, 16, k);
        }
    for (unsigned r = 0; r < move.registers; ++r)
        if (move.store)
            move_matrix<true>(rows + std::size_t{r} * move.rows, data + std::size_t{r} * 32, move.trans);
        else
            move_matrix<false>(rows + std::size_t{r} * move.rows, data + std::size_t{r} * 32, move.trans);
    return 1;
}
}

}  // namespace warpwright::engine

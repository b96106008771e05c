// Matrix instructions at run time: products, and fragments to and from memory.
#include <algorithm>
#include <cstring>
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
    auto* raw = reinterpret_cast<std::uint8_t*>(data);
    if (c->trace) trace_fragment(c, f, info, map, pieces, addresses, stride, mask);
    for (unsigned r = 0; r < map.registers; ++r)
        for (unsigned p = 0; p < pieces; ++p) {
            std::uint64_t at[32];
            std::uint8_t moved[32 * 8];
            map.addresses(r, p, addresses, stride, at);
            auto place = [&](unsigned l) {
                // Words of a register are lane-contiguous; 64-bit registers are two words, low first.
                return raw + (std::size_t{r} * words * 32 + l) * 4 + p * bytes;
            };
            if (map.store)
                for (unsigned l = 0; l < 32; ++l) {
                    if (words == 2) {
                        std::memcpy(moved + l * 8, place(l), 4);
                        std::memcpy(moved + l * 8 + 4, place(l) + 128, 4);
                    } else {
                        std::memcpy(moved + l * bytes, place(l), bytes);
                    }
                }
            if (!move_lanes(c, f, site, info, at, mask, moved, map.store)) return 0;
            if (!map.store)
                for (unsigned l = 0; l < 32; ++l) {
                    if (words == 2) {
                        std::memcpy(place(l), moved + l * 8, 4);
                        std::memcpy(place(l) + 128, moved + l * 8 + 4, 4);
                    } else {
                        std::memcpy(place(l), moved + l * bytes, bytes);
                    }
                }
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
        for (unsigned l = 0; l < 32; ++l) {
            const auto s = move.source(l, r);
            auto* word = reinterpret_cast<std::uint8_t*>(data + r * 32 + l);
            for (unsigned p = 0; p < s.pieces; ++p) {
                auto* at = rows[s.source_lane[p]] + s.byte[p];
                if (move.store)
                    std::memcpy(at, word + p * s.piece_bytes, s.piece_bytes);
                else
                    std::memcpy(word + p * s.piece_bytes, at, s.piece_bytes);
            }
        }
    return 1;
}
}

}  // namespace warpwright::engine

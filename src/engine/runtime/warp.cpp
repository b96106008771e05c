// Runtime functions for the lanes of a warp: which block runs next, waits, barriers, shuffles, reductions.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/runtime/block_state.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/mbarrier.hpp"
#include "engine/runtime/texts.hpp"
#include "engine/shared/executor.hpp"
#include "support/cause.hpp"

namespace warpwright::engine {

namespace {

std::uint64_t waiting_lanes(const WarpFrame& f) {
    std::uint64_t lanes = 0;
    for (std::uint32_t k = 0; k < f.waits; ++k)
        if (f.wait[k].depth == f.depth) lanes |= f.wait[k].lanes;
    return lanes;
}

/// Removes every wait of the present call depth at `block` from the list; returns their lanes.
std::uint64_t take(WarpFrame& f, std::uint32_t block, bool released_only) {
    std::uint64_t lanes = 0;
    std::uint32_t keep = 0;
    for (std::uint32_t k = 0; k < f.waits; ++k) {
        auto& w = f.wait[k];
        if (w.depth == f.depth && w.block == block && (released_only ? w.released != 0 : w.barrier == kWarpWait)) {
            lanes |= w.lanes;
            if (w.released) f.barrier_result = w.holding, f.barrier_total = w.total;
        } else {
            f.wait[keep++] = w;
        }
    }
    f.waits = keep;
    return lanes & f.live;
}

bool add_wait(BlockContext* c, WarpFrame* f, Wait w) {
    if (f->waits >= kMaxWaits) {
        c->executor->launch.fail({ErrorKind::fault,
                                  "too many groups of lanes of one warp wait at different places",
                                  {},
                                  "",
                                  Cause::barrier});
        return false;
    }
    w.depth = f->depth;
    keep_wait(c, f, w);
    return true;
}

/// A block whose waiting lanes may continue, or kPickedNone / kPickedWait.
std::uint32_t wake(BlockContext* c, WarpFrame* f) {
    bool barrier_waits = false, any = false;
    if (f->waits)
        if (const auto block = wake_phases(*f); block != kPickedNone) return block;
    for (std::uint32_t k = 0; k < f->waits; ++k) {
        auto& w = f->wait[k];
        if (w.depth != f->depth) continue;
        any = true;
        if (w.barrier == kPhaseWait || w.barrier == kBehindWait) {
            barrier_waits = true;
            continue;
        }
        if (w.released) {
            const auto block = w.block;
            f->picked = take(*f, block, true);
            return block;
        }
        // A barrier waits for threads that have not exited: those that exit without reaching it no longer count.
        if (w.barrier == kWarpWait) continue;
        barrier_waits = true;
        if (c->check && (w.need & ~f->live)) check_left_out(c, f, w.lanes, w.need & ~f->live);
    }
    if (!any) return kPickedNone;
    // Warp-level waits are complete because lanes have exited, or because all stopped at some warp-level wait.
    for (std::uint32_t k = 0; k < f->waits; ++k) {
        const auto& w = f->wait[k];
        if (w.depth != f->depth || w.barrier != kWarpWait) continue;
        std::uint64_t here = 0;
        for (std::uint32_t j = 0; j < f->waits; ++j)
            if (f->wait[j].depth == f->depth && f->wait[j].block == w.block) here |= f->wait[j].lanes;
        if ((w.need & f->live & ~here) == 0) {
            const auto block = w.block;
            f->picked = take(*f, block, false);
            f->forced = 1;
            return block;
        }
    }
    if (!barrier_waits) {
        const auto all = waiting_lanes(*f);
        for (std::uint32_t k = 0; k < f->waits; ++k) {
            const auto& w = f->wait[k];
            if (w.depth != f->depth || (w.need & f->live & ~all) != 0) continue;
            const auto block = w.block;
            f->picked = take(*f, block, false);
            f->forced = 1;
            return block;
        }
    }
    return kPickedWait;
}

}  // namespace

namespace {

/// The mode is constant in the loop, and sources come before moves: both loops are free of branches.
template <unsigned mode>
void shuffle_lanes(std::uint32_t lanes, const std::uint32_t* __restrict values, const std::uint32_t* __restrict b,
                   const std::uint32_t* __restrict c, std::uint32_t* __restrict out, std::uint32_t* __restrict flags) {
    std::int32_t from[64];
    for (std::uint32_t warp = 0; warp < lanes; warp += 32) {
        for (std::int32_t l = 0; l < 32; ++l) {
            const auto by = static_cast<std::int32_t>(b[warp + static_cast<unsigned>(l)] & 31);
            const auto w = static_cast<std::int32_t>(c[warp + static_cast<unsigned>(l)]);
            const std::int32_t clamp = w & 31, segment = w >> 8 & 31, top = (l & segment) | (clamp & ~segment);
            const std::int32_t j = mode == 0   ? l - by
                                   : mode == 1 ? l + by
                                   : mode == 2 ? l ^ by
                                               : (l & segment) | (by & ~segment);
            const std::int32_t in = mode == 0 ? -(j >= top) : -(j <= top);
            from[warp + static_cast<unsigned>(l)] = (j & in) | (l & ~in);
            flags[warp + static_cast<unsigned>(l)] = static_cast<std::uint32_t>(in & 1);
        }
        for (std::uint32_t l = 0; l < 32; ++l) out[warp + l] = values[warp + static_cast<unsigned>(from[warp + l])];
    }
}

/// redux.min and .max of floats, as bits: op 6 is the minimum; `how`: 1 of magnitudes, 2 a NaN is the result. The first
/// lane's value is combined with itself.
std::uint32_t reduce_floats(std::uint32_t op, std::uint32_t how, std::uint32_t r, std::uint32_t x, bool first) {
    const std::uint32_t bits = how & 1 ? x & 0x7fffffffu : x;
    const float y = __builtin_bit_cast(float, bits), z = __builtin_bit_cast(float, r);
    if (first) return y != y ? 0x7fffffffu : bits;
    if (y != y) return how & 2 ? 0x7fffffffu : r;
    if (z != z) return how & 2 ? r : bits;
    const bool take = op == 6 ? (y < z || (y == z && std::signbit(y))) : (y > z || (y == z && !std::signbit(y)));
    return take ? bits : r;
}

std::uint32_t reduce_integers(std::uint32_t op, std::uint32_t r, std::uint32_t x) {
    const auto signed_r = static_cast<std::int32_t>(r), signed_x = static_cast<std::int32_t>(x);
    switch (op) {
        case 0:
            return r + x;
        case 1:
            return std::min(r, x);
        case 2:
            return static_cast<std::uint32_t>(std::min(signed_r, signed_x));
        case 3:
            return std::max(r, x);
        case 4:
            return static_cast<std::uint32_t>(std::max(signed_r, signed_x));
        case 8:
            return r & x;
        case 9:
            return r | x;
        case 10:
            return r ^ x;
        default:
            return r;
    }
}

}  // namespace

extern "C" {

std::uint32_t ww_rt_pick(BlockContext* c, WarpFrame* f, std::uint32_t blocks, std::uint64_t* pending,
                         std::uint32_t first_block) {
    if (blocks == 0) return wake(c, f);
    const auto& code = *c->executor->launch.code;
    const auto woken = wake(c, f);
    if (woken == kPickedError) return woken;
    if (woken < blocks) {
        // At once, because a barrier's result for these lanes is in the frame only until others are woken.
        pending[woken] |= f->picked;
        f->picked = pending[woken];
        f->stepped = 0;
        return woken;
    }
    std::uint32_t found = blocks;
    for (std::uint32_t b = f->rotate; b < blocks && found == blocks; ++b)
        if (pending[b]) found = b;
    if (found == blocks) {
        f->rotate = 0;
        for (std::uint32_t b = 0; b < blocks && found == blocks; ++b)
            if (pending[b]) found = b;
    }
    if (found == blocks) return woken == kPickedWait ? kPickedWait : kPickedNone;
    if (code.yields[first_block + found] && !f->stepped) {
        // The turn ends here.
        f->stepped = 1;
        f->spun_at = first_block + found;
        if (++f->spin % kTurnsToRotate == 0) f->rotate = found + 1;
        return kPickedYield;
    }
    f->stepped = 0;
    f->picked = pending[found];
    return found;
}

std::uint64_t ww_rt_warp_wait(BlockContext* c, WarpFrame* f, std::uint32_t block, std::uint64_t lanes,
                              std::uint64_t need) {
    const bool forced = f->forced;
    f->forced = 0;
    std::uint64_t total = lanes;
    for (std::uint32_t k = 0; k < f->waits; ++k)
        if (f->wait[k].depth == f->depth && f->wait[k].block == block && f->wait[k].barrier == kWarpWait)
            total |= f->wait[k].lanes;
    if (forced || (need & f->live & ~total) == 0) {
        take(*f, block, false);
        return total & f->live;
    }
    if (!add_wait(c, f, {lanes, need, block, kWarpWait, 0, 0, 0, 0})) return 0;
    return 0;
}

std::uint32_t ww_rt_bar_wait(BlockContext* c, WarpFrame* f, std::uint32_t site, std::uint32_t next, std::uint32_t id,
                             std::uint32_t count, std::uint64_t lanes, std::uint64_t holds, std::uint32_t aligned) {
    auto& launch = c->executor->launch;
    if (id >= 16) {
        launch.fail({ErrorKind::fault, "barrier number " + std::to_string(id) + " is not one of 0 to 15",
                     location(*launch.code->module, launch.code->barriers[site]), "", Cause::barrier});
        return 0;
    }
    c->executor->current->any_arrived = true;
    auto& b = c->executor->current->barriers[id];
    b.arrived += static_cast<std::uint32_t>(__builtin_popcountll(lanes));
    b.holding += static_cast<std::uint32_t>(__builtin_popcountll(holds));
    if (count) b.wanted = count;
    f->barrier_site = site;
    if (c->check) check_arrive(*c->executor->current, id, *f, lanes, true, site);
    return add_wait(c, f, {lanes, aligned ? f->live : lanes, next, id, 0, 0, 0, 0}) ? 1 : 0;
}

void ww_rt_bar_differs(BlockContext* c, WarpFrame* f, std::uint32_t site, std::uint64_t lanes) {
    auto& launch = c->executor->launch;
    const auto* at = launch.code->barriers[site];
    launch.fail(
        {ErrorKind::fault,
         at->spelling() +
             ": the barrier's number and thread count may not differ between the lanes of a warp, as they do at " +
             thread_text(*c, *f, static_cast<unsigned>(__builtin_ctzll(lanes))),
         location(*launch.code->module, at), "", Cause::barrier},
        record::FindingKind::barrier_divergence);
}

std::uint32_t ww_rt_bar_arrive(BlockContext* c, WarpFrame* f, std::uint32_t site, std::uint32_t id, std::uint32_t count,
                               std::uint64_t lanes) {
    auto& launch = c->executor->launch;
    if (id >= 16 || count == 0) {
        launch.fail({ErrorKind::fault, "bar.arrive needs a barrier number from 0 to 15 and a thread count",
                     location(*launch.code->module, launch.code->barriers[site]), "", Cause::barrier});
        return 0;
    }
    c->executor->current->any_arrived = true;
    auto& b = c->executor->current->barriers[id];
    b.arrived += static_cast<std::uint32_t>(__builtin_popcountll(lanes));
    b.wanted = count;
    if (c->check) check_arrive(*c->executor->current, id, *f, lanes, false, site);
    return 1;
}

void ww_rt_shuffle(std::uint32_t mode, std::uint32_t lanes, const std::uint32_t* values, const std::uint32_t* b,
                   const std::uint32_t* c, std::uint32_t* out, std::uint32_t* flags) {
    switch (mode) {
        case 0:
            return shuffle_lanes<0>(lanes, values, b, c, out, flags);
        case 1:
            return shuffle_lanes<1>(lanes, values, b, c, out, flags);
        case 2:
            return shuffle_lanes<2>(lanes, values, b, c, out, flags);
        default:
            return shuffle_lanes<3>(lanes, values, b, c, out, flags);
    }
}

void ww_rt_match(std::uint32_t all, const std::uint64_t* values, const std::uint64_t* masks, std::uint64_t active,
                 std::uint64_t* out, std::uint64_t* flags) {
    for (auto rest = active; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        std::uint64_t same = 0;
        const auto group = masks[l] & active;
        for (auto g = group; g; g &= g - 1) {
            const auto k = static_cast<unsigned>(__builtin_ctzll(g));
            if (values[k] == values[l]) same |= std::uint64_t{1} << k;
        }
        flags[l] = same == group;
        out[l] = all ? (same == group ? same : 0) : same;
    }
}

void ww_rt_redux(std::uint32_t op, std::uint32_t how, const std::uint64_t* values, const std::uint64_t* masks,
                 std::uint64_t active, std::uint64_t* out) {
    for (auto rest = active; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        auto group = masks[l] & active;
        bool first = true;
        std::uint32_t r = 0;
        for (auto g = group; g; g &= g - 1) {
            const auto x = static_cast<std::uint32_t>(values[__builtin_ctzll(g)]);
            if (op == 6 || op == 7)
                r = reduce_floats(op, how, r, x, first);
            else
                r = first ? x : reduce_integers(op, r, x);
            first = false;
        }
        // All lanes of a group share the result: usually one group, so fill it in one go.
        for (auto g = group & rest; g; g &= g - 1) {
            const auto k = static_cast<unsigned>(__builtin_ctzll(g));
            if (masks[k] == masks[l]) out[k] = r;
        }
        if (group == active) {
            bool uniform = true;
            for (auto g = group; g; g &= g - 1) uniform &= masks[__builtin_ctzll(g)] == masks[l];
            if (uniform) return;
        }
    }
}
}

}  // namespace warpwright::engine

// Compares one access with the stamps that earlier ones left: whether two accesses are ordered, and the finding if they
// are not. Only checked/access.cpp includes this.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <type_traits>

#include "engine/runtime/access_fault.hpp"
#include "engine/runtime/checked/array_names.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/lane_memory.hpp"
#include "engine/runtime/texts.hpp"
#include "engine/shared/atomic_op.hpp"

namespace warpwright::engine {

using record::Finding;
using record::FindingKind;
using shadow::Side;
using shadow::Stamp;

namespace checked_access {

/// One lane's access, as far as it is the same for all pieces of memory that it touches.
struct Access {
    BlockContext* c;
    WarpFrame* f;
    CheckBlock* block;
    const SiteInfo* info;
    unsigned lane;
    Stamp mine;  ///< the stamp that it leaves
    Side side;
    std::uint32_t base, warp_base;
    bool others_known;  ///< shared memory without clusters: stamps of other blocks come from earlier ones
    bool in_shared;
    bool bulk = false;  ///< a bulk copy, which may write what another one has just written
};

inline Access make_access(BlockContext* c, WarpFrame* f, std::uint32_t site, unsigned lane, bool in_shared) {
    auto& b = checked(c);
    const auto& info = c->executor->launch.code->sites[site];
    Access a;
    a.c = c, a.f = f, a.block = &b, a.info = &info, a.lane = lane;
    a.mine = b.key | (Stamp{f->warp} * 32 + lane) << shadow::kThreadShift | b.clock.tick();
    a.side = shadow::side_of(site, info.strength);
    a.base = b.clock.base();
    a.warp_base = b.clock.warp_base(f->warp);
    a.in_shared = in_shared;
    a.others_known = in_shared && c->cluster_size <= 1;
    return a;
}

/// Ordered before `a` by the times of blocks and warps alone.
inline bool known(Stamp s, const Access& a) {
    const auto d = s ^ a.mine;
    if (d >> shadow::kGenerationShift) return true;
    if (d >> shadow::kBlockShift) return a.others_known;
    if (s & shadow::kAgent) return false;
    return shadow::tick_of(s) <= a.base || d >> shadow::kThreadShift == 0 ||
           (d >> (shadow::kThreadShift + 5) == 0 && shadow::tick_of(s) <= a.warp_base);
}

/// Neither the times nor a release and acquire order the stamp before `a`.
inline bool unordered(Stamp s, Side side, const Access& a) {
    if (known(s, a)) return false;
    return !a.block->clock.knows(s, shadow::strength_of(side) == shadow::kStrongBlock, a.f->warp,
                                 static_cast<int>(a.lane));
}

inline void place_of(const Access& a, Stamp s, record::FindingPlace& p) {
    const auto& launch = a.c->executor->launch;
    const auto& shape = launch.code->options.block;
    std::uint32_t at[3];
    block_position(shadow::block_of(s), launch.grid, at);
    const auto linear = shadow::thread_of(s);
    p.block = {at[0], at[1], at[2]};
    p.thread = {linear % shape.x, linear / shape.x % shape.y, linear / shape.x / shape.y};
}

/// The instruction that has left a stamp's side; null for one past the most that are numbered.
inline const SiteInfo* site_of(const Access& a, Side side) {
    const auto& sites = a.c->executor->launch.code->sites;
    const auto index = shadow::site_of(side);
    return index < sites.size() && index < shadow::kMostSites ? &sites[index] : nullptr;
}

/// The kind of race and the two instructions; which of the two came first is arbitrary.
struct RacePair {
    FindingKind kind;
    const SiteInfo* other;
    const simt::Details *low, *high;
};

inline RacePair pair_of(const Access& a, Stamp s, Side side) {
    const bool agent = (s & shadow::kAgent) != 0,
               same_block = s >> shadow::kBlockShift == a.mine >> shadow::kBlockShift;
    const bool same_warp = same_block && !agent && shadow::thread_of(s) / 32 == a.f->warp;
    RacePair p;
    p.kind = agent         ? FindingKind::unfinished_copy
             : same_warp   ? FindingKind::race_lanes
             : a.in_shared ? FindingKind::race_shared
                           : FindingKind::race_global;
    p.other = site_of(a, side);
    p.low = a.info->ptx, p.high = p.other ? p.other->ptx : nullptr;
    if (std::less<>{}(p.high, p.low)) std::swap(p.low, p.high);
    return p;
}

inline bool was_reported(const Access& a, Stamp s, Side side) {
    const auto p = pair_of(a, s, side);
    return launch_of(a.c).collector->again(p.kind, p.low, p.high, 0);
}

/// The load of a loop around a compare-and-swap, if the pair is one: no barrier makes it see what the others swap in.
inline std::string swapped_load_advice(const SiteInfo& one, const SiteInfo* other, const Access& a) {
    const auto swaps = [](const SiteInfo& s) {
        return s.kind == SiteInfo::Kind::atomic && static_cast<AtomicOp>(s.operation) == AtomicOp::cas;
    };
    const auto plain = [](const SiteInfo& s) { return s.kind == SiteInfo::Kind::load && s.strength == shadow::kWeak; };
    if (!other || !((swaps(one) && plain(*other)) || (plain(one) && swaps(*other)))) return "";
    const auto where = location(*a.c->executor->launch.code->module, (plain(one) ? one : *other).ptx).text();
    return "make the load" + (where.empty() ? "" : " at " + where) +
           " volatile or atomic: it reads what the compare-and-swap of another thread may be changing";
}

inline void report_race(const Access& a, Stamp s, Side side, bool before_writes, bool writes, std::uint64_t address) {
    auto& launch = launch_of(a.c);
    const bool agent = (s & shadow::kAgent) != 0,
               same_block = s >> shadow::kBlockShift == a.mine >> shadow::kBlockShift;
    const auto [kind, other, low, high] = pair_of(a, s, side);
    if (launch.collector->again(kind, low, high)) return;
    auto found = finding_at(a.c, a.f, a.lane, kind, a.info->ptx);
    found.at.access =
        std::string(writes ? access_name(*a.info) : "load") + " of " + bytes_text(a.info->bytes * a.info->count);
    record::FindingPlace before;
    if (other) {
        const auto where = location(*a.c->executor->launch.code->module, other->ptx);
        before.file = where.file, before.line = where.line, before.column = where.column;
        before.access = std::string(access_name(*other)) + " of " + bytes_text(other->bytes * other->count);
    }
    if (!agent || shadow::strength_of(side) != shadow::kStrongBlock) place_of(a, s, before);
    found.space = a.in_shared ? "shared" : "global";
    found.address = address;
    found.bytes = a.info->bytes * a.info->count;
    const char* what = before_writes && writes ? "unordered writes"
                       : before_writes         ? "unordered read and write"
                                               : "unordered write and read";
    std::optional<Allocation> in;
    if (!a.in_shared) in = launch.device->find(address);
    if (in) found.allocation = {in->address, in->bytes};
    found.array = array_of(a.c->executor->launch, found.space, address, in, *a.info);
    const auto where = found.space + " memory at " + hex_text(address);
    found.message = std::string(what) + " of " +
                    (found.array ? found.array->element + " (" + where + ")" : "the same " + where) + ": " +
                    found.at.thread_text() +
                    (agent           ? " and an asynchronous copy"
                     : before.thread ? " and " + before.thread_text()
                                     : "");
    if (agent) {
        const bool product = other && other->ptx && other->ptx->op == simt::Op::wgmma;
        found.message =
            std::string(writes ? "write to " : "read of ") + (found.array ? found.array->element + ", " : "") + where +
            (product ? " that a matrix product " : " that an asynchronous copy ") +
            (before_writes ? "may still be writing" : "may still be reading") + ": " + found.at.thread_text();
        if (product)
            found.advice = "wait for the product (wgmma.wait_group) before the memory is written again, or handed back";
        else if (!before_writes)
            found.advice =
                "wait for the copy (cp.async.bulk.wait_group.read, or its mbarrier) before the memory is written again";
        else if (shadow::strength_of(side) == shadow::kStrongBlock)
            found.advice = "wait for the phase of the copy's mbarrier before the memory is used";
    } else if (kind == FindingKind::race_shared && !same_block) {
        found.advice =
            "put a barrier of the cluster between them (cluster.sync(), or barrier.cluster.arrive.release and "
            "wait.acquire), or hand over through an mbarrier of scope .cluster on both sides: where an arrival or a "
            "wait names no scope it is that of the block";
    } else if (kind == FindingKind::race_global && same_block) {
        found.advice = "put __syncthreads() between them";
    } else if (kind == FindingKind::race_global && shadow::strength_of(side) >= shadow::kStrong &&
               a.info->strength >= shadow::kStrong) {
        found.advice = "the scopes of the two do not include each other: use the device-wide form";
    }
    if (const auto advice = agent ? std::string() : swapped_load_advice(*a.info, other, a); !advice.empty())
        found.advice = advice;
    found.other = std::move(before);
    launch.collector->add(std::move(found), low, high);
}

/// Whether a load reads these bytes into registers that nothing reads: compilers load all of a vector where the program
/// names a part of it. Vectors are aligned to their size, so the address says which elements the bytes are.
inline bool is_unused(const SiteInfo* load, std::uint64_t address, std::uint64_t bytes) {
    if (!load || !load->unused || load->kind != SiteInfo::Kind::load) return false;
    const std::uint64_t in = address & (std::uint64_t{load->bytes} * load->count - 1);
    const std::uint64_t first = in / load->bytes, last = (in + (bytes - 1)) / load->bytes;
    for (auto e = first; e <= last; ++e)
        if (e >= load->count || !(load->unused >> e & 1)) return false;
    return true;
}

/// Two accesses that may be concurrent: atomics, and those declared as shared between threads (relaxed, volatile).
inline bool both_strong(Stamp s, Side side, const Access& a) {
    const auto x = shadow::strength_of(side), y = a.info->strength;
    if (x == shadow::kWeak || y == shadow::kWeak || (s & shadow::kAgent)) return false;
    const bool same_block = s >> shadow::kBlockShift == a.mine >> shadow::kBlockShift;
    // `volatile` between lanes of a warp is how old code relied on lockstep: the values are in memory, but their order
    // is not defined.
    if (x == shadow::kVolatile && y == shadow::kVolatile && same_block && shadow::thread_of(s) / 32 == a.f->warp)
        return false;
    return same_block || (x >= shadow::kStrong && y >= shadow::kStrong);
}

/// The thread has read what the other wrote, so that write came before.
inline bool observed(const shadow::Cells& cells, std::uint64_t i, const Access& a) {
    const auto mine = [&](Stamp r, Side side) {
        return r >> shadow::kThreadShift == a.mine >> shadow::kThreadShift &&
               shadow::strength_of(side) != shadow::kWeak;
    };
    return shadow::strength_of(cells.written_side[i]) != shadow::kWeak && !(cells.written[i] & shadow::kAgent) &&
           (mine(cells.read[i], cells.read_side[i]) || mine(cells.read_too[i], cells.read_too_side[i]));
}

/// The lane as an accessor of whole lines, for long accesses.
inline shadow::Accessor of_lane(const Access& a, Side side) {
    shadow::Accessor x;
    x.key = a.block->key, x.tick = a.block->clock.tick(), x.base = a.base, x.warp = a.f->warp,
    x.warp_base = a.warp_base, x.side = side;
    x.others_known = a.others_known;
    x.clock = &a.block->clock, x.lane = static_cast<int>(a.lane);
    return x;
}
/// `leaves`: the stamp of asynchronous work that reads, in place of the thread's; 0: the thread reads.
inline void race_read(shadow::Shadow& shadow, const Access& a, std::uint64_t at, std::uint64_t bytes,
                      Stamp leaves = 0) {
    const auto side = leaves ? shadow::side_of(shadow::site_of(a.side), shadow::kStrongBlock) : a.side;
    const auto mine = leaves ? leaves : a.mine;
    auto whole = of_lane(a, side);
    whole.leaves = leaves;
    for (std::uint64_t k = 0; k < bytes;) {
        const auto at_once = bytes - k < shadow::Shadow::kLine ? 0 : shadow.read_long(at + k, bytes - k, a.lane, whole);
        k += at_once;
        if (at_once) continue;
        const auto p = shadow.piece(at + k, bytes - k, a.mine, false);
        auto& cells = *p.cells;
        const bool unused = !leaves && is_unused(a.info, at + k, p.bytes);
        const Stamp w = cells.written[p.index].acquire();  // stamps before sides
        if (!known(w, a) && !both_strong(w, cells.written_side[p.index], a) && !observed(cells, p.index, a) &&
            unordered(w, cells.written_side[p.index], a) && !unused)
            report_race(a, w, cells.written_side[p.index], true, false, at + k);
        // (An unused one would take the place of another that is used.)
        if (!unused) shadow::note_read(cells, p.index, mine, side, [&](Stamp s, Side) { return known(s, a); });
        k += p.bytes;
    }
}

/// For race_write(): the two values written may differ.
inline bool never_same() { return false; }

/// Threads that write by one instruction: lanes of a warp, or in shared memory warps of a block. Where fewer numbers
/// are summed up than there are threads, several warps have the same sum.
inline bool is_one_instruction(const Access& a, Stamp s, Side side) {
    const auto shift = a.in_shared ? shadow::kBlockShift : shadow::kThreadShift + 5;
    return s >> shift == a.mine >> shift && !(s & shadow::kAgent) && shadow::site_of(side) == shadow::site_of(a.side);
}

/// Whether two writes have the same value. The other's stamp may be visible before its value, if another host thread
/// runs its block; only a difference that lasts counts. Only new findings wait that long.
template <class Same>
bool writes_agree(const Access& a, Stamp s, Side side, Same&& same) {
    if (((s & shadow::kAgent) && !a.bulk) || std::is_same_v<std::decay_t<Same>, decltype(&never_same)>) return false;
    if (same()) return true;
    if constexpr (requires { same.nearly(); })
        if (is_one_instruction(a, s, side) && same.nearly()) return true;
    if (a.in_shared || s >> shadow::kBlockShift == a.mine >> shadow::kBlockShift || was_reported(a, s, side))
        return false;
    for (int k = 0; k < 100; ++k) {
        std::this_thread::sleep_for(std::chrono::microseconds(k < 10 ? 1 : 200));
        std::atomic_thread_fence(std::memory_order_acquire);
        if (same()) return true;
    }
    return false;
}

/// `same()`: memory has the value already, so that two writes of it are no race. same(k, n): n bytes of it from the
/// k-th on have.
template <class Same>
void race_write(shadow::Shadow& shadow, const Access& a, std::uint64_t at, std::uint64_t bytes, Same&& same,
                Stamp leaves, Side side) {
    auto whole = of_lane(a, side);
    whole.leaves = leaves;
    for (std::uint64_t k = 0; k < bytes;) {
        const auto at_once =
            bytes - k < shadow::Shadow::kLine ? 0 : shadow.write_long(at + k, bytes - k, a.lane, whole);
        k += at_once;
        if (at_once) continue;
        const auto p = shadow.piece(at + k, bytes - k, a.mine, true);
        auto& cells = *p.cells;
        const auto i = p.index;
        const Stamp w = cells.written[i].acquire();  // stamps before sides
        const auto agree = [&] {
            if constexpr (std::is_invocable_v<Same, std::uint64_t, std::uint64_t>)
                return writes_agree(a, w, cells.written_side[i], [&] { return same(k, p.bytes); });
            else
                return writes_agree(a, w, cells.written_side[i], same);
        };
        if (!known(w, a) && !both_strong(w, cells.written_side[i], a) && !observed(cells, i, a) &&
            unordered(w, cells.written_side[i], a) && !agree())
            report_race(a, w, cells.written_side[i], true, true, at + k);
        if (cells.read[i]) {
            for (int second = 0; second < 2; ++second) {
                const Stamp r = (second ? cells.read_too[i] : cells.read[i]).acquire();
                const Side r_side = second ? cells.read_too_side[i] : cells.read_side[i];
                if (!r || known(r, a) || both_strong(r, r_side, a) || !unordered(r, r_side, a)) continue;
                if (!(r & shadow::kAgent) && is_unused(site_of(a, r_side), at + k, p.bytes)) continue;
                report_race(a, r, r_side, false, true, at + k);
                break;
            }
            cells.read[i] = 0;
            if (cells.read_too[i]) cells.read_too[i] = 0;
        }
        shadow::put_stamp(cells.written[i], cells.written_side[i], leaves, side);
        k += p.bytes;
    }
}

}  // namespace checked_access
}  // namespace warpwright::engine

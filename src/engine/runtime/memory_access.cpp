// Memory accesses whose pattern is not known at compile time: bounds to the byte, generic addresses, counts, and the
// access itself. A bounds check of generated code that misses comes here too.
#include <algorithm>
#include <cstring>

#include "counters/access.hpp"
#include "engine/runtime/access_counts.hpp"
#include "engine/runtime/access_fault.hpp"
#include "engine/runtime/apply_atomic.hpp"
#include "engine/runtime/async_op.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/kernel_memory.hpp"
#include "engine/runtime/lane_gather.hpp"
#include "engine/runtime/lane_memory.hpp"
#include "engine/runtime/lane_pattern.hpp"
#include "engine/runtime/linked_access.hpp"
#include "engine/runtime/local_move.hpp"
#include "engine/runtime/memory_access.hpp"
#include "engine/runtime/row_access.hpp"
#include "engine/shared/atomic_op.hpp"
#include "engine/shared/executor.hpp"

namespace warpwright::engine {

namespace {

/// What [address, address + bytes) of device memory is to an access.
enum class Reach : std::uint8_t {
    no,
    past_end,  ///< not the kernel's, but memory that does no harm: the access is noted, and happens
    yes,
};

/// Where the access is within an allocation, its site remembers that for the next time.
Reach reach(BlockContext* c, Site& site, const SiteInfo& info, std::uint64_t address, std::uint64_t bytes) {
    if (covers(site.found, site.found_bytes, address, bytes)) return Reach::yes;
    const auto& launch = c->executor->launch;
    const auto there = launch.memory->find(address);
    if (there && !launch.reaches(*there)) return Reach::no;
    if (!there || !there->covers(address, bytes))
        return launch.memory->tolerates(address, bytes, writes(info)) ? Reach::past_end : Reach::no;
    if (!there->allows(address, bytes, writes(info))) return Reach::no;
    c->executor->touched.note(*there, info);
    if (there->mixed) return Reach::yes;  // the next address may be another device's
    if (site.found != there->address) site.order = nullptr;
    site.found = there->address;
    site.found_bytes = there->bytes;
    return Reach::yes;
}

/// Whether one lane may make the access; noted where it is only tolerated.
bool reach_lane(BlockContext* c, const WarpFrame* f, Site& site, const SiteInfo& info, std::uint64_t address,
                unsigned bytes, unsigned lane) {
    const auto reached = reach(c, site, info, address, bytes);
    if (reached == Reach::past_end) note_past_end(c, f, info, address, bytes, lane);
    return reached != Reach::no;
}

/// reach() for generated code, which then compares addresses with the allocation itself: it asks with spans of up to
/// `most` bytes. An allocation that is smaller is asked for each time.
Reach reach_span(BlockContext* c, Site& site, const SiteInfo& info, std::uint64_t address, std::uint64_t bytes,
                 std::uint64_t most) {
    const auto reached = reach(c, site, info, address, bytes);
    // Accesses to another device's memory are counted each.
    if (c->executor->launch.code->options.linked && in_other_device(c, address)) return reached;
    if (reached == Reach::yes && most && most <= site.found_bytes &&
        covers(site.found, site.found_bytes, address, bytes)) {
        site.base = site.found;
        site.limit = (site.found_bytes - most) >> __builtin_ctz(info.bytes * info.count);
    }
    return reached;
}

bool reach_span_lane(BlockContext* c, const WarpFrame* f, Site& site, const SiteInfo& info, std::uint64_t address,
                     unsigned bytes, std::uint64_t most, unsigned lane) {
    const auto reached = reach_span(c, site, info, address, bytes, most);
    if (reached == Reach::past_end) note_past_end(c, f, info, address, bytes, lane);
    return reached != Reach::no;
}

struct Lanes {
    std::uint64_t shared = 0, local = 0;
};

/// Computes the host addresses of all active lanes, if all are at multiples of `total` in the range. False if one is
/// not; the general path finds it.
bool locate_within(const LaneRange& range, unsigned total, const std::uint64_t* addresses, std::uint64_t mask,
                   unsigned count, std::uint8_t** out) {
    if (count == 32) return places_in_range(range, addresses, static_cast<std::uint32_t>(mask), total, out);
    return places_in_range(range, addresses, static_cast<std::uint32_t>(mask), total, out) &&
           places_in_range(range, addresses + 32, static_cast<std::uint32_t>(mask >> 32), total, out + 32);
}

/// Computes the host addresses of all active lanes (local lanes: null). False after a fault was recorded.
bool locate(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info, const std::uint64_t* addresses,
            std::uint64_t mask, std::uint8_t** out, Lanes& lanes) {
    const unsigned total = info.bytes * info.count;
    auto& site = c->sites[index];
    const unsigned count = c->executor->launch.code->options.block.lanes;
    // The usual cases: shared memory, and the allocation of the last access.
    if (info.space == simt::Space::shared &&
        locate_within({0, c->shared_size, reinterpret_cast<std::uint64_t>(c->shared), 0xffffffffu}, total, addresses,
                      mask, count, out)) {
        lanes.shared = mask;
        return true;
    }
    // (A generic address within an allocation is in no window.)
    if (info.space != simt::Space::shared && info.space != simt::Space::local && site.found_bytes &&
        locate_within({site.found, site.found_bytes}, total, addresses, mask, count, out))
        return true;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        const auto bit = std::uint64_t{1} << l;
        const auto r = resolve(c, info.space, addresses[l]);
        bool good = (r.address & (total - 1)) == 0;
        if (r.space == simt::Space::shared) {
            good = good && covers(0, c->shared_size, r.address, total);
            out[l] = r.peer ? r.peer : c->shared + r.address;
            lanes.shared |= bit;
        } else if (r.space == simt::Space::local) {
            good = good && covers(0, f->local_size, r.address, total);
            out[l] = nullptr;
            lanes.local |= bit;
        } else {
            good = good && reach_lane(c, f, site, info, r.address, total, l);
            out[l] = reinterpret_cast<std::uint8_t*>(r.address);
        }
        if (!good) {
            access_fault(c, f, info, r.space, r.address, total, l);
            return false;
        }
    }
    return true;
}

template <class T>
void gather(std::uint8_t* const* places, std::uint64_t mask, unsigned lanes, unsigned count, void* out) {
    auto* to = static_cast<T*>(out);
    if (mask == 0xffffffffu && lanes == 32 && count == 1) {
        for (unsigned l = 0; l < 32; ++l) kernel_memory::load_one<T>(to + l, places[l]);
        return;
    }
    for (; mask; mask &= mask - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(mask));
        for (unsigned e = 0; e < count; ++e) kernel_memory::load_one<T>(to + e * lanes + l, places[l] + e * sizeof(T));
    }
}

template <class T>
void scatter(std::uint8_t* const* places, std::uint64_t mask, unsigned lanes, unsigned count, const void* data) {
    auto* from = static_cast<const T*>(data);
    for (; mask; mask &= mask - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(mask));
        for (unsigned e = 0; e < count; ++e)
            kernel_memory::store_one<T>(places[l] + e * sizeof(T), from + e * lanes + l);
    }
}

/// The same under the checkers, which handle each lane separately.
void count_checked(BlockContext* c, std::uint32_t index, const SiteInfo& info, const std::uint64_t* addresses,
                   std::uint64_t mask) {
    if (!info.counted || !c->executor->launch.counters || !mask) return;
    std::uint64_t in_shared = info.space == simt::Space::shared ? mask : 0,
                  in_local = info.space == simt::Space::local ? mask : 0;
    if (info.space == simt::Space::generic)
        for (auto rest = mask; rest; rest &= rest - 1) {
            const auto space = resolve(c, info.space, addresses[__builtin_ctzll(rest)]).space;
            if (space == simt::Space::shared) in_shared |= rest & -rest;
            if (space == simt::Space::local) in_local |= rest & -rest;
        }
    count_request(c, index, info, addresses, mask, in_shared, in_local);
}

LanePatterns& patterns_of(BlockContext* c, std::uint32_t index) {
    auto& all = c->executor->patterns;
    if (all.empty()) all.resize(c->executor->sites.size());
    auto& patterns = all[index];
    if (!patterns) patterns = std::make_shared<LanePatterns>();
    return *patterns;
}

/// Whether such loads may be done by load_directly().
bool may_be_direct(const BlockContext* c, const SiteInfo& info) {
    const auto& launch = c->executor->launch;
    const auto& options = launch.code->options;
    return info.bytes == 4 && info.count == 1 && info.space != simt::Space::shared && info.counted && !c->check &&
           launch.counters && !options.linked && options.block.lanes == 32 &&
           options.transaction_bytes == counters::kCoalesceSectors.segment_bytes;
}

/// What move_lanes() does for a word of each lane, where it would find that all lie in the allocation of the last
/// access and nothing repeats. False, with nothing done, if they do not, or the site is none of those.
bool load_directly(BlockContext* c, std::uint32_t index, const std::uint64_t* addresses, std::uint64_t mask,
                   void* data) {
    auto& site = c->sites[index];
    if (site.direct == 0 || !mask) return false;
    --site.direct;
    if (!move_in_range({site.found, site.found_bytes}, addresses, static_cast<std::uint32_t>(mask), 4, 1, data, false))
        return false;
    site.passes += counters::global_sectors(addresses, mask, 4, 32);
    return true;
}

/// Moves the lanes where all of them lie in the range, and this CPU has quick ways.
bool move_quickly(BlockContext* c, std::uint32_t index, const SiteInfo& info, const LaneRange& range,
                  const std::uint64_t* addresses, std::uint64_t mask, void* data, bool store) {
    if (info.bytes < 4 || !mask) return false;
    const auto lanes = static_cast<std::uint32_t>(mask);
    auto& patterns = patterns_of(c, index);
    auto& order = c->sites[index].order;
    order = nullptr;  // it may be made anew below
    const bool looks = patterns.looks();
    if (looks && patterns.moves_again(range, addresses, lanes, info.bytes, info.count, data, store)) {
        if (count_again(c, index, info, addresses, mask, patterns.last()))
            order = patterns.last().for_code(range, info.bytes * info.count);
        return true;
    }
    if (!move_in_range(range, addresses, lanes, info.bytes, info.count, data, store)) return false;
    count_request(c, index, info, addresses, mask, info.space == simt::Space::shared ? mask : 0, 0);
    if (looks) patterns.note(addresses, lanes);
    return true;
}

}  // namespace

bool move_lanes(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info,
                const std::uint64_t* addresses, std::uint64_t mask, void* data, bool store) {
    if (c->check) {
        count_checked(c, index, info, addresses, mask);
        return checked_move(c, f, index, info, addresses, mask, data, store);
    }
    const auto& code = *c->executor->launch.code;
    const unsigned lanes = code.options.block.lanes;
    if (in_local_memory(c, info, addresses, mask) && local_move(c, f, info, addresses, mask, data, store)) {
        count_request(c, index, info, addresses, mask, 0, mask);
        return true;
    }
    if (const auto& site = c->sites[index];
        lanes == 32 && (info.space == simt::Space::shared || (site.found_bytes && info.space != simt::Space::local))) {
        const bool shared = info.space == simt::Space::shared;
        const auto range = shared
                               ? LaneRange{0, c->shared_size, reinterpret_cast<std::uint64_t>(c->shared), 0xffffffffu}
                               : LaneRange{site.found, site.found_bytes, 0, ~std::uint64_t{0}};
        if (move_quickly(c, index, info, range, addresses, mask, data, store)) return true;
    }
    std::uint8_t* places[64];
    Lanes kinds;
    if (!locate(c, f, index, info, addresses, mask, places, kinds)) return false;
    count_request(c, index, info, addresses, mask, kinds.shared, kinds.local);
    for (auto rest = kinds.local; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        const auto address = resolve(c, info.space, addresses[l]).address;
        for (unsigned e = 0; e < info.count; ++e)
            local_copy(f, lanes, l, address + e * info.bytes,
                       static_cast<std::uint8_t*>(data) + (e * lanes + l) * info.bytes, info.bytes, store);
    }
    mask &= ~kinds.local;
    auto go = [&](auto zero) {
        using T = decltype(zero);
        if (store)
            scatter<T>(places, mask, lanes, info.count, data);
        else
            gather<T>(places, mask, lanes, info.count, data);
    };
    switch (info.bytes) {
        case 1:
            go(std::uint8_t{});
            break;
        case 2:
            go(std::uint16_t{});
            break;
        case 4:
            go(std::uint32_t{});
            break;
        default:
            go(std::uint64_t{});
            break;
    }
    return true;
}

bool locate_shared(BlockContext* c, WarpFrame* f, const SiteInfo& info, const std::uint64_t* addresses,
                   std::uint64_t mask, unsigned count, std::uint8_t** out) {
    for (unsigned l = 0; l < count; ++l) {
        const auto r = resolve(c, addresses[l] - c->shared_window < kSharedWindows ? simt::Space::generic : info.space,
                               addresses[l]);
        if (r.address % 16 != 0 || !covers(0, c->shared_size, r.address, 16)) {
            access_fault(c, f, info, simt::Space::shared, r.address, 16, mask >> l & 1 ? l : 0);
            return false;
        }
        out[l] = r.peer ? r.peer : c->shared + r.address;
    }
    return true;
}

namespace {

/// An access whose address is an affine form of the scalars.
bool affine_access(BlockContext* c, WarpFrame* f, std::uint32_t index, const std::int64_t* scalars, std::uint64_t mask,
                   void* data, bool store) {
    const auto& code = *c->executor->launch.code;
    const auto& info = code.sites[index];
    if (row_access(c, index, info, scalars, mask, data, store)) return true;
    std::uint64_t addresses[simt::kMaxLanes];
    info.form->addresses(scalars, code.options.block.lanes, addresses);
    return move_lanes(c, f, index, info, addresses, mask, data, store);
}

}  // namespace

extern "C" {

std::uint32_t ww_rt_load_affine(BlockContext* c, WarpFrame* f, std::uint32_t index, const std::int64_t* scalars,
                                std::uint64_t mask, void* out) {
    return affine_access(c, f, index, scalars, mask, out, false);
}

std::uint32_t ww_rt_store_affine(BlockContext* c, WarpFrame* f, std::uint32_t index, const std::int64_t* scalars,
                                 std::uint64_t mask, void* data) {
    return affine_access(c, f, index, scalars, mask, data, true);
}

/// Generated code found [address, address + span) outside the allocation that its site remembers. The lanes of `mask`
/// from lane `first` on access consecutive addresses (or all the same, where span is one access).
std::uint32_t ww_rt_resolve(BlockContext* c, WarpFrame* f, std::uint32_t index, std::uint64_t address,
                            std::uint64_t span, std::uint64_t most, std::uint64_t mask, std::uint32_t first) {
    const auto& info = c->executor->launch.code->sites[index];
    const unsigned total = info.bytes * info.count;
    auto whole = Reach::no;
    if (info.space != simt::Space::shared && address % total == 0)
        whole = reach_span(c, c->sites[index], info, address, span, most);
    if (whole == Reach::yes) {
        if (!(first & kAnyLane)) count_linked_run(c, c->sites[index], info, address, span, mask, first);
        return 1;
    }
    if (first & kAnyLane) {
        // Every lane is active here, and both ends of the span are bytes of some lane.
        const auto last = address + span - total;
        if (whole == Reach::past_end) {
            note_past_end(c, f, info, last, total, first & 0xff);
            return 1;
        }
        const bool start_bad =
            address % total != 0 ||
            (info.space == simt::Space::shared ? !covers(0, c->shared_size, address, total)
                                               : reach(c, c->sites[index], info, address, total) == Reach::no);
        // Both ends are valid but not in one allocation, so some bytes in between are not.
        access_fault(c, f, info, info.space, start_bad ? address : last, total,
                     start_bad ? first >> 8 & 0xff : first & 0xff);
        return 0;
    }
    // The span is not valid as a whole: looks for the active lane that is at fault, if any.
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        if (l < first) continue;
        const auto from_start = span == total ? 0 : std::uint64_t{l - first} * total;
        if (from_start >= span) break;
        const auto at = address + from_start;
        bool good = at % total == 0;
        if (info.space == simt::Space::shared)
            good = good && covers(0, c->shared_size, at, total);
        else
            good = good && reach_span_lane(c, f, c->sites[index], info, at, total, most, l);
        if (!good) {
            access_fault(c, f, info, info.space, at, total, l);
            return 0;
        }
    }
    count_linked_run(c, c->sites[index], info, address, span, mask, first);
    return 1;
}

void ww_rt_local_fault(BlockContext* c, WarpFrame* f, std::uint32_t index, std::uint64_t address, std::uint64_t mask) {
    const auto& info = c->executor->launch.code->sites[index];
    access_fault(c, f, info, simt::Space::local, address, info.bytes * info.count,
                 static_cast<unsigned>(__builtin_ctzll(mask)));
}

std::uint32_t ww_rt_load(BlockContext* c, WarpFrame* f, std::uint32_t index, const std::uint64_t* addresses,
                         std::uint64_t mask, void* out) {
    if (load_directly(c, index, addresses, mask, out)) return 1;
    const auto& info = c->executor->launch.code->sites[index];
    if (!move_lanes(c, f, index, info, addresses, mask, out, false)) return 0;
    if (auto& site = c->sites[index]; site.direct == 0 && site.found_bytes && may_be_direct(c, info))
        site.direct = patterns_of(c, index).skip();
    return 1;
}

std::uint32_t ww_rt_store(BlockContext* c, WarpFrame* f, std::uint32_t index, const std::uint64_t* addresses,
                          std::uint64_t mask, void* data) {
    return move_lanes(c, f, index, c->executor->launch.code->sites[index], addresses, mask, data, true);
}

/// A warp's additions to words of its block's shared memory: the histogram's inner loop. False, with nothing done, in
/// any unusual case.
static bool add_to_shared(BlockContext* c, std::uint32_t index, const SiteInfo& info, const std::uint64_t* addresses,
                          std::uint64_t mask, const std::uint32_t* add, std::uint32_t* old) {
    if (info.space != simt::Space::shared || info.bytes != 4 || !mask || c->shared_size < 4) return false;
    const auto offset = [&](unsigned l) { return static_cast<std::uint32_t>(addresses[l]); };
    if (!all_in_range({0, c->shared_size, 0, 0xffffffffu}, addresses, static_cast<std::uint32_t>(mask), 4))
        return false;
    if (info.counted && c->executor->launch.counters) {
        const auto cost = counters::shared_cost(shared_op(info), addresses, 0, mask, 4, 32, last_request(c, index));
        c->sites[index].passes += cost.wavefronts;
        c->sites[index].excess += cost.bank_conflicts;
    }
    auto* const shared = c->shared;
    if (info.counts_ones && mask == 0xffffffffu) {
        for (unsigned l = 0; l < 32; ++l) ++*reinterpret_cast<std::uint32_t*>(shared + offset(l));
        return true;
    }
    for (auto rest = static_cast<std::uint32_t>(mask); rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctz(rest));
        auto* p = reinterpret_cast<std::uint32_t*>(shared + offset(l));
        const auto before = *p;
        *p = before + add[l];
        old[l] = before;
    }
    return true;
}

std::uint32_t ww_rt_atomic(BlockContext* c, WarpFrame* f, std::uint32_t index, const std::uint64_t* addresses,
                           std::uint64_t mask, const void* b, const void* third, void* out) {
    const auto& code = *c->executor->launch.code;
    const auto& info = code.sites[index];
    if (info.space != simt::Space::shared && !wait_for_order(c)) return 0;
    if (c->check) {
        count_checked(c, index, info, addresses, mask);
        return checked_atomic(c, f, index, addresses, mask, b, third, out);
    }
    const unsigned lanes = code.options.block.lanes;
    const auto op = static_cast<AtomicOp>(info.operation);
    if (op == AtomicOp::add_int && lanes == 32 && info.count == 1 &&
        add_to_shared(c, index, info, addresses, mask, static_cast<const std::uint32_t*>(b),
                      static_cast<std::uint32_t*>(out)))
        return 1;
    std::uint8_t* places[64];
    Lanes kinds;
    if (!locate(c, f, index, info, addresses, mask, places, kinds)) return 0;
    // One after the other they would wait for memory once each.
    for (auto rest = mask & ~kinds.shared & ~kinds.local; rest; rest &= rest - 1)
        __builtin_prefetch(places[__builtin_ctzll(rest)], 1);
    count_request(c, index, info, addresses, mask, kinds.shared, kinds.local);
    if (info.count == 1 && !kinds.local) {
        apply_atomics(op, info.bytes, places, mask, b, third, out, kinds.shared);
        return 1;
    }
    // Operands and results are [element][lane]; each element is a separate atomic.
    auto element = [&](const void* from, unsigned at) {
        std::uint64_t x = 0;
        std::memcpy(&x, static_cast<const std::uint8_t*>(from) + at * info.bytes, info.bytes);
        return x;
    };
    for (unsigned e = 0; e < info.count; ++e)
        for (auto rest = mask; rest; rest &= rest - 1) {
            const auto l = static_cast<unsigned>(__builtin_ctzll(rest)), at = e * lanes + l;
            const bool own = kinds.shared >> l & 1;
            std::uint64_t old;
            if (kinds.local >> l & 1) {
                const auto address = resolve(c, info.space, addresses[l]).address + e * info.bytes;
                std::uint64_t value = 0;
                local_copy(f, lanes, l, address, &value, info.bytes, false);
                old = apply_atomic(op, info.bytes, &value, element(b, at), element(third, at), true);
                local_copy(f, lanes, l, address, &value, info.bytes, true);
            } else {
                old = apply_atomic(op, info.bytes, places[l] + e * info.bytes, element(b, at), element(third, at), own);
            }
            std::memcpy(static_cast<std::uint8_t*>(out) + at * info.bytes, &old, info.bytes);
        }
    return 1;
}

std::uint32_t ww_rt_copy_async(BlockContext* c, WarpFrame* f, std::uint32_t index, const std::uint64_t* to,
                               const std::uint64_t* from, const std::uint64_t* sizes, std::uint64_t mask) {
    const auto& code = *c->executor->launch.code;
    const auto &read = code.sites[index], &write = code.sites[index + 1];
    if (c->check) {
        std::uint64_t reading = 0;
        for (auto rest = mask; rest; rest &= rest - 1)
            if (sizes[__builtin_ctzll(rest)]) reading |= rest & -rest;
        count_checked(c, index, read, from, reading);
        count_checked(c, index + 1, write, to, mask);
        return checked_copy_async(c, f, index, to, from, sizes, mask);
    }
    std::uint8_t *sources[64], *targets[64];
    Lanes in, out;
    std::uint64_t reading = 0;
    for (auto rest = mask; rest; rest &= rest - 1)
        if (sizes[__builtin_ctzll(rest)]) reading |= rest & -rest;
    if (!locate(c, f, index, read, from, reading, sources, in) ||
        !locate(c, f, index + 1, write, to, mask, targets, out))
        return 0;
    if (reading) count_request(c, index, read, from, reading, in.shared, in.local);
    count_request(c, index + 1, write, to, mask, out.shared, out.local);
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        const auto n = std::min<std::uint64_t>(sizes[l], read.bytes);
        if (n) std::memcpy(targets[l], sources[l], n);
        std::memset(targets[l] + n, 0, read.bytes - n);
    }
    return 1;
}
}

}  // namespace warpwright::engine

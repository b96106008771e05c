// Tests go from the cheapest to the most exact: quiet marks, the log of deferred reads, whole lines, single words. The
// functions that generated code calls before a regular access are here too, because they make the same tests.
#include "engine/runtime/checked/access_in_order.hpp"

#include <algorithm>
#include <cstring>

#include "engine/runtime/checked/quiet_reads.hpp"
#include "engine/runtime/checked/scattered_words.hpp"
#include "engine/runtime/kernel_memory.hpp"
#include "engine/runtime/lane_memory.hpp"
#include "engine/shared/check_order.hpp"
#include "shadow/shared_word.hpp"

namespace warpwright::engine {

namespace {

/// Whether all words of device memory from `address` on, one byte at least, have quiet marks.
[[gnu::always_inline]] inline bool is_quiet(const BlockContext* c, std::uint64_t address, std::uint64_t bytes) {
    const auto& quick = c->quick;
    const auto in = address - quick.start;
    return in < quick.limit &&
           shadow::all_are(quick.quiet + (in >> 2), ((in + bytes - 1) >> 2) - (in >> 2) + 1, 0xff, quick.mark);
}

/// A read that quiet marks or the block's log show to be no race; it is recorded as far as necessary. `shape` is as
/// CalmReads has it, without the warp.
[[gnu::always_inline]] inline bool quick_read(BlockContext* c, const WarpFrame* f, std::uint32_t index, bool in_shared,
                                              std::uint64_t address, std::uint32_t shape) {
    const auto& quick = c->quick;
    const unsigned each = shape >> shadow::shape::kBytesShift & 15;
    const auto bytes = shadow::shape::bytes(shape);
    if (address & ((1u << each) - 1)) return false;
    if (in_shared)
        return address < quick.shared_limit && bytes <= quick.shared_limit - address &&
               quick.calm->read(address, bytes, shape | f->warp << shadow::shape::kWarpShift, index);
    return is_quiet(c, address, bytes);
}

inline std::uint32_t shape_of(unsigned first, unsigned lanes, bool same, unsigned total) {
    return first | lanes << 8 | (same ? shadow::shape::kSame : 0) |
           static_cast<std::uint32_t>(__builtin_ctz(total)) << shadow::shape::kBytesShift;
}

/// A whole store that is in order has been recorded.
inline void note_store(BlockContext* c, const WarpFrame* f, bool in_shared, unsigned first, unsigned lanes) {
    auto& block = checked(c);
    if (f->waits)
        block.warps[f->warp].passed |= (lanes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1) << first;
    ++block.changes;
    block.global_changes += !in_shared;
}

/// Whole lines where no other thread has been, of device memory in this launch, in the allocation of the site's last
/// access, or of shared memory since the last barrier. `shape` is as ww_chk_run has it.
inline bool first_in_order(BlockContext* c, const WarpFrame* f, std::uint32_t index, std::uint64_t address,
                           std::uint32_t shape) {
    auto& launch = launch_of(c);
    auto& block = checked(c);
    const bool in_shared = shape & kShapeShared;
    const unsigned first = shape & 0xff, lanes = shape >> 8 & 0xff;
    shadow::FirstAccess a;
    a.form = shape >> shadow::shape::kBytesShift & 15;
    const std::uint64_t bytes = std::uint64_t{lanes} << a.form;
    const auto& site = c->sites[index];
    if (!block.race ||
        !(in_shared ? covers(0, c->shared_size, address, bytes) : covers(site.found, site.found_bytes, address, bytes)))
        return false;
    a.key = block.key, a.tick = block.clock.tick(), a.base = block.clock.base();
    a.side = shadow::side_of(index, shadow::kWeak);
    a.store = shape & kShapeStore, a.ask_written = launch.init;
    a.others_known = in_shared && c->cluster_size <= 1;
    auto& shadow = in_shared ? *block.shared : *launch.shadow;
    if (!shadow.first_in_pieces(address, bytes, f->warp * 32 + first, a)) return false;
    if (a.store) note_store(c, f, in_shared, first, lanes);
    return true;
}

/// Whether a whole access is no race: that of lanes `first`, first + 1, ..., at consecutive addresses or all at one. It
/// is then recorded. For reads, the caller has tried quick_read().
bool run_in_order(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info, bool in_shared,
                  std::uint64_t address, unsigned first, unsigned lanes, bool same, bool store) {
    auto& launch = launch_of(c);
    auto& block = checked(c);
    const unsigned total = info.bytes * info.count;
    const std::uint64_t bytes = same ? total : std::uint64_t{lanes} * total;
    shadow::Shadow* shadow = launch.shadow;
    if (address & (total - 1)) return false;
    if (in_shared) {
        if (!covers(0, c->shared_size, address, bytes)) return false;
        shadow = block.shared.get();
        if (!store && block.race && shadow->quiet(address, bytes, block.epoch)) return true;
    } else {
        if (!within_allocation(c, index, address, bytes, store)) return false;
    }
    const bool looked = is_looked_at(launch, info);
    if (launch.init && !store && looked && !shadow->is_written(address, bytes)) return false;
    if (launch.race && block.race) {
        const auto a = accessor(c, f, index, in_shared, looked);
        const bool fine = store  ? shadow->write_run(address, bytes, total, first, a)
                          : same ? shadow->read_same(address, bytes, first, first + lanes - 1, a)
                                 : shadow->read_run(address, bytes, total, first, a);
        if (!fine) return false;
    }
    if (store) {
        if (launch.init) shadow->set_written(address, bytes);
        note_store(c, f, in_shared, first, lanes);
    }
    return true;
}

/// Lanes that access consecutive addresses, or all the same one, from the lowest of `mask` on.
struct LaneRun {
    unsigned first, lanes;
    bool same;
};
LaneRun run_of(const std::uint64_t* addresses, std::uint64_t mask, unsigned bytes) {
    const auto first = static_cast<unsigned>(__builtin_ctzll(mask));
    LaneRun run{first, 1, false};
    const auto next = [&](std::uint64_t step) {
        const auto l = first + run.lanes;
        return l < 64 && (mask >> l & 1) && addresses[l] == addresses[l - 1] + step;
    };
    run.same = next(0);
    while (next(run.same ? 0 : bytes)) ++run.lanes;
    return run;
}

/// Calls `use` with a value of the type of an element of so many bytes.
template <class Use>
[[gnu::always_inline]] inline auto with_word(unsigned bytes, Use&& use) {
    switch (bytes) {
        case 1:
            return use(std::uint8_t{});
        case 2:
            return use(std::uint16_t{});
        case 4:
            return use(std::uint32_t{});
        default:
            return use(std::uint64_t{});
    }
}

/// True when the bytes in memory have changed.
template <class Word>
bool move_lane(std::uint8_t* at, std::uint8_t* data, unsigned count, unsigned lanes, unsigned lane, bool store) {
    bool changed = false;
    for (unsigned e = 0; e < count; ++e) {
        auto* element = data + (std::uint64_t{e} * lanes + lane) * sizeof(Word);
        auto* there = at + e * sizeof(Word);
        if (store) {
            Word before, now;
            kernel_memory::load_one<Word>(&before, there);
            std::memcpy(&now, element, sizeof now);
            changed |= before != now;
            kernel_memory::store_one<Word>(there, element);
        } else {
            kernel_memory::load_one<Word>(element, there);
        }
    }
    return changed;
}

/// The same for lanes of one element each, one behind the other both in memory and in `data`.
template <class Word>
bool move_row(std::uint8_t* at, std::uint8_t* data, unsigned count, bool store) {
    Word differ = 0;
    for (unsigned l = 0; l < count; ++l, at += sizeof(Word), data += sizeof(Word)) {
        if (!store) {
            kernel_memory::load_one<Word>(data, at);
            continue;
        }
        Word there, here;
        kernel_memory::load_one<Word>(&there, at);
        std::memcpy(&here, data, sizeof here);
        differ = static_cast<Word>(differ | (there ^ here));
        kernel_memory::store_one<Word>(at, data);
    }
    return differ != 0;
}

/// Lanes of a run that are in order; true when the bytes in memory have changed.
bool move_lanes_of(const LaneRun& run, std::uint8_t* at, std::uint8_t* data, const SiteInfo& info, unsigned lanes,
                   bool store) {
    return with_word(info.bytes, [&](auto word) {
        using Word = decltype(word);
        if (info.count == 1 && !run.same)
            return move_row<Word>(at, data + std::uint64_t{run.first} * sizeof(Word), run.lanes, store);
        bool changed = false;
        for (unsigned l = 0; l < run.lanes; ++l) {
            changed |= move_lane<Word>(at, data, info.count, lanes, run.first + l, store);
            if (!run.same) at += sizeof(Word) * info.count;
        }
        return changed;
    });
}

/// The lanes of a run as one access, if the run is the whole access.
bool move_run(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info, const std::uint64_t* addresses,
              const LaneRun& run, std::uint8_t* data, bool store) {
    if (store && run.same) return false;
    const auto r = resolve(c, info.space, addresses[run.first]);
    if (r.space == simt::Space::local || r.peer) return false;
    const bool in_shared = r.space == simt::Space::shared;
    // Only an access within the block's memory, or an allocation, is in order, so that there is no gap.
    auto& changes = checked(c).changes;
    const auto before = changes;
    const auto shape = shape_of(run.first, run.lanes, run.same, info.bytes * info.count);
    const auto whole = shape | (store ? kShapeStore : 0) | (in_shared ? kShapeShared : 0);
    if (!(!store && quick_read(c, f, index, in_shared, r.address, shape)) &&
        !(!run.same && (store || !in_shared) && first_in_order(c, f, index, r.address, whole)) &&
        !run_in_order(c, f, index, info, in_shared, r.address, run.first, run.lanes, run.same, store))
        return false;
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    auto* at = in_shared ? c->shared + r.address : reinterpret_cast<std::uint8_t*>(r.address);
    changes = before + move_lanes_of(run, at, data, info, lanes, store);
    return true;
}

/// Which of these lanes' accesses, `each` bytes at `at`, are in order. They are recorded.
std::uint64_t lanes_in_order(BlockContext* c, WarpFrame* f, std::uint32_t index, bool in_shared,
                             const std::uint64_t* at, std::uint64_t mask, unsigned each, bool store, bool looked) {
    if (!mask) return 0;
    if (!in_shared) return launch_of(c).shadow->lanes(at, mask, each, store, accessor(c, f, index, false, looked));
    auto& shared = *checked(c).shared;
    std::uint64_t calm = 0;
    if (!store && c->quick.calm)
        calm = shared.calm_read_lanes(at, mask, each,
                                      shape_of(0, 0, false, each) | f->warp << shadow::shape::kWarpShift, index);
    mask &= ~calm;
    return calm | (mask ? shared.lanes(at, mask, each, store, accessor(c, f, index, true, looked)) : 0);
}

/// The same of whole accesses, but for the elements of a load that go to registers which nothing reads: such a read
/// would take the place of another's that is used.
std::uint64_t used_in_order(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info, bool in_shared,
                            const std::uint64_t* at, std::uint64_t mask, bool store, bool looked) {
    if (store || !info.unused)
        return lanes_in_order(c, f, index, in_shared, at, mask, info.bytes * info.count, store, looked);
    std::uint64_t place[64];
    for (unsigned e = 0; e < info.count; ++e) {
        if (info.unused >> e & 1) continue;
        for (auto rest = mask; rest; rest &= rest - 1) {
            const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
            place[l] = at[l] + std::uint64_t{e} * info.bytes;
        }
        mask = lanes_in_order(c, f, index, in_shared, place, mask, info.bytes, false, looked);
    }
    return mask;
}

/// Each lane separately.
std::uint64_t move_each(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info,
                        const std::uint64_t* addresses, std::uint64_t mask, std::uint8_t* data, bool store) {
    if (are_scattered_words(info)) return move_scattered_words(c, f, index, info, addresses, mask, data, store);
    auto& launch = launch_of(c);
    auto& block = checked(c);
    const unsigned lanes = c->executor->launch.code->options.block.lanes, total = info.bytes * info.count;
    const bool looked = is_looked_at(launch, info), ask = launch.init && !store && looked;
    std::uint64_t at[64], in_global = 0, in_shared = 0;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        const auto r = resolve(c, info.space, addresses[l]);
        if (r.space == simt::Space::local || r.peer || (r.address & (total - 1))) continue;
        const bool is_shared = r.space == simt::Space::shared;
        if (is_shared) {
            if (!covers(0, c->shared_size, r.address, total)) continue;
        } else if (!within_allocation(c, index, r.address, total, store)) {
            continue;
        }
        const auto& shadow = is_shared ? *block.shared : *launch.shadow;
        if (ask && !shadow.is_element_written(r.address, total)) continue;
        at[l] = r.address;
        (is_shared ? in_shared : in_global) |= std::uint64_t{1} << l;
    }
    if (launch.race && block.race) {
        in_shared = used_in_order(c, f, index, info, true, at, in_shared, store, looked);
        in_global = used_in_order(c, f, index, info, false, at, in_global, store, looked);
    }
    const bool changed = with_word(info.bytes, [&](auto word) {
        bool any = false;
        for (auto rest = in_shared | in_global; rest; rest &= rest - 1) {
            const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
            const bool is_shared = in_shared >> l & 1;
            auto& shadow = is_shared ? *block.shared : *launch.shadow;
            if (store && launch.init) shadow.set_element_written(at[l], total);
            any |= move_lane<decltype(word)>(is_shared ? c->shared + at[l] : reinterpret_cast<std::uint8_t*>(at[l]),
                                             data, info.count, lanes, l, store);
        }
        return any;
    });
    if (store) block.changes += changed, block.global_changes += in_global != 0;
    return in_shared | in_global;
}

}  // namespace

bool within_another_allocation(BlockContext* c, std::uint32_t index, std::uint64_t address, std::uint64_t bytes,
                               bool store) {
    auto& device = *launch_of(c).device;
    const auto found = c->executor->launch.find(address);
    if (!found || !found->allows(address, bytes, store) || !device.in_range(address)) return false;
    auto& site = c->sites[index];
    site.found = found->address;
    site.found_bytes = found->bytes;
    return true;
}

std::uint64_t move_in_order(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info,
                            const std::uint64_t* addresses, std::uint64_t mask, std::uint8_t* data, bool store) {
    const unsigned total = info.bytes * info.count;
    // Accesses through which threads synchronise are handled elsewhere.
    if (info.strength || info.space == simt::Space::local || total > 32) return 0;
    std::uint64_t done = 0;
    const bool in_part = !store && info.unused;
    const bool in_shared = info.space == simt::Space::shared;
    // (Of quiet memory nothing is recorded; the log keeps whole reads.)
    if (!store && (in_shared ? !in_part : info.space == simt::Space::global))
        done = read_quiet_lanes(c, f, index, info, addresses, mask, data);
    if (in_part) return done | move_each(c, f, index, info, addresses, mask & ~done, data, store);
    for (auto rest = mask & ~done; rest;) {
        const auto run = run_of(addresses, rest, total);
        const bool worth = run.same ? run.lanes >= 4 : run.lanes * total >= shadow::Shadow::kLine;
        if (!worth) return done | move_each(c, f, index, info, addresses, rest, data, store);
        const auto its = (run.lanes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << run.lanes) - 1) << run.first;
        if (move_run(c, f, index, info, addresses, run, data, store)) done |= its;
        rest &= ~its;
    }
    return done;
}

namespace {

/// A whole store to shared memory that the block's log takes. `shape` is as ww_chk_run has it.
inline bool store_later(BlockContext* c, const WarpFrame* f, std::uint32_t index, std::uint64_t address,
                        std::uint32_t shape) {
    const unsigned form = shape >> shadow::shape::kBytesShift & 15, first = shape & 0xff, lanes = shape >> 8 & 0xff;
    const std::uint64_t bytes = std::uint64_t{lanes} << form;
    if (address & ((1u << form) - 1) || !covers(0, c->quick.shared_limit, address, bytes)) return false;
    auto& shared = *checked(c).shared;
    if (!shared.calm_write(address, bytes, (shape & kPureShape) | f->warp << shadow::shape::kWarpShift, index))
        return false;
    if (launch_of(c).init && !shared.is_written(address, bytes)) shared.set_written(address, bytes);
    note_store(c, f, true, first, lanes);
    return true;
}

/// Whether memory, which other threads may write now, is not `data`; whole words.
WARPWRIGHT_BY_VECTORS bool differ(const std::uint8_t* memory, const void* data, std::uint64_t bytes) {
    std::uint64_t any = 0;
    for (std::uint64_t k = 0; k < bytes; k += 4) {
        std::uint32_t there, here;
        std::memcpy(&there, memory + k, 4);
        std::memcpy(&here, static_cast<const std::uint8_t*>(data) + k, 4);
        any |= there ^ here;
    }
    return any != 0;
}

/// Whether some words of a read of device memory are quiet: of these, unlike of the others, nothing is recorded.
bool any_quiet(const BlockContext* c, std::uint64_t address, std::uint32_t shape) {
    const auto& quick = c->quick;
    const auto in = address - quick.start;
    if (in >= quick.limit) return false;
    const auto* marks = quick.quiet + (in >> 2);
    const auto words = shadow::shape::bytes(shape) / 4;
    return std::any_of(marks, marks + words, [&](std::uint8_t m) { return m == quick.mark; });
}

[[gnu::noinline]] std::uint32_t run_slowly(BlockContext* c, WarpFrame* f, std::uint32_t index, std::uint64_t address,
                                           std::uint32_t shape) {
    if (!(shape & kShapePlain)) return 0;
    if (shape & kShapeFollowed && any_quiet(c, address, shape)) return 0;
    if (!(shape & shadow::shape::kSame) && (!(shape & kShapeShared) || (shape & kShapeStore)) &&
        ((shape & kShapeShared && store_later(c, f, index, address, shape)) ||
         first_in_order(c, f, index, address, shape)))
        return 1;
    if (shape & kShapeShared && !(shape & kShapeStore) && c->quick.calm && c->quick.calm->full()) {
        checked(c).shared->work_in();
        if (quick_read(c, f, index, true, address, shape & kPureShape)) return 1;
    }
    return run_in_order(c, f, index, c->executor->launch.code->sites[index], shape & kShapeShared, address,
                        shape & 0xff, shape >> 8 & 0xff, shape & shadow::shape::kSame, shape & kShapeStore);
}

}  // namespace

// Generated code calls these before a whole warp's regular access: 1 when all of it is in order (and recorded), 0 when
// it must be checked lane by lane.
extern "C" {

/// Lanes first, first + 1, ... at consecutive addresses, or all at one. `shape`: as CalmReads has it, with
/// kShapeStore, kShapeShared, kShapePlain.
std::uint32_t ww_chk_run(BlockContext* c, WarpFrame* f, std::uint32_t index, std::uint64_t address,
                         std::uint32_t shape) {
    if ((shape & (kShapePlain | kShapeStore | kShapeTested)) == kShapePlain &&
        quick_read(c, f, index, shape & kShapeShared, address, shape & kPureShape))
        return 1;
    return run_slowly(c, f, index, address, shape);
}

/// The same for a store to device memory, which follows: whether it changes anything is noted. `data`: its bytes.
std::uint32_t ww_chk_store(BlockContext* c, WarpFrame* f, std::uint32_t index, std::uint64_t address,
                           std::uint32_t shape, const void* data) {
    auto& changes = checked(c).changes;
    const auto before = changes;
    if (!run_slowly(c, f, index, address, shape)) return 0;
    const auto bytes = shadow::shape::bytes(shape & kPureShape);
    changes = before + differ(reinterpret_cast<const std::uint8_t*>(address), data, bytes);
    return 1;
}

/// The same for the active lanes of a warp whose lane l is at start + l * size, if they are neighbours.
std::uint32_t ww_chk_stretch(BlockContext* c, WarpFrame* f, std::uint32_t index, std::uint64_t start,
                             std::uint64_t mask, std::uint32_t shape) {
    const auto first = static_cast<unsigned>(__builtin_ctzll(mask));
    const auto rest = mask >> first;
    if (rest & (rest + 1)) return read_words_with_gaps(c, f, index, start, mask, shape);
    const auto lanes = static_cast<unsigned>(__builtin_popcountll(mask));
    return ww_chk_run(c, f, index, start + (std::uint64_t{first} << (shape >> shadow::shape::kBytesShift & 15)),
                      first | lanes << 8 | shape);
}

/// Lanes first, first + 1, ..., each `stride` bytes after the one before.
std::uint32_t ww_chk_strided(BlockContext* c, WarpFrame* f, std::uint32_t index, std::uint64_t address,
                             std::int64_t stride, std::uint32_t shape) {
    if (!(shape & kShapePlain)) return 0;
    const bool store = shape & kShapeStore, in_shared = shape & kShapeShared;
    shape &= kPureShape;
    const unsigned each = 1u << (shape >> shadow::shape::kBytesShift & 15), first = shape & 0xff,
                   lanes = shape >> 8 & 0xff;
    if ((address | static_cast<std::uint64_t>(stride)) & (each - 1)) return 0;
    const auto length = static_cast<std::uint64_t>(stride < 0 ? -stride : stride) * (lanes - 1) + each;
    const auto low = stride < 0 ? address - (length - each) : address;
    auto& launch = launch_of(c);
    auto& block = checked(c);
    const auto& quick = c->quick;
    const bool close = length <= kQuickSpan && length <= 4u * each * lanes;
    if (in_shared) {
        if (!covers(0, c->shared_size, low, length)) return 0;
        if (!store && quick.calm && covers(0, quick.shared_limit, low, length)) {
            if (quick.calm->full()) block.shared->work_in();
            const auto of_warp = shape | f->warp << shadow::shape::kWarpShift;
            if (close ? quick.calm->read_strided(low, length, address, stride, of_warp, index)
                      : quick.calm->read_far_apart(address, stride, each, of_warp & ~shadow::shape::kSame, index))
                return 1;
        }
        if (store && quick.calm && covers(0, quick.shared_limit, low, length) &&
            quick.calm->write_far_apart(address, stride, each, shape | f->warp << shadow::shape::kWarpShift, index)) {
            for (unsigned l = 0; launch.init && l < lanes; ++l)
                block.shared->set_element_written(address + static_cast<std::uint64_t>(stride * l), each);
            note_store(c, f, true, first, lanes);
            return 1;
        }
    } else {
        if (!store && close && is_quiet(c, low, length)) return 1;
        if (!within_allocation(c, index, low, length, store)) return 0;
    }
    auto& shadow = in_shared ? *block.shared : *launch.shadow;
    const auto& info = c->executor->launch.code->sites[index];
    const bool looked = is_looked_at(launch, info);
    std::uint64_t at[64];
    const auto mask = (lanes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1) << first;
    for (unsigned l = 0; l < lanes; ++l) at[first + l] = address + static_cast<std::uint64_t>(stride * l);
    if (launch.init && !store && looked && !(close && shadow.is_written(low, length)))
        for (unsigned l = 0; l < lanes; ++l)
            if (!shadow.is_element_written(at[first + l], each)) return 0;
    if (launch.race && block.race) {
        std::uint64_t fine = 0;
        if (in_shared && !store && quick.calm)
            fine = block.shared->calm_read_lanes(
                at, mask, each, (shape & ~0xffffu & ~shadow::shape::kStrided) | f->warp << shadow::shape::kWarpShift,
                index);
        if (fine != mask) fine |= shadow.lanes(at, mask & ~fine, each, store, accessor(c, f, index, in_shared, looked));
        if (fine != mask) return 0;
    }
    if (store) {
        if (launch.init)
            for (unsigned l = 0; l < lanes; ++l) shadow.set_element_written(at[first + l], each);
        note_store(c, f, in_shared, first, lanes);
    }
    return 1;
}
}

}  // namespace warpwright::engine

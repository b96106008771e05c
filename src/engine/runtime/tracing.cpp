// The trace of a block, written as its warps run.
#include "engine/shared/traced_access.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "counters/access.hpp"
#include "engine/shared/executor.hpp"
#include "engine/shared/self_timing.hpp"
#include "engine/shared/tracing.hpp"

namespace warpwright::engine {

namespace {

/// By lane, as machine::LaneAccess has them; only where somebody wants them.
struct Lanes {
    explicit Lanes(bool is_wanted = false) : wanted(is_wanted) {
        if (wanted) at.fill(machine::LaneAccess::kNone);
    }
    void put(unsigned lane, std::uint64_t place) {
        if (wanted) at[lane] = static_cast<std::int64_t>(place);
    }
    bool wanted;
    std::array<std::int64_t, 64> at;
};

unsigned lowest(std::uint64_t mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }

/// Whether the warp's next access, by so many lanes, is an example: none with as many was before.
bool is_example(const machine::BlockTrace& trace, const machine::WarpTrace& warp, unsigned active) {
    if (trace.events >= machine::BlockTrace::kMostExampled) return false;
    if (trace.examples.size() <= warp.block) return true;
    const auto& here = trace.examples[warp.block];
    return here.size() <= warp.accesses || here[warp.accesses].event.lanes < active;
}

/// Before the warp's access is added: kept, where it is an example.
void keep_example(machine::BlockTrace& trace, const machine::WarpTrace& warp, const machine::Event& e,
                  const Lanes& lanes_at, unsigned lanes) {
    if (!lanes_at.wanted || (e.what & machine::Event::kConstant)) return;
    if (trace.examples.size() <= warp.block) trace.examples.resize(warp.block + 1);
    auto& here = trace.examples[warp.block];
    if (here.size() <= warp.accesses) here.resize(warp.accesses + 1);
    here[warp.accesses] = {e, {lanes_at.at.begin(), lanes_at.at.begin() + lanes}};
}

/// The sectors of an access, each once, behind what the block has: appended, and their number.
std::uint16_t add_sectors(std::vector<std::uint32_t>& to, const std::array<std::uint32_t, 128>& found, unsigned n) {
    const auto before = to.size();
    for (unsigned k = 0; k < n; ++k)
        if (to.size() == before || to.back() != found[k]) to.push_back(found[k]);
    const auto first = to.begin() + static_cast<std::ptrdiff_t>(before);
    if (!std::is_sorted(first, to.end())) std::sort(first, to.end());
    to.erase(std::unique(to.begin() + static_cast<std::ptrdiff_t>(before), to.end()), to.end());
    return static_cast<std::uint16_t>(to.size() - before);
}

counters::SharedOp shared_op(TracedAccess::Kind kind) {
    using Kind = TracedAccess::Kind;
    switch (kind) {
        case Kind::load:
            return counters::SharedOp::load;
        case Kind::store:
        case Kind::atomic_once:
            return counters::SharedOp::store;
        case Kind::atomic_count:
            return counters::SharedOp::atomic_count;
        default:  // a compare-and-swap goes round as often as the lanes at its busiest bank
            return counters::SharedOp::atomic;
    }
}

bool is_atomic(TracedAccess::Kind kind) {
    using Kind = TracedAccess::Kind;
    return kind != Kind::load && kind != Kind::store && kind != Kind::copy;
}

/// The sectors of an atomic, each as often as lanes want its busiest word: the second level does these in turn.
std::uint16_t add_turns(std::vector<std::uint32_t>& to, const TracedAccess& what, const std::uint64_t* places,
                        std::uint64_t mask) {
    if (what.kind == TracedAccess::Kind::atomic_once) mask &= ~mask + 1;
    std::array<std::uint64_t, 64> words;
    unsigned n = 0;
    for (auto rest = mask; rest; rest &= rest - 1)
        words[n++] = places[__builtin_ctzll(rest)] / std::max<unsigned>(1, what.bytes);
    std::sort(words.begin(), words.begin() + n);
    const auto before = to.size();
    const auto in_sector = std::max<std::uint64_t>(1, 32 / std::max<unsigned>(1, what.bytes));
    for (unsigned k = 0; k < n;) {
        const auto sector = words[k] / in_sector;
        unsigned most = 0;
        while (k < n && words[k] / in_sector == sector) {
            const auto word = words[k];
            unsigned same = 0;
            for (; k < n && words[k] == word; ++k) ++same;
            most = std::max(most, same);
        }
        to.insert(to.end(), most, static_cast<std::uint32_t>(sector));
    }
    return static_cast<std::uint16_t>(to.size() - before);
}

/// Lanes at different addresses of constant memory take turns; where they are in several lines, these are kept.
void constant_access(machine::Event& e, machine::BlockTrace& trace, const std::uint64_t* addresses,
                     std::uint64_t mask) {
    std::array<std::uint32_t, 128> words;
    unsigned n = 0;
    for (auto rest = mask; rest; rest &= rest - 1)
        words[n++] = static_cast<std::uint32_t>(addresses[__builtin_ctzll(rest)] / 4);
    std::sort(words.begin(), words.begin() + n);
    n = static_cast<unsigned>(std::unique(words.begin(), words.begin() + n) - words.begin());
    e.what |= machine::Event::kConstant;
    e.passes = static_cast<std::uint16_t>(n);
    e.first = words[0] / machine::kConstantLine;
    if (words[n - 1] / machine::kConstantLine == e.first) return;
    for (unsigned k = 0; k < n; ++k) words[k] /= machine::kConstantLine;
    e.first = static_cast<std::uint32_t>(trace.sectors.size());
    e.count = add_sectors(trace.sectors, words, n);
}

/// The word that most lanes want.
std::uint32_t busiest_word(const std::uint32_t* offsets, std::uint64_t mask) {
    std::uint32_t words[64];
    unsigned n = 0;
    for (auto rest = mask; rest; rest &= rest - 1) words[n++] = offsets[__builtin_ctzll(rest)] / 4;
    std::sort(words, words + n);
    std::uint32_t busiest = 0;
    for (unsigned k = 0, most = 0; k < n;) {
        const auto end = static_cast<unsigned>(std::upper_bound(words + k, words + n, words[k]) - words);
        if (end - k > most) most = end - k, busiest = words[k];
        k = end;
    }
    return busiest;
}

/// What a load or store came to: most come again in a loop with their lanes as far apart, and then touch
/// sectors as far apart in as many passes, as long as they begin as far into a line of 128 bytes.
struct AccessShape {
    std::uint64_t mask = 0, begin = 0;  ///< active lanes; of the first of them, the place in a line
    unsigned lanes = 0;
    std::uint32_t what = 0;               ///< TracedAccess::packed()
    std::array<std::uint64_t, 64> apart;  ///< by lane: from the first active one
    std::uint64_t before = 0, after = 0;  ///< the first active one's distance to the lowest and to the highest address
    std::array<std::uint32_t, 128> sectors;  ///< likewise, of global memory
    std::uint16_t count = 0, passes = 0;

    bool fits(const TracedAccess& access, const std::uint64_t* addresses, std::uint64_t of, unsigned all) const {
        if (of != mask || all != lanes || access.packed() != what) return false;
        const std::uint64_t first = addresses[lowest(mask)];
        std::uint64_t other = 0;
        if (mask == ~std::uint64_t{0} >> (64 - lanes)) {
            for (unsigned l = 0; l < all; ++l) other |= (addresses[l] - first) ^ apart[l];
        } else {
            for (auto rest = mask; rest; rest &= rest - 1)
                other |= (addresses[lowest(rest)] - first) ^ apart[lowest(rest)];
        }
        return other == 0;
    }
    void take(const machine::Event& e, const machine::BlockTrace* trace, const TracedAccess& access,
              const std::uint64_t* addresses, std::uint64_t of, unsigned all, std::uint64_t place) {
        mask = of, lanes = all, what = access.packed(), begin = place % 128;
        const std::uint64_t first = addresses[lowest(mask)];
        std::uint64_t least = first, most = first;
        for (auto rest = mask; rest; rest &= rest - 1) {
            const auto at = addresses[lowest(rest)];
            apart[lowest(rest)] = at - first;
            least = std::min(least, at), most = std::max(most, at);
        }
        before = first - least, after = most - first;
        count = e.count, passes = e.passes;
        for (unsigned k = 0; trace && k < count; ++k)
            sectors[k] = trace->sectors[e.first + k] - static_cast<std::uint32_t>(place / 32);
    }
};

/// Of this host thread, one of the last shapes of an access that `number` tells apart from others of the block of code.
/// `first`: the address of its first lane. An access that walks along lines has one for each place in a line.
AccessShape& last_shape(std::uint32_t number, std::uint64_t first) {
    constexpr std::size_t kShapes = 256, kPlaces = 37;
    thread_local std::unique_ptr<std::array<AccessShape, kShapes>> shapes;
    if (!shapes) shapes = std::make_unique<std::array<AccessShape, kShapes>>();
    return (*shapes)[(number * kPlaces + first % 128 / 4) % kShapes];
}

void shared_access(machine::Event& e, Lanes& at, const BlockContext* c, const TracedAccess& what,
                   const std::uint64_t* addresses, std::uint64_t mask, unsigned lanes) {
    std::uint32_t offsets[64];
    const bool generic = what.space == simt::Space::generic;
    for (unsigned l = 0; l < lanes; ++l)
        offsets[l] = static_cast<std::uint32_t>(addresses[l] - (generic ? c->shared_window : 0)) & (kWindowBytes - 1);
    e.passes = static_cast<std::uint16_t>(
        counters::shared_wavefronts(shared_op(what.kind), offsets, mask, std::min<unsigned>(what.bytes, 16), lanes));
    if (what.kind == TracedAccess::Kind::atomic_cas) e.first = busiest_word(offsets, mask);
    if (!at.wanted) return;
    for (auto rest = mask; rest; rest &= rest - 1) at.put(lowest(rest), offsets[lowest(rest)]);
}

/// The same where it comes again: its passes do not change where it begins in the same bank.
void shared_again(machine::Event& e, Lanes& at, const BlockContext* c, const TracedAccess& what,
                  const std::uint64_t* addresses, std::uint64_t mask, unsigned lanes, std::uint32_t number) {
    if (is_atomic(what.kind)) return shared_access(e, at, c, what, addresses, mask, lanes);
    TracedAccess named = what;
    named.space = simt::Space::shared;  // by a generic address it may be global memory the next time
    const std::uint64_t window = what.space == simt::Space::generic ? c->shared_window : 0;
    const std::uint64_t first = (addresses[lowest(mask)] - window) & (kWindowBytes - 1);
    AccessShape& shape = last_shape(number, first);
    const auto in_window = [&] { return first >= shape.before && shape.after < kWindowBytes - first; };
    if (shape.fits(named, addresses, mask, lanes) && shape.begin == first % 128 && in_window()) {
        e.passes = shape.passes;
        if (!at.wanted) return;
        for (auto rest = mask; rest; rest &= rest - 1) at.put(lowest(rest), first + shape.apart[lowest(rest)]);
        return;
    }
    shared_access(e, at, c, what, addresses, mask, lanes);
    shape.take(e, nullptr, named, addresses, mask, lanes, first);
    if (!in_window()) shape.mask = 0;
}

/// Equal words of a warp's lanes lie side by side: a request of 32 lanes for each word. The sectors are numbers of the
/// warp's own.
void local_access(machine::Event& e, Lanes& at, machine::BlockTrace& trace, const BlockContext* c, std::uint32_t warp,
                  const TracedAccess& what, const std::uint64_t* addresses, std::uint64_t mask) {
    std::array<std::uint32_t, 128> found;
    unsigned n = 0;
    const bool generic = what.space == simt::Space::generic;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        const auto word = (addresses[l] - (generic ? c->local_window : 0)) / 4;
        const auto sector = [&](unsigned w) {
            return static_cast<std::uint32_t>(((warp * 4096 + word + w) * 4 + l / 8) & 0x3fffffff);
        };
        at.put(l, std::uint64_t{sector(0)} * 32 + l % 8 * 4);
        for (unsigned w = 0; w < std::max(1u, what.bytes / 4u) && n < found.size(); ++w) found[n++] = sector(w);
    }
    e.what |= machine::Event::kLocal;
    e.first = static_cast<std::uint32_t>(trace.sectors.size());
    e.count = add_sectors(trace.sectors, found, n);
    // One line of 128 bytes after the other.
    std::uint16_t lines = 0;
    for (unsigned k = 0; k < e.count; ++k)
        lines = static_cast<std::uint16_t>(
            lines + (k == 0 || trace.sectors[e.first + k] / 4 != trace.sectors[e.first + k - 1] / 4));
    e.passes = lines;
}

/// The access, where it has the shape and all of it lies in one run of places; false where it does not.
bool has_shape(machine::Event& e, Lanes& lanes_at, machine::BlockTrace& trace, TracePlaces& all,
               const TracedAccess& what, const std::uint64_t* addresses, std::uint64_t mask, unsigned lanes,
               const AccessShape& shape) {
    if (!shape.fits(what, addresses, mask, lanes)) return false;
    const std::uint64_t first = addresses[lowest(mask)];
    const PlacedRun run = all.run(first);
    if (!run.holds(first - shape.before) || !run.holds(first + shape.after)) return false;
    const std::uint64_t place = run.offset + (first - run.address);
    if (place % 128 != shape.begin) return false;
    e.first = static_cast<std::uint32_t>(trace.sectors.size());
    e.count = shape.count, e.passes = shape.passes;
    if (what.kind == TracedAccess::Kind::store) e.what |= machine::Event::kStore;
    for (unsigned k = 0; k < shape.count; ++k)
        trace.sectors.push_back(shape.sectors[k] + static_cast<std::uint32_t>(place / 32));
    if (!lanes_at.wanted) return true;
    for (auto rest = mask; rest; rest &= rest - 1) lanes_at.put(lowest(rest), place + shape.apart[lowest(rest)]);
    return true;
}

void global_access(machine::Event& e, Lanes& lanes_at, machine::BlockTrace& trace, TracePlaces& all,
                   const TracedAccess& what, const std::uint64_t* addresses, std::uint64_t mask, unsigned lanes,
                   std::uint32_t number) {
    AccessShape& shape = last_shape(number, addresses[lowest(mask)]);
    if (!is_atomic(what.kind) && has_shape(e, lanes_at, trace, all, what, addresses, mask, lanes, shape)) return;
    std::array<std::uint32_t, 128> found;
    std::uint64_t places[64];
    std::uint32_t offsets[64] = {};
    unsigned n = 0;
    PlacesOf place_of(all);
    std::uint64_t lowest_at = ~std::uint64_t{0}, highest_at = 0;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        const std::uint64_t at = places[l] = place_of(addresses[l]);
        lowest_at = std::min(lowest_at, at), highest_at = std::max(highest_at, at);
        lanes_at.put(l, at);
        for (auto s = at / 32; s <= (at + what.bytes - 1) / 32 && n < found.size(); ++s)
            found[n++] = static_cast<std::uint32_t>(s);
    }
    // Passes depend on banks and on which words are equal: where the lanes are near each other, small offsets do, for
    // which they are counted by vectors.
    constexpr std::uint64_t kNear = 128 << 10, kRow = 4096, kFar = 0xffffff;
    const auto base = lowest_at / kRow * kRow;
    const bool near = highest_at - base < kNear;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = lowest(rest);
        offsets[l] = static_cast<std::uint32_t>(near ? places[l] - base : places[l] & kFar);
    }
    e.first = static_cast<std::uint32_t>(trace.sectors.size());
    if (is_atomic(what.kind)) e.what |= machine::Event::kAtomic;
    if (what.kind == TracedAccess::Kind::store) e.what |= machine::Event::kStore;
    e.count =
        is_atomic(what.kind) ? add_turns(trace.sectors, what, places, mask) : add_sectors(trace.sectors, found, n);
    std::uint16_t lines = 0;
    for (unsigned k = 0; k < e.count; ++k)
        lines = static_cast<std::uint16_t>(
            lines + (k == 0 || trace.sectors[e.first + k] / 4 != trace.sectors[e.first + k - 1] / 4));
    // The first level looks up two lines per cycle, and its data lies in the banks of shared memory.
    const auto wavefronts = counters::shared_wavefronts(shared_op(TracedAccess::Kind::load), offsets, mask,
                                                        std::min<unsigned>(what.bytes, 16), lanes);
    e.passes = static_cast<std::uint16_t>(std::max<unsigned>((lines + 1u) / 2, wavefronts));
    if (is_atomic(what.kind)) return;
    shape.take(e, &trace, what, addresses, mask, lanes, places[lowest(mask)]);
    if (const auto at = addresses[lowest(mask)]; !place_of.in_one_run(at - shape.before, at + shape.after))
        shape.mask = 0;  // places are not as far apart as addresses
}

/// A copy to shared memory takes the banks there too, and only lanes that have something to read go to global memory.
void copy_or_global(machine::Event& e, Lanes& lanes_at, const BlockContext* c, machine::BlockTrace& trace,
                    const TracedAccess& what, const std::uint64_t* addresses, std::uint64_t mask, unsigned lanes,
                    std::uint32_t number) {
    auto& places = c->executor->launch.tracing->places;
    if (what.kind != TracedAccess::Kind::copy)
        return global_access(e, lanes_at, trace, places, what, addresses, mask, lanes, number);
    machine::Event at;
    Lanes in_shared;
    const TracedAccess store{simt::Space::shared, TracedAccess::Kind::store, what.bytes};
    shared_access(at, in_shared, c, store, addresses + lanes, mask, lanes);
    for (auto rest = mask; rest; rest &= rest - 1)
        if (addresses[__builtin_ctzll(rest)] == 0) mask &= ~(rest & -rest);
    if (mask) global_access(e, lanes_at, trace, places, what, addresses, mask, lanes, number);
    e.passes = std::max(e.passes, at.passes);
}

/// What an access at these addresses comes to. `at`: by lane, what a picture shows.
machine::Event traced(const BlockContext* c, const WarpFrame* f, machine::BlockTrace& trace, const TracedAccess& what,
                      const std::uint64_t* addresses, std::uint64_t mask, Lanes& at) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    machine::Event e;
    e.what = machine::Event::kAccess;
    e.lanes = static_cast<std::uint32_t>(__builtin_popcountll(mask));
    const auto lead = addresses[__builtin_ctzll(mask)];
    const bool generic = what.space == simt::Space::generic;
    const std::uint32_t number = 31 * trace.warps[f->warp].block + trace.warps[f->warp].accesses;
    if (what.space == simt::Space::constant || what.space == simt::Space::param)
        constant_access(e, trace, addresses, mask);
    else if (what.space == simt::Space::shared || (generic && lead - c->shared_window < kSharedWindows))
        shared_again(e, at, c, what, addresses, mask, lanes, number);
    else if (what.space == simt::Space::local || (generic && lead - c->local_window < kWindowBytes))
        local_access(e, at, trace, c, f->warp, what, addresses, mask);
    else
        copy_or_global(e, at, c, trace, what, addresses, mask, lanes, number);
    return e;
}

}  // namespace

void trace_pieces(BlockContext* c, WarpFrame* f, const TracedAccess& what, std::span<const PieceOfFragment> pieces,
                  std::uint64_t mask) {
    auto* trace = static_cast<machine::BlockTrace*>(c->trace);
    if (!trace || trace->warps[f->warp].cut || mask == 0 || pieces.empty()) return;
    Lanes at(is_example(*trace, trace->warps[f->warp], static_cast<unsigned>(__builtin_popcountll(mask)))), others;
    machine::Event all;
    for (const auto& piece : pieces) {
        const bool first = &piece == pieces.data();
        const auto e = traced(c, f, *trace, what, piece.data(), mask, first ? at : others);
        if (first) {
            all = e;
            continue;
        }
        // (Sectors of one piece stand behind those of the one before.)
        all.count = static_cast<std::uint16_t>(all.count + e.count);
        all.passes = static_cast<std::uint16_t>(all.passes + e.passes);
    }
    ++trace->events;
    keep_example(*trace, trace->warps[f->warp], all, at, c->executor->launch.code->options.block.lanes);
    trace->warps[f->warp].add(all);
}

extern "C" {

void ww_rt_trace_block(BlockContext* c, WarpFrame* f, std::uint32_t block, std::uint64_t mask) {
    auto* trace = static_cast<machine::BlockTrace*>(c->trace);
    if (!trace) return;
    auto& warp = trace->warps[f->warp];
    if (trace->events >= c->executor->launch.tracing->most_events) {
        warp.cut = true;
        return;
    }
    ++trace->events;
    warp.begin(block, static_cast<std::uint32_t>(__builtin_popcountll(mask)));
}

void ww_rt_trace_access(BlockContext* c, WarpFrame* f, std::uint32_t packed, const std::uint64_t* addresses,
                        std::uint64_t mask) {
    auto* trace = static_cast<machine::BlockTrace*>(c->trace);
    if (!trace || trace->warps[f->warp].cut || mask == 0) return;
    Lanes at(is_example(*trace, trace->warps[f->warp], static_cast<unsigned>(__builtin_popcountll(mask))));
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const machine::Event e = traced(c, f, *trace, TracedAccess::unpack(packed), addresses, mask, at);
    ++trace->events;
    keep_example(*trace, trace->warps[f->warp], e, at, lanes);
    trace->warps[f->warp].add(e);
}

/// How long an access of a kernel that times itself takes, in ticks; the load/store unit's further passes are the
/// warp's own time.
std::uint64_t ww_rt_timed_access(BlockContext* c, WarpFrame* f, std::uint32_t packed, std::uint32_t past_first,
                                 const std::uint64_t* addresses, std::uint64_t mask) {
    if (mask == 0) return 0;
    auto& times = *c->executor->launch.times;
    SelfTiming::Access access{TracedAccess::unpack(packed), past_first != 0, 1, addresses, mask, c->smid};
    const auto lead = addresses[lowest(mask)];
    const bool generic = access.what.space == simt::Space::generic;
    if (access.what.space == simt::Space::constant || access.what.space == simt::Space::param) return times.constant();
    if (access.what.space == simt::Space::shared || (generic && lead - c->shared_window < kSharedWindows)) {
        machine::Event e;
        Lanes at;
        shared_access(e, at, c, access.what, addresses, mask, c->executor->launch.code->options.block.lanes);
        access.passes = e.passes;
        f->ticks += times.more_passes(e.passes);
        return times.shared(access);
    }
    if (access.what.space == simt::Space::local || (generic && lead - c->local_window < kWindowBytes))
        return times.local();
    return times.global(access);
}

}  // extern "C"

}  // namespace warpwright::engine

// Accesses are altered as they stand in the trace: with fewer sectors, fewer passes, or as accesses to shared memory.
// What a change cannot save (bytes that are used, sectors that somebody has to fetch once) stays.
#include "predict/what_if.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "predict/simulate.hpp"

namespace warpwright::predict {

using machine::BlockTrace;
using machine::Effect;
using machine::Event;
using machine::Op;
using machine::Pipe;

namespace {

constexpr unsigned kSector = 32, kLine = 128;

unsigned over(unsigned bytes, unsigned size) { return std::max(1u, (bytes + size - 1) / size); }

}  // namespace

AccessSites::AccessSites(const machine::Code& code) {
    for (const machine::Block& block : code.blocks) {
        auto& sites = by_block_.emplace_back();
        for (const Op& op : block.ops) {
            if (op.access < 0) continue;
            const auto at = static_cast<std::size_t>(op.access);
            if (sites.size() <= at) sites.resize(at + 1);
            sites[at] = &op;
        }
    }
}

const Op* AccessSites::at(std::uint32_t block, unsigned access) const {
    if (block >= by_block_.size() || access >= by_block_[block].size()) return nullptr;
    return by_block_[block][access];
}

bool is_global(const Event& e, const Op& op) {
    if (e.what & (Event::kLocal | Event::kConstant | Event::kAtomic | Event::kAsync)) return false;
    return e.count > 0 && op.pipe == Pipe::memory && op.spill < 0 &&
           (op.effect == Effect::load || op.effect == Effect::store || op.effect == Effect::copy);
}

bool is_shared(const Event& e, const Op& op) {
    if (e.what & (Event::kLocal | Event::kConstant | Event::kAsync)) return false;
    return e.count == 0 && op.pipe == Pipe::memory &&
           (op.effect == Effect::load || op.effect == Effect::store || op.effect == Effect::atomic);
}

bool reads(const Op& op) { return op.effect == Effect::load || op.effect == Effect::copy; }

unsigned sectors_needed(const Event& e, const Op& op) { return over(e.lanes * op.bytes, kSector); }

unsigned wavefronts_needed(const Event& e, const Op& op) {
    // An access that several became moves the words of all of them.
    return std::min<unsigned>(std::max<unsigned>(1, e.passes), over(e.lanes * op.bytes, kLine));
}

bool is_scattered(const Event& e, const Op& op) { return e.count > sectors_needed(e, op); }

void coalesce(Altered& a, bool loads) {
    const AccessSites sites(a.code);
    // How often a warp's requests began with the same sector: their bytes are taken to follow each other.
    const BlockTrace* block_of = nullptr;
    std::size_t warp_of = 0;
    std::unordered_map<std::uint32_t, unsigned> turns;
    each_access(a.trace, sites, [&](BlockTrace& block, std::size_t w, Event& e, const Op& op) {
        if (!is_global(e, op) || reads(op) != loads || !is_scattered(e, op)) return;
        if (block_of != &block || warp_of != w) turns.clear(), block_of = &block, warp_of = w;
        const unsigned needed = sectors_needed(e, op), turn = turns[block.sectors[e.first]]++;
        const unsigned slices = std::max(1u, e.count / needed);
        e.first += turn % slices * needed;
        e.count = static_cast<std::uint16_t>(needed);
        e.passes = static_cast<std::uint16_t>(over(needed * kSector, kLine));
    });
}

void remove_conflicts(Altered& a) {
    const AccessSites sites(a.code);
    each_access(a.trace, sites, [&](BlockTrace&, std::size_t, Event& e, const Op& op) {
        if (is_shared(e, op) && op.effect != Effect::atomic)
            e.passes = static_cast<std::uint16_t>(wavefronts_needed(e, op));
    });
}

void gather_global_atomics(Altered& a) {
    for (auto& block : a.trace.sample) {
        std::unordered_set<std::uint32_t> met;
        for (auto& warp : block.warps)
            for (Event& e : warp.events) {
                if (!(e.what & Event::kAtomic)) continue;
                // Of what the block adds to a sector one turn remains; the rest goes to shared memory.
                auto* const begin = block.sectors.data() + e.first;
                auto* const end = std::remove_if(begin, std::unique(begin, begin + e.count),
                                                 [&](std::uint32_t s) { return !met.insert(s).second; });
                e.count = static_cast<std::uint16_t>(end - begin);
                if (e.count == 0) e.what &= ~Event::kAtomic, e.passes = 1;
            }
    }
}

void merge_less_often(Altered& a) {
    constexpr std::size_t kOneOf = 4;
    for (std::size_t b = 0; b < a.trace.sample.size(); ++b)
        for (auto& warp : a.trace.sample[b].warps)
            for (Event& e : warp.events)
                if (b % kOneOf != 0 && (e.what & Event::kAtomic)) e.what &= ~Event::kAtomic, e.count = 0, e.passes = 1;
}

void free_shared_atomics(Altered& a) {
    const AccessSites sites(a.code);
    each_access(a.trace, sites, [&](BlockTrace&, std::size_t, Event& e, const Op& op) {
        if (is_shared(e, op) && op.effect == Effect::atomic) e.passes = 1;
    });
}

/// A place that mostly loads what its own warp has stored, or stores again where the warp did: the value could stay in
/// a register.
static void keep_sums(Altered& a) {
    const AccessSites sites(a.code);
    struct Seen {
        double again = 0, all = 0;
    };
    std::unordered_map<const simt::Details*, Seen> seen;
    const BlockTrace* block_of = nullptr;
    std::size_t warp_of = 0;
    std::unordered_set<std::uint32_t> stored;
    each_access(a.trace, sites, [&](BlockTrace& block, std::size_t w, Event& e, const Op& op) {
        if (!is_global(e, op) || !op.ptx) return;
        if (block_of != &block || warp_of != w) stored.clear(), block_of = &block, warp_of = w;
        const std::uint32_t first = block.sectors[e.first];
        Seen& of = seen[op.ptx];
        ++of.all, of.again += stored.contains(first);
        if (!reads(op)) stored.insert(first);
    });
    constexpr double kMostly = 0.75;
    bool any = false;
    drop_accesses(a, [&](const Op& op) {
        const auto at = seen.find(op.ptx);
        const bool drop = at != seen.end() && at->second.again >= kMostly * at->second.all;
        any |= drop;
        return drop;
    });
    // What was stored in between kept the compiler from loading ahead.
    if (any) hoist_loads(a);
}

void reuse(Altered& a) {
    keep_sums(a);
    const AccessSites sites(a.code);
    const auto in_shared = [](Event& e) { e.count = 0, e.passes = 1; };
    const BlockTrace* block_of = nullptr;
    std::unordered_set<std::uint32_t> loaded;
    std::map<std::pair<std::size_t, const Op*>, Event*> stored;  // by warp and place: the last
    each_access(a.trace, sites, [&](BlockTrace& block, std::size_t w, Event& e, const Op& op) {
        if (!is_global(e, op) || is_scattered(e, op)) return;
        if (block_of != &block) loaded.clear(), stored.clear(), block_of = &block;
        const auto* sectors = block.sectors.data() + e.first;
        if (reads(op)) {
            bool fresh = false;
            for (unsigned k = 0; k < e.count; ++k) fresh |= loaded.insert(sectors[k]).second;
            if (!fresh) in_shared(e);
            return;
        }
        // What a warp stored at this place before, it need not have stored.
        Event*& last = stored[{w, &op}];
        if (last && last->count == e.count &&
            std::equal(sectors, sectors + e.count, block.sectors.data() + last->first))
            in_shared(*last);
        last = &e;
    });
}

void read_one_constant(Altered& a) {
    for (auto& block : a.trace.sample)
        for (auto& warp : block.warps)
            for (Event& e : warp.events) {
                if (!(e.what & Event::kConstant)) continue;
                if (e.count > 0) e.first = block.sectors[e.first], e.count = 0;
                e.passes = 1;
            }
}

void whole_waves(Altered& a, std::uint32_t blocks_of_each) {
    auto& sample = a.trace.sample;
    if (sample.size() > blocks_of_each) sample.resize(blocks_of_each);
    const std::uint64_t blocks = std::uint64_t{blocks_of_each} * std::max(1u, a.model.sm.multiprocessors);
    // The sample's own work stands for that of all blocks.
    a.work.counts[record::Count::instructions] =
        a.work.counts[record::Count::instructions] * blocks / std::max<std::uint64_t>(1, a.work.grid.count());
    a.work.grid = {static_cast<std::uint32_t>(blocks), 1, 1};
    a.trace.blocks = blocks;
    a.trace.work.clear();
}

double inequality(const machine::LaunchTrace& trace) {
    double most = 0, sum = 0;
    for (const auto& block : trace.work) most = std::max(most, double(block.all)), sum += double(block.all);
    return sum > 0 ? most * static_cast<double>(trace.work.size()) / sum : 1;
}

static std::optional<double> simulated_seconds(Work work, machine::LaunchTrace trace, const arch::DeviceModel& model,
                                               double enough = std::numeric_limits<double>::infinity()) {
    work.trace = std::make_shared<const machine::LaunchTrace>(std::move(trace));
    const auto p = simulate(work, model, nullptr, enough);
    return p ? std::optional(p->seconds) : std::nullopt;
}

std::optional<double> seconds_if(const Work& work, const arch::DeviceModel& model, double seconds,
                                 const std::function<void(Altered&)>& alter, double enough) {
    constexpr double kUnequal = 1.1;
    Altered a{work, model, *work.trace, *work.trace->code};
    alter(a);
    // Where nothing was to be altered the launch takes what it takes.
    const bool same = !a.other_device && a.work == work && a.code == *work.trace->code;
    if (same && model.clocks.bound > 0 && same_course(a.trace, *work.trace)) return seconds;
    a.trace.code = std::make_shared<const machine::Code>(std::move(a.code));
    const bool left_out = a.trace.work.empty() && inequality(*work.trace) > kUnequal;
    if (!left_out) return simulated_seconds(std::move(a.work), std::move(a.trace), a.model, enough);
    auto altered = simulated_seconds(std::move(a.work), std::move(a.trace), a.model);
    if (!altered) return altered;
    Work equal = work;
    machine::LaunchTrace trace = *work.trace;
    trace.work.clear();
    equal.counts[record::Count::instructions] = 0;
    const auto before = simulated_seconds(std::move(equal), std::move(trace), model);
    return before && *before > 0 ? std::optional(seconds * *altered / *before) : std::nullopt;
}

}  // namespace warpwright::predict

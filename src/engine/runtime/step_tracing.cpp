// Lanes that do the same at one mbarrier are one step, with their counts added up. Steps are collected while the
// instruction runs and written with its event, between the sectors of the block.
#include "engine/runtime/step_tracing.hpp"

#include <algorithm>
#include <bit>

#include "engine/runtime/bulk_parts.hpp"
#include "engine/shared/tracing.hpp"
#include "machine/view.hpp"

namespace warpwright::engine {

namespace {

using simt::Mod;
using Kind = machine::AsyncStep::Kind;
using Copying = machine::BlockTrace::Copying;

machine::BlockTrace* trace_of(const BlockContext* c) { return static_cast<machine::BlockTrace*>(c->trace); }

/// Words of a trace that count as an event of those that a launch keeps.
constexpr std::size_t kWordsOfEvent = 4;

void add_step(Copying& to, Kind kind, std::uint64_t barrier, std::uint64_t value) {
    to.steps.insert(to.steps.end(), {static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(barrier),
                                     static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(to.sectors.size())});
    to.steps.insert(to.steps.end(), to.sectors.begin(), to.sectors.end());
    to.sectors.clear();
    ++to.number;
}

/// What lanes do at mbarriers: those that do the same at the same one count together.
struct AtBarrier {
    Kind kind;
    std::uint64_t barrier, value;
    bool sums;
};

class MbarrierSteps {
public:
    explicit MbarrierSteps(Copying& to) : to_(to) {}
    ~MbarrierSteps() { flush(); }
    MbarrierSteps(const MbarrierSteps&) = delete;
    MbarrierSteps& operator=(const MbarrierSteps&) = delete;

    void add(Kind kind, std::uint64_t barrier, std::uint64_t value, bool sums) {
        for (AtBarrier& one : all_) {
            if (one.kind != kind || one.barrier != barrier) continue;
            if (sums) one.value += value;
            return;
        }
        all_.push_back({kind, barrier, value, sums});
    }

private:
    void flush() {
        for (const AtBarrier& one : all_) add_step(to_, one.kind, one.barrier, one.value);
    }
    Copying& to_;
    std::vector<AtBarrier> all_;
};

/// One lane's operation on an mbarrier; `argument`: the instruction's third operand, of a wait the parity.
void lane_steps(MbarrierSteps& steps, const simt::Details& i, std::uint64_t barrier, bool counted,
                std::uint64_t argument, bool passed) {
    if (i.has(Mod::init)) return steps.add(Kind::init, barrier, argument, false);
    if (i.has(Mod::inval)) return steps.add(Kind::invalidate, barrier, 0, false);
    if (i.has(Mod::test_wait) || i.has(Mod::try_wait)) {
        if (passed) steps.add(Kind::wait, barrier, argument, false);
        return;
    }
    if (i.op == simt::Op::cp_async_mbarrier_arrive) {
        if (i.has(Mod::noinc_)) steps.add(Kind::copies_arrive, barrier, 1, true);
        return;
    }
    if (i.has(Mod::complete_tx)) return steps.add(Kind::complete, barrier, argument, true);
    const bool expects = i.has(Mod::expect_tx);
    const std::uint64_t count = counted && !expects ? argument : 1;
    if (expects) steps.add(Kind::expect, barrier, argument, true);
    if (i.has(Mod::arrive_drop)) steps.add(Kind::drop, barrier, count, true);
    if (i.has(Mod::arrive) || i.has(Mod::arrive_drop)) steps.add(Kind::arrive, barrier, count, true);
}

void mbarrier_steps(Copying& to, BlockContext* c, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in,
                    const std::uint64_t* out) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    MbarrierSteps steps(to);
    const auto& i = *form.ptx;
    const bool waits = i.has(Mod::test_wait) || i.has(Mod::try_wait);
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto place = shared_place(c, in[l] + in[lanes + l], !form.shared, 8);
        if (!place.host) continue;
        std::uint64_t argument = form.inputs > 2 ? in[2 * lanes + l] & 0xffffffffu : 0;
        if (waits) argument = i.has(Mod::parity) ? argument & 1 : in[2 * lanes + l] >> 63;
        lane_steps(steps, i, place.offset, form.inputs > 2, argument, !out || (out[l] & 1) != 0);
    }
}

}  // namespace

void trace_copied(const BlockContext* c, std::uint64_t address, std::uint64_t bytes) {
    auto* trace = trace_of(c);
    if (!trace || bytes == 0) return;
    const auto place = PlacesOf(c->executor->launch.tracing->places)(address);
    auto& sectors = trace->copying.sectors;
    for (auto s = place / 32; s <= (place + bytes - 1) / 32; ++s)
        if (sectors.empty() || sectors.back() != static_cast<std::uint32_t>(s))
            sectors.push_back(static_cast<std::uint32_t>(s));
}

void trace_delivered(const BlockContext* c, const SharedPlace& barrier, std::uint64_t bytes) {
    auto* trace = trace_of(c);
    if (!trace) return;
    auto& to = trace->copying;
    // A further target of the same copy: that block's own copies bring as much to this one.
    if (to.sectors.empty() && to.last < to.steps.size() && to.steps[to.last + 1] == barrier.offset) {
        to.steps[to.last + 2] += static_cast<std::uint32_t>(bytes);
        return;
    }
    to.last = to.steps.size();
    add_step(to, Kind::load, barrier.offset, bytes);
}

void trace_steps(BlockContext* c, const WarpFrame* f, const AsyncForm& form, std::uint64_t mask,
                 const std::uint64_t* in, const std::uint64_t* out) {
    auto* trace = trace_of(c);
    if (!trace) return;
    auto& made = trace->copying;
    auto& warp = trace->warps[f->warp];
    if (machine::tells_steps(*form.ptx) && !warp.cut) {
        const auto kind = simt::facts(form.ptx->op).form;
        if (kind == simt::Form::mbarrier) mbarrier_steps(made, c, form, mask, in, out);
        if (!made.sectors.empty()) add_step(made, Kind::store, 0, 32 * made.sectors.size());
        machine::Event e;
        e.what = machine::Event::kAccess | machine::Event::kAsync;
        e.lanes = static_cast<std::uint32_t>(std::popcount(mask));
        e.first = static_cast<std::uint32_t>(trace->sectors.size());
        trace->sectors.push_back(made.number);
        trace->sectors.insert(trace->sectors.end(), made.steps.begin(), made.steps.end());
        trace->events += 1 + made.steps.size() / kWordsOfEvent;
        warp.add(e);
    }
    made = {};
}

}  // namespace warpwright::engine

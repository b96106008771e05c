// What goes on while warps do other things: mbarriers, bulk copies, groups of copies and of products.
#include <algorithm>

#include "timing/simulation.hpp"

namespace warpwright::timing {

using Step = machine::AsyncStep;

double Groups::after(unsigned pending) const {
    if (pending == 0) return std::max(open, ended.empty() ? 0 : ended.back());
    return ended.size() > pending ? ended[ended.size() - 1 - pending] : 0;
}

void Groups::end() {
    ended.push_back(std::max(open, ended.empty() ? 0 : ended.back()));
    open = 0;
}

Mbarrier* Simulation::mbarrier(BlockSlot& place, std::uint32_t at) {
    const auto found =
        std::find_if(place.mbarriers.begin(), place.mbarriers.end(), [&](const Mbarrier& m) { return m.at == at; });
    return found == place.mbarriers.end() ? nullptr : &*found;
}

/// An instruction at mbarriers, or a bulk copy.
void Simulation::take_steps(Warp& w, const Op& op) {
    if (const auto* event = event_of(w, op, machine::Event::kAsync))
        machine::each_step(*w.block, *event, [&](const Step& s) { take_step(w, s); });
}

void Simulation::take_step(Warp& w, const Step& s) {
    auto& place = block_slots_[w.place];
    using Kind = Step::Kind;
    switch (s.kind) {
        case Kind::load: {
            const double there = memory_.bulk_load(s.sectors, s.count, w.block->index, now_ + p_.bulk_start);
            deliveries_.push({there, w.place, place.number, s.barrier, 0, s.value});
            return;
        }
        case Kind::store: {
            const double begin = now_ + p_.bulk_start;
            memory_.store(s.sectors, s.count, false, w.block->index, begin, s.value);
            w.bulk_read.open = std::max(w.bulk_read.open, begin + memory_.backlog(begin));
            w.bulk.open = std::max(w.bulk.open, begin + memory_.backlog(begin) + p_.l2_latency);
            w.writes = std::max(w.writes, w.bulk.open);
            return;
        }
        case Kind::copies_arrive:
            deliveries_.push({std::max(now_, w.copies.after(0)), w.place, place.number, s.barrier, s.value, 0});
            return;
        case Kind::wait:
            return wait_for_phase(w, s);
        case Kind::init:
            std::erase_if(place.mbarriers, [&](const Mbarrier& m) { return m.at == s.barrier; });
            place.mbarriers.push_back({s.barrier, 0, s.value, s.value, 0});
            return;
        case Kind::invalidate:
            std::erase_if(place.mbarriers, [&](const Mbarrier& m) { return m.at == s.barrier; });
            return;
        case Kind::arrive:
            return arrive_at(w.place, s.barrier, s.value, 0);
        case Kind::complete:
            return arrive_at(w.place, s.barrier, 0, s.value);
        case Kind::drop:
        case Kind::expect:
            if (auto* m = mbarrier(place, s.barrier)) {
                if (s.kind == Kind::drop)
                    m->expected -= s.value;
                else
                    m->bytes += s.value;
            }
            return;
    }
}

/// A warp stays until the phase is over. An mbarrier that the trace does not begin with holds nobody.
void Simulation::wait_for_phase(Warp& w, const Step& s) {
    const auto* m = mbarrier(block_slots_[w.place], s.barrier);
    if (!m || m->parity != (s.value & 1)) {
        hold(w, now_ + p_.phase, Stall::long_scoreboard);
        return;
    }
    w.waits = true, w.barrier = kPhase;
    w.mbarrier = s.barrier;
}

void Simulation::arrive_at(unsigned number, std::uint32_t at, std::int64_t arrivals, std::int64_t bytes) {
    auto* m = mbarrier(block_slots_[number], at);
    if (!m) return;
    m->pending -= arrivals, m->bytes -= bytes;
    // Of a cluster whose blocks do not all do the same, more may be noted here than this block is told.
    if (m->pending > 0 || m->bytes > 0) return;
    m->pending = m->expected, m->bytes = 0;
    m->parity ^= 1;
    for (std::size_t k = 0; k < of_block_; ++k) {
        Warp& w = warps_[number * of_block_ + k];
        if (w.done || !w.waits || w.barrier != kPhase || w.mbarrier != at) continue;
        w.waits = false;
        hold(w, now_ + p_.phase, Stall::long_scoreboard);
        ++w.op;
        look(w);
    }
}

/// What has come until now; when the next comes.
double Simulation::deliver(double never) {
    while (!deliveries_.empty() && deliveries_.top().at <= now_) {
        const Delivery d = deliveries_.top();
        deliveries_.pop();
        if (block_slots_[d.place].number == d.block) arrive_at(d.place, d.barrier, d.arrivals, d.bytes);
    }
    return deliveries_.empty() ? never : deliveries_.top().at;
}

}  // namespace warpwright::timing

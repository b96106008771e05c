// What blocks ask of the units is known before they run: which operations a warp issues follows from its trace alone.
// The load/store unit serves one access after the other, and a scheduler issues one instruction after the other, so
// that what is left of both is a bound for the end. Of spilled values and textures nothing is counted.
#include <algorithm>
#include <cmath>

#include "timing/simulation.hpp"

namespace warpwright::timing {

using machine::Effect;

/// Of the blocks that need least, one, two, ... together: so much at least have as many blocks needed that have ended.
void Simulation::count_needs() {
    std::vector<double> turns, issues;
    for (const auto& block : trace_.sample) {
        const Needs needs = needs_of(block);
        turns.push_back(needs.turns), issues.push_back(needs.issues);
        if (!std::isfinite(longest_turn_)) return;
    }
    std::sort(turns.begin(), turns.end());
    std::sort(issues.begin(), issues.end());
    Needs sum;
    for (std::size_t k = 0; k < turns.size(); ++k) {
        sum.turns += turns[k], sum.issues += issues[k];
        needs_.push_back(sum);
    }
}

Simulation::Needs Simulation::needs_of(const machine::BlockTrace& block) {
    Needs out;
    Warp w;
    w.block = &block;
    for (const auto& trace : block.warps) {
        w.trace = &trace;
        for (w.event = 0; w.event < trace.events.size(); w.event = w.next) {
            choose_body(w);
            for (w.op = 0; w.op < w.size; ++w.op) add_needs(out, w);
        }
    }
    return out;
}

/// Of the operation that the warp is at.
void Simulation::add_needs(Needs& needs, const Warp& w) {
    const PreparedOp& prepared = w.ops[w.op];
    needs.issues += std::max<unsigned>(1, prepared.issues);
    // Of a rate that is not known no time comes.
    if (!std::isfinite(prepared.latency + prepared.cycles)) longest_turn_ = ScheduledWarps::kNever;
    if (prepared.plain || is_off(w)) return;
    const Op& op = *prepared.op;
    const bool accesses = op.effect == Effect::load || op.effect == Effect::store || op.effect == Effect::atomic ||
                          op.effect == Effect::copy;
    // A loop takes turns that nobody knows before, and so do accesses that do not wait for the unit's queue.
    if (op.repeats || (accesses && op.pipe != Pipe::memory && op.pipe != Pipe::texture))
        longest_turn_ = ScheduledWarps::kNever;
    if (!accesses || op.pipe != Pipe::memory) return;
    double cycles = std::max(p_.request_interval, op.bytes / 4.0);  // of a spilled value
    if (op.spill < 0) {
        const auto* e = event_of(w, op, machine::Event::kAccess);
        if (!e) return;
        needs.turns += cycles = turn(op, *e);
    }
    longest_turn_ = std::max(longest_turn_, cycles);
}

LeastCourse Simulation::least_course() const {
    LeastCourse out;
    for (std::size_t k = 0; k < next_; ++k) {
        const auto place = std::find_if(block_slots_.begin(), block_slots_.end(),
                                        [&](const BlockSlot& s) { return s.block && s.number == k; });
        if (place == block_slots_.end() || place->alive == 0) out.known.push_back(out_.ended[k]);
    }
    std::sort(out.known.begin(), out.known.end());
    out.ended = out.known;
    out.ended.resize(needs_.size(), now_);
    std::sort(out.ended.begin(), out.ended.end());
    // An access begins when the queue before it is short enough.
    const double queue = p_.request_queue + longest_turn_, free = std::max(load_store_, now_),
                 schedulers = p_.schedulers;
    for (std::size_t k = out.known.size(); k < needs_.size(); ++k) {
        const double by_turns = free + (needs_[k].turns - turns_) - queue;
        const double by_issues = now_ + (needs_[k].issues - out_.issues - schedulers) * p_.issue_interval / schedulers;
        out.ended[k] = std::max({out.ended[k], by_turns, by_issues});
    }
    if (!out.ended.empty()) out.cycles = out.ended.back();
    return out;
}

}  // namespace warpwright::timing

// This part of the simulation issues operations: a scheduler goes on with its last warp, or takes the youngest of those
// that can go on (at the queue of a unit the first one), and the time that a warp stood is added to its states. Cycles
// without an issue are skipped.
#include <algorithm>
#include <cmath>

#include "timing/simulation.hpp"

namespace warpwright::timing {

namespace {

constexpr double kNever = ScheduledWarps::kNever;

std::size_t index(machine::Pipe pipe) { return static_cast<std::size_t>(pipe); }

}  // namespace

inline machine::Pipe Simulation::pipe_of(Pipe pipe, const SchedulerState& scheduler) const {
    if (pipe != Pipe::add || !p_.adds_in_multiplier) return pipe;
    const auto& free = scheduler.unit_free;
    return free[index(Pipe::alu)] <= free[index(Pipe::multiply)] ? Pipe::alu : Pipe::multiply;
}

/// The units that schedulers share: when one is free depends on what others have issued.
constexpr std::uint32_t kShared = 1u << static_cast<unsigned>(machine::Pipe::memory) |
                                  1u << static_cast<unsigned>(machine::Pipe::exchange) |
                                  1u << static_cast<unsigned>(machine::Pipe::texture) | 1u << Want::kBeyond;

/// When an instruction may ask for the units that schedulers share.
inline void Simulation::ask_shared_units() {
    const double queue = load_store_ - p_.request_queue, way = now_ + memory_.backlog(now_) - p_.memory_queue;
    shared_free_[index(Pipe::memory)] = shared_free_[index(Pipe::exchange)] = queue;
    shared_free_[index(Pipe::texture)] = std::max(texture_ - p_.request_queue, way);
    shared_free_[Want::kBeyond] = std::max(queue, way);
}

/// The earliest cycle in which a scheduler can issue an instruction that asks for the unit, and whose operands are
/// there.
inline double Simulation::possible(unsigned unit, const SchedulerState& scheduler) const {
    return std::max(scheduler.unit_free[unit], shared_free_[unit]);
}

/// The warp that a scheduler issues now: the one that has just issued; of two that wait for the queue of a unit the one
/// that came first; else the younger one. Null where none can; `next` is drawn down to when one could.
inline Warp* Simulation::choose(SchedulerState& scheduler, double& next) {
    auto& list = scheduler.warps;
    const double now = now_, first = list.wake_until(now);
    double own = first, soonest = std::min(next, first);
    std::uint32_t free = 0;
    // (Without branches, which no processor would foresee.)
    for (std::uint32_t rest = list.asked(); rest; rest &= rest - 1) {
        const auto unit = static_cast<unsigned>(__builtin_ctz(rest));
        const double at = possible(unit, scheduler);
        const bool is_free = !(at > now);
        free |= is_free ? rest & -rest : 0;
        const double later = is_free ? kNever : at;
        soonest = std::min(soonest, later);
        own = std::min(own, kShared >> unit & 1 ? kNever : later);
    }
    next = soonest;
    if (!free) {
        list.quiet_until = own, list.shared = list.asked() & kShared;
        return nullptr;
    }
    const Warp* greedy = scheduler.greedy;
    return &warps_[list.warp(list.first_of(free, greedy && !greedy->done ? greedy->listed : ScheduledWarps::kNobody))];
}

/// Whether a scheduler, as far as is known since it looked last, has no warp that can go on.
inline bool Simulation::is_quiet(const SchedulerState& scheduler, double& next) const {
    const auto& list = scheduler.warps;
    if (!(list.quiet_until > now_)) return false;
    double until = list.quiet_until;
    for (std::uint32_t rest = list.shared; rest; rest &= rest - 1) {
        const double at = possible(static_cast<unsigned>(__builtin_ctz(rest)), scheduler);
        if (!(at > now_)) return false;
        until = std::min(until, at);
    }
    next = std::min(next, until);
    return true;
}

/// A cycle: each scheduler issues one instruction of the warps that can go on; then on to the next cycle in which one
/// can. They take turns at the load/store unit, which they share: whoever had it last asks last.
void Simulation::step() {
    double next = deliveries_.empty() ? kNever : deliver(kNever);
    const auto many = static_cast<unsigned>(schedulers_.size());
    ask_shared_units();
    for (unsigned n = 0, at = first_to_ask_; n < many; ++n) {
        SchedulerState& scheduler = schedulers_[at];
        if (++at == many) at = 0;
        if (scheduler.issue_free > now_) {
            next = std::min(next, scheduler.issue_free);
            continue;
        }
        if (is_quiet(scheduler, next)) continue;
        Warp* const best = choose(scheduler, next);
        if (!best) continue;
        issue(*best);
        ask_shared_units();
        scheduler.greedy = best;
        scheduler.issue_free = now_ + p_.issue_interval;
        next = std::min(next, scheduler.issue_free);
    }
    if (!ended_.empty()) {
        start_waiting();
        next = now_ + p_.issue_interval;
    }
    if (next == kNever) return go_on_without_barriers();
    now_ = std::max(next, now_ + 1e-6);
}

/// Leaves out the warps that are done.
void Simulation::list_again() {
    for (auto& scheduler : schedulers_)
        scheduler.warps.leave_out([&](unsigned warp) { return warps_[warp].done; },
                                  [&](unsigned warp, unsigned place) { warps_[warp].listed = place; });
}

/// Nobody can go on: the traces of other warps end before a barrier.
void Simulation::go_on_without_barriers() {
    bool any = false;
    for (Warp& w : warps_)
        if (!w.done && w.waits) {
            w.waits = false;
            any = true;
            ++w.op;
            look(w);
        }
    if (!ended_.empty()) start_waiting();
    now_ += 1;
    if (!any) alive_ = 0;
}

/// Where the warp stood since its last issue: at its operands first, then at its pipe or for its turn. `off`: is_off().
inline void Simulation::account(const Warp& w, const PreparedOp& prepared, bool off) {
    const double begin = w.last + 1, operands = std::clamp(w.earliest, begin, std::max(begin, now_));
    const std::uint32_t slot = w.slot + w.op;
    // At a barrier or a fence the warp stands at that instruction, not at the one that follows.
    const bool held = w.issued && (w.why == Stall::barrier || w.why == Stall::membar || w.why == Stall::sleeping);
    add_stall(held ? w.issued_slot : slot, w.why, operands - begin);
    add_stall(slot, Stall::selected, 1);
    if (log_) {
        log_->add(w.logged, w.why, held ? w.issued : prepared.ptx, begin, operands);
        log_->add(w.logged, Stall::selected, prepared.ptx, now_, now_ + 1);
    }
    if (now_ <= operands) return;
    const Stall s = off ? Stall::not_selected : throttle(w, prepared);
    add_stall(slot, s, now_ - operands);
    if (log_) log_->add(w.logged, s, prepared.ptx, operands, now_);
}

/// What a warp whose operands were there has waited for.
inline Stall Simulation::throttle(const Warp& w, const PreparedOp& prepared) const {
    const Pipe pipe = prepared.pipe;
    const bool memory_full = memory_.backlog(now_) + 4 > p_.memory_queue;
    if ((pipe == Pipe::memory || pipe == Pipe::exchange) && (load_store_ + 4 > now_ + p_.request_queue || memory_full))
        return pipe == Pipe::exchange || prepared.op->space == simt::Space::shared ? Stall::mio_throttle
                                                                                   : Stall::lg_throttle;
    if (pipe == Pipe::texture && (texture_ + 4 > now_ + p_.request_queue || memory_full)) return Stall::tex_throttle;
    if (!(prepared.cycles > 1.5)) return Stall::not_selected;
    // A warp that its own operation keeps waiting waits as for a result.
    const auto& scheduler = schedulers_[w.scheduler];
    return scheduler.pipe_user[index(pipe_of(pipe, scheduler))] == &w ? Stall::wait : Stall::math_pipe_throttle;
}

void Simulation::issue(Warp& w) {
    const PreparedOp& prepared = w.ops[w.op];
    const bool off = is_off(w);
    account(w, prepared, off);
    ++out_.issues;
    w.last = now_;
    w.issued = prepared.ptx, w.issued_slot = w.slot + w.op;
    if (off) {
        if (++w.part < prepared.issues) {
            w.earliest = now_ + 1, w.why = Stall::wait;
            return note_wake(w);
        }
        w.part = 0, ++w.op;
        return look(w);
    }
    if (prepared.pipe == Pipe::memory || prepared.pipe == Pipe::exchange)
        first_to_ask_ = w.scheduler + 1 == p_.schedulers ? 0 : w.scheduler + 1;
    occupy(w, prepared);
    if (prepared.issues > 1 || prepared.repeats) {
        if (goes_on_issuing(w, prepared)) return note_wake(w);
        w.part = 0;
    }
    if (prepared.plain)
        set_results(w, prepared, now_ + prepared.latency, prepared.why);
    else
        finish(w, prepared);
    if (w.waits) return note_wake(w);
    if (prepared.branch) hold(w, now_ + p_.branch, Stall::wait);
    ++w.op;
    look(w);
}

/// Of an operation of several issue slots: whether there is another one after this.
bool Simulation::goes_on_issuing(Warp& w, const PreparedOp& prepared) {
    const Op& op = *prepared.op;
    const unsigned parts = op.repeats ? op.issues * turns(w, op) : op.issues;
    if (++w.part >= parts) return false;
    if (op.repeats && (w.part - 1) % op.issues == 0) w.round = round_of(w, op);
    w.earliest = now_ + std::max(1.0, (op.repeats ? w.round : static_cast<double>(op.chain)) / op.issues);
    w.why = op.repeats ? Stall::short_scoreboard : Stall::wait;
    return true;
}

/// How often the loop goes round: each time one of the lanes that want the same word has its turn.
unsigned Simulation::turns(const Warp& w, const Op& op) const {
    const auto* e = event_of(w, op, machine::Event::kAccess);
    return e && e->count == 0 ? std::max<unsigned>(1, e->passes) : 1;
}

/// Cycles of a round of the loop around a compare-and-swap in shared memory. A round succeeds only where no other
/// warp's has since it read the word, so that the word has one turn after the other, however many warps want it; who
/// waits for its turn goes round meanwhile.
double Simulation::round_of(Warp& w, const Op& op) {
    const auto* e = event_of(w, op, machine::Event::kAccess);
    if (!e) return p_.compare_round;
    double& free = block_slots_[w.place].word_free[e->first];
    const double done = std::max(now_ + p_.compare_round, free + p_.compare_turn);
    free = done;
    const double lost = std::floor((done - now_) / p_.compare_round - 1);
    out_.issues += lost * op.issues;
    load_store_ = std::max(load_store_, now_) + (lost + 1) * p_.compare_passes / p_.wavefronts;
    return done - now_;
}

inline void Simulation::occupy(Warp& w, const PreparedOp& prepared) {
    auto& scheduler = schedulers_[w.scheduler];
    auto& free = scheduler.unit_free;
    if (prepared.special > w.part) {
        free[Want::kSpecialPart] = now_ + p_.special_interval;
        return;
    }
    const Pipe pipe = pipe_of(prepared.pipe, scheduler);
    if (pipe == Pipe::memory) w.next_access = now_ + p_.access_spacing;
    const double until = now_ + (pipe == prepared.pipe ? prepared.cycles : cycles_of(p_, *prepared.op, pipe));
    free[index(pipe)] = until;
    scheduler.pipe_user[index(pipe)] = &w;
    if (pipe == Pipe::special) free[Want::kSpecialPart] = until;
    if (pipe == Pipe::memory) free[Want::kBeyond] = until;
    if (p_.adds_in_multiplier) free[index(Pipe::add)] = std::min(free[index(Pipe::alu)], free[index(Pipe::multiply)]);
}

}  // namespace warpwright::timing

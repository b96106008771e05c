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

inline machine::Pipe Simulation::pipe_of(Pipe pipe, unsigned scheduler) const {
    if (pipe != Pipe::add || !p_.adds_in_multiplier) return pipe;
    const auto& free = pipe_free_[scheduler];
    return free[index(Pipe::alu)] <= free[index(Pipe::multiply)] ? Pipe::alu : Pipe::multiply;
}

/// Through a queue goes what asks a unit that answers when it is done (special functions, conversions, shuffles), or
/// the one that accesses of local and global memory have for themselves (the profiler's stall lg_throttle; those of
/// shared memory wait elsewhere, mio_throttle).
inline Want Simulation::want_of(const Warp& w) {
    if (is_off(w)) return {Want::kNothing, false};
    const machine::Op& op = w.body->ops[w.op];
    const bool beyond = op.pipe == machine::Pipe::memory && op.space != simt::Space::shared;
    Want out{static_cast<std::uint8_t>(beyond ? Want::kBeyond : index(op.pipe)), beyond};
    if (op.special > w.part) out.unit = Want::kSpecialPart;
    if (op.pipe != machine::Pipe::memory)
        out.queued = op.special > 0 || op.pipe == machine::Pipe::special || op.pipe == machine::Pipe::convert ||
                     op.pipe == machine::Pipe::exchange;
    return out;
}

/// The earliest cycle in which a scheduler can issue the next instruction of a warp whose operands are there.
inline double Simulation::possible(Want want, unsigned scheduler) const {
    if (want.unit == Want::kNothing) return 0;
    if (want.unit == Want::kSpecialPart) return special_free_[scheduler];
    const Pipe pipe = want.unit == Want::kBeyond ? Pipe::memory : static_cast<Pipe>(want.unit);
    double at = pipe_free_[scheduler][index(pipe_of(pipe, scheduler))];
    if (pipe == Pipe::memory || pipe == Pipe::exchange) at = std::max(at, load_store_ - p_.request_queue);
    if (pipe == Pipe::texture) at = std::max(at, texture_ - p_.request_queue);
    if (pipe == Pipe::texture || want.unit == Want::kBeyond)
        at = std::max(at, now_ + memory_.backlog(now_) - p_.memory_queue);
    return at;
}

/// The units that schedulers share: when one is free depends on what others have issued.
constexpr std::uint32_t kShared = 1u << static_cast<unsigned>(machine::Pipe::memory) |
                                  1u << static_cast<unsigned>(machine::Pipe::exchange) |
                                  1u << static_cast<unsigned>(machine::Pipe::texture) | 1u << Want::kBeyond;

/// The warp that a scheduler issues now: the one that has just issued; of two that wait for the queue of a unit the one
/// that came first; else the younger one. Null where none can; `next` is drawn down to when one could.
Warp* Simulation::choose(unsigned scheduler, double& next) {
    auto& list = by_scheduler_[scheduler];
    const double first = list.wake_until(now_);
    double own = first;
    std::uint32_t free = 0;
    for (std::uint32_t rest = list.asked(); rest; rest &= rest - 1) {
        const auto unit = static_cast<unsigned>(__builtin_ctz(rest));
        const double at = possible({static_cast<std::uint8_t>(unit), false}, scheduler);
        if (!(at > now_)) {
            free |= 1u << unit;
            continue;
        }
        next = std::min(next, at);
        if (!(kShared >> unit & 1)) own = std::min(own, at);
    }
    next = std::min(next, first);
    if (!free) {
        list.quiet_until = own, list.shared = list.asked() & kShared;
        return nullptr;
    }
    if (const Warp* w = greedy_[scheduler];
        w && !w->done && list.is_awake(w->listed) && (free >> list.want(w->listed).unit & 1))
        return &warps_[list.warp(w->listed)];
    const auto before = [&](unsigned one, unsigned other) {
        return list.want(one).queued && list.want(other).queued ? list.wakes(one) < list.wakes(other)
                                                                : list.age(one) > list.age(other);
    };
    constexpr unsigned kNobody = ~0u;
    unsigned best = kNobody;
    list.each_awake(free, [&](unsigned place) {
        if (best == kNobody || before(place, best)) best = place;
    });
    return &warps_[list.warp(best)];
}

/// Whether a scheduler, as far as is known since it looked last, has no warp that can go on.
inline bool Simulation::is_quiet(unsigned scheduler, double& next) const {
    const auto& list = by_scheduler_[scheduler];
    if (!(list.quiet_until > now_)) return false;
    double until = list.quiet_until;
    for (std::uint32_t rest = list.shared; rest; rest &= rest - 1) {
        const double at = possible({static_cast<std::uint8_t>(__builtin_ctz(rest)), false}, scheduler);
        if (!(at > now_)) return false;
        until = std::min(until, at);
    }
    next = std::min(next, until);
    return true;
}

/// A cycle: each scheduler issues one instruction of the warps that can go on; then on to the next cycle in which one
/// can. They take turns at the load/store unit, which they share: whoever had it last asks last.
void Simulation::step() {
    double next = deliver(kNever);
    for (unsigned n = 0, at = first_to_ask_; n < p_.schedulers; ++n) {
        const unsigned s = at;
        if (++at == p_.schedulers) at = 0;
        if (issue_free_[s] > now_) {
            next = std::min(next, issue_free_[s]);
            continue;
        }
        if (is_quiet(s, next)) continue;
        Warp* const best = choose(s, next);
        if (!best) continue;
        if (!is_off(*best))
            if (const Pipe pipe = best->body->ops[best->op].pipe; pipe == Pipe::memory || pipe == Pipe::exchange)
                first_to_ask_ = s + 1 == p_.schedulers ? 0 : s + 1;
        issue(*best);
        note_wake(*best);
        greedy_[s] = best;
        issue_free_[s] = now_ + p_.issue_interval;
        next = std::min(next, issue_free_[s]);
    }
    if (!ended_.empty()) {
        start_waiting();
        next = now_ + p_.issue_interval;
    }
    if (next == kNever) return go_on_without_barriers();
    now_ = std::max(next, now_ + 1e-6);
}

/// A scheduler whose warps all wait is passed over until the first of them can go on.
void Simulation::note_wake(const Warp& w) {
    auto& list = by_scheduler_[w.scheduler];
    if (w.waits || w.done) return list.set(w.listed, kNever, {});
    list.set(w.listed, w.earliest, want_of(w));
}

/// Leaves out the warps that are done.
void Simulation::list_again() {
    for (auto& list : by_scheduler_)
        list.leave_out([&](unsigned warp) { return warps_[warp].done; },
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

void Simulation::add_stall(std::uint32_t slot, Stall state, double cycles) {
    out_.warp_cycles[static_cast<std::size_t>(state)] += cycles;
    if (slot < out_.by_slot.size()) out_.by_slot[slot][static_cast<std::size_t>(state)] += cycles;
}

/// Where the warp stood since its last issue: at its operands first, then at its pipe or for its turn.
void Simulation::account(const Warp& w) {
    const double begin = w.last + 1, operands = std::clamp(w.earliest, begin, std::max(begin, now_));
    const Op& op = w.body->ops[w.op];
    const std::uint32_t slot = w.slot + w.op;
    // At a barrier or a fence the warp stands at that instruction, not at the one that follows.
    const bool held = w.issued && (w.why == Stall::barrier || w.why == Stall::membar || w.why == Stall::sleeping);
    add_stall(held ? w.issued_slot : slot, w.why, operands - begin);
    add_stall(slot, Stall::selected, 1);
    if (log_) {
        log_->add(w.logged, w.why, held ? w.issued : op.ptx, begin, operands);
        log_->add(w.logged, Stall::selected, op.ptx, now_, now_ + 1);
    }
    if (now_ <= operands) return;
    Stall s = Stall::not_selected;
    if (is_off(w))
        s = Stall::not_selected;
    else if ((op.pipe == Pipe::memory || op.pipe == Pipe::exchange) &&
             (load_store_ + 4 > now_ + p_.request_queue || memory_.backlog(now_) + 4 > p_.memory_queue))
        s = op.pipe == Pipe::exchange || op.space == simt::Space::shared ? Stall::mio_throttle : Stall::lg_throttle;
    else if (op.pipe == Pipe::texture &&
             (texture_ + 4 > now_ + p_.request_queue || memory_.backlog(now_) + 4 > p_.memory_queue))
        s = Stall::tex_throttle;
    else if (cycles_of(op, op.pipe) > 1.5)  // a warp that its own operation keeps waiting waits as for a result
        s = pipe_user_[w.scheduler][index(pipe_of(op.pipe, w.scheduler))] == &w ? Stall::wait
                                                                                : Stall::math_pipe_throttle;
    add_stall(slot, s, now_ - operands);
    if (log_) log_->add(w.logged, s, op.ptx, operands, now_);
}

void Simulation::issue(Warp& w) {
    account(w);
    const Op& op = w.body->ops[w.op];
    ++out_.issues;
    w.last = now_;
    w.issued = op.ptx, w.issued_slot = w.slot + w.op;
    if (is_off(w)) {
        if (++w.part < op.issues) {
            w.earliest = now_ + 1, w.why = Stall::wait;
            return;
        }
        w.part = 0, ++w.op;
        return look(w);
    }
    occupy(w, op);
    if (const unsigned parts = op.repeats ? op.issues * turns(w, op) : op.issues; ++w.part < parts) {
        if (op.repeats && (w.part - 1) % op.issues == 0) w.round = round_of(w, op);
        w.earliest = now_ + std::max(1.0, (op.repeats ? w.round : static_cast<double>(op.chain)) / op.issues);
        w.why = op.repeats ? Stall::short_scoreboard : Stall::wait;
        return;
    }
    w.part = 0;
    finish(w, op);
    if (w.waits) return;
    if (op.pipe == Pipe::branch && op.effect == machine::Effect::none) hold(w, now_ + p_.branch, Stall::wait);
    ++w.op;
    look(w);
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

/// Of a scheduler's part of the pipe. A product of a warpgroup reads shared memory, which has one way out.
double Simulation::cycles_of(const Op& op, Pipe pipe) const {
    if (op.flops <= 0) return p_.pipes[index(pipe)].interval * op.work;
    const auto type = static_cast<std::size_t>(op.matrix);
    if (op.effect != machine::Effect::product) return op.flops * p_.warp_product[type];
    return std::max(op.flops * p_.warpgroup_product[type], op.operand_bytes / p_.l1_bytes);
}

void Simulation::occupy(Warp& w, const Op& op) {
    if (op.special > w.part) {
        special_free_[w.scheduler] = now_ + p_.special_interval;
        return;
    }
    const Pipe pipe = pipe_of(op.pipe, w.scheduler);
    if (pipe == Pipe::memory) w.next_access = now_ + p_.access_spacing;
    const double cycles = cycles_of(op, pipe);
    pipe_free_[w.scheduler][index(pipe)] = now_ + cycles;
    pipe_user_[w.scheduler][index(pipe)] = &w;
    if (pipe == Pipe::special) special_free_[w.scheduler] = now_ + cycles;
}

}  // namespace warpwright::timing

// This part of the simulation issues operations: a scheduler goes on with its last warp, or takes the youngest of those
// that can go on (at the queue of a unit the first one), and the time that a warp stood is added to its states. Cycles
// without an issue are skipped.
#include <algorithm>
#include <cmath>
#include <limits>

#include "timing/simulation.hpp"

namespace warpwright::timing {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::size_t index(machine::Pipe pipe) { return static_cast<std::size_t>(pipe); }

}  // namespace

inline machine::Pipe Simulation::pipe_of(const Op& op, unsigned scheduler) const {
    if (op.pipe != Pipe::add || !p_.adds_in_multiplier) return op.pipe;
    const auto& free = pipe_free_[scheduler];
    return free[index(Pipe::alu)] <= free[index(Pipe::multiply)] ? Pipe::alu : Pipe::multiply;
}

/// Whether the warp's next instruction goes to the load/store unit.
inline bool Simulation::asks_load_store(const Warp& w) const {
    if (is_off(w)) return false;
    const Pipe pipe = w.body->ops[w.op].pipe;
    return pipe == Pipe::memory || pipe == Pipe::exchange;
}

/// The earliest cycle in which the next instruction of a warp whose operands are there can be issued.
inline double Simulation::possible(const Warp& w) const {
    if (is_off(w)) return 0;
    const Op& op = w.body->ops[w.op];
    if (op.special > w.part) return special_free_[w.scheduler];
    double at = pipe_free_[w.scheduler][index(pipe_of(op, w.scheduler))];
    if (op.pipe == Pipe::memory || op.pipe == Pipe::exchange) at = std::max(at, load_store_ - p_.request_queue);
    if (op.pipe == Pipe::texture) at = std::max(at, texture_ - p_.request_queue);
    if (op.pipe == Pipe::texture || (op.pipe == Pipe::memory && op.space != simt::Space::shared))
        at = std::max(at, now_ + memory_.backlog(now_) - p_.memory_queue);
    return at;
}

/// Whether the warp's next instruction goes through a queue: of a unit that answers when it is done (special functions,
/// conversions, shuffles), or the one that accesses of local and global memory have for themselves (the profiler's
/// stall lg_throttle; those of shared memory wait elsewhere, mio_throttle).
inline bool Simulation::is_queued(const Warp& w) {
    if (is_off(w)) return false;
    const Op& op = w.body->ops[w.op];
    if (op.pipe == Pipe::memory) return op.space != simt::Space::shared;
    return op.special > 0 || op.pipe == Pipe::special || op.pipe == Pipe::convert || op.pipe == Pipe::exchange;
}

/// Whether a scheduler prefers the first of two warps that can go on: the one that has just issued; of two that wait
/// for the queue of a unit the one that came first; else the younger one.
inline bool Simulation::is_before(const Warp& a, const Warp& b, unsigned scheduler) const {
    if (&b == greedy_[scheduler]) return false;
    if (&a == greedy_[scheduler]) return true;
    return is_queued(a) && is_queued(b) ? a.earliest < b.earliest : a.age > b.age;
}

/// The warp that a scheduler issues now (is_before). Null where none can; `next` is drawn down to when one could.
Warp* Simulation::choose(unsigned scheduler, double& next) {
    Warp* best = nullptr;
    bool awake = false;
    double first = kNever;
    for (const unsigned k : by_scheduler_[scheduler]) {
        if (wakes_[k] > now_) {
            first = std::min(first, wakes_[k]);
            continue;
        }
        awake = true;
        Warp& w = warps_[k];
        if (const double at = possible(w); at > now_) {
            next = std::min(next, at);
            continue;
        }
        if (!best || is_before(w, *best, scheduler)) best = &w;
    }
    next = std::min(next, first);
    if (!awake) asleep_until_[scheduler] = first;
    return best;
}

/// A cycle: each scheduler issues one instruction of the warps that can go on; then on to the next cycle in which one
/// can. They take turns at the load/store unit, which they share: whoever had it last asks last.
void Simulation::step() {
    double next = deliver(kNever);
    const unsigned from = first_to_ask_;
    for (unsigned n = 0; n < p_.schedulers; ++n) {
        const unsigned s = (from + n) % p_.schedulers;
        if (issue_free_[s] > now_) {
            next = std::min(next, issue_free_[s]);
            continue;
        }
        if (asleep_until_[s] > now_) {
            next = std::min(next, asleep_until_[s]);
            continue;
        }
        Warp* const best = choose(s, next);
        if (!best) continue;
        if (asks_load_store(*best)) first_to_ask_ = s + 1;
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

/// Most warps wait in most cycles: what the schedulers ask of them stands apart from all else that a warp has, and a
/// scheduler whose warps all wait is passed over until the first of them can go on.
void Simulation::note_wake(const Warp& w) {
    wakes_[static_cast<std::size_t>(&w - warps_.data())] = w.waits || w.done ? kNever : w.earliest;
    asleep_until_[w.scheduler] = 0;
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
        s = pipe_user_[w.scheduler][index(pipe_of(op, w.scheduler))] == &w ? Stall::wait : Stall::math_pipe_throttle;
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
    const Pipe pipe = pipe_of(op, w.scheduler);
    if (pipe == Pipe::memory) w.next_access = now_ + p_.access_spacing;
    const double cycles = cycles_of(op, pipe);
    pipe_free_[w.scheduler][index(pipe)] = now_ + cycles;
    pipe_user_[w.scheduler][index(pipe)] = &w;
    if (pipe == Pipe::special) special_free_[w.scheduler] = now_ + cycles;
}

}  // namespace warpwright::timing

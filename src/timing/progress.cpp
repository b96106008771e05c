// This part of the simulation brings blocks to their places and warps along their traces, through unrolled loops,
// regions and phis, and lets them wait for operands and for their instructions.
#include <algorithm>
#include <chrono>

#include "timing/simulation.hpp"

namespace warpwright::timing {

namespace {

/// Steps of the simulation between two looks at the host's clock, and two questions whether it was enough.
constexpr std::uint64_t kStepsToLook = 4096, kStepsToAsk = 512;

}  // namespace

Simulation::Simulation(const Parameters& p, const machine::LaunchTrace& trace, const SmConditions& conditions,
                       WarpLog* log)
    : p_(p),
      trace_(trace),
      code_(*trace.code),
      prepared_(p, code_),
      memory_(p, trace, conditions.l1_bytes, conditions.active, conditions.share, conditions.resident,
              conditions.alike),
      of_block_(trace.sample.empty() ? 0 : trace.sample[0].warps.size()),
      block_slots_(std::max(1u, conditions.resident)),
      warps_(block_slots_.size() * of_block_),
      schedulers_(p.schedulers),
      block_interval_(p.block_interval * conditions.active),
      fetched_(code_.instructions / kLineSlots + 2, -1.0),
      log_(log),
      operands_(p.constant_lines),
      loaded_(p.constant_lines),
      indexed_(p.indexed_lines) {
    if (log_) log_->schedulers = p_.schedulers, log_->slots = static_cast<std::uint32_t>(warps_.size());
    for (auto& w : warps_) w.ready.resize(prepared_.values()), w.ready_why.resize(prepared_.values(), Stall::wait);
    out_.began.resize(trace.sample.size());
    out_.ended.resize(trace.sample.size());
    out_.by_slot.resize(prepared_.slots());
}

SimulationResult Simulation::run(const Enough& enough) {
    if (enough) count_needs();
    if (!needs_.empty() && enough(least_course())) {
        out_.enough = true;
        return std::move(out_);
    }
    for (unsigned k = 0; k < block_slots_.size(); ++k) start(k, 0);
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const std::chrono::duration<double> left(trace_.seconds_left);
    for (std::uint64_t steps = 1; alive_ > 0; ++steps) {
        step();
        if (left.count() > 0 && steps % kStepsToLook == 0 && Clock::now() - begin > left) {
            out_.stopped = true;
            break;
        }
        if (!needs_.empty() && steps % kStepsToAsk == 0 && alive_ > 0 && enough(least_course())) {
            out_.enough = true;
            break;
        }
    }
    for (const double e : out_.ended) out_.cycles = std::max(out_.cycles, e);
    out_.traffic = memory_.traffic();
    out_.atomic_cycles = memory_.atomic_cycles(), out_.memory_cycles = memory_.memory_cycles();
    out_.memory_cycles_in_a_row = memory_.memory_cycles_in_a_row();
    return std::move(out_);
}

/// The next block of the sample comes to a place.
void Simulation::start(unsigned number, double at) {
    if (next_ >= trace_.sample.size()) return;
    at = std::max(at, last_start_ + block_interval_);
    last_start_ = at;
    auto& place = block_slots_[number];
    place = {};
    place.block = &trace_.sample[next_];
    place.number = next_++;
    place.alive = static_cast<unsigned>(of_block_);
    place.began = place.ended = out_.began[place.number] = at;
    alive_ += of_block_;
    for (std::size_t k = 0; k < of_block_; ++k) {
        const std::size_t which = number * of_block_ + k;
        Warp& w = warps_[which];
        w.block = place.block;
        w.trace = &place.block->warps[k];
        w.event = 0, w.op = 0, w.part = 0, w.place = number;
        w.scheduler = static_cast<unsigned>(which % p_.schedulers);
        w.last = at, w.held = 0;
        w.next_access = w.next_constant = 0;
        w.waits = false, w.done = false;
        w.writes = 0;
        w.copies = w.bulk = w.bulk_read = w.products = {};
        w.issued = nullptr;
        if (log_) {
            w.logged = static_cast<std::uint32_t>(log_->warps.size());
            log_->warps.push_back({static_cast<std::uint32_t>(which), w.scheduler, place.block->index,
                                   static_cast<std::uint32_t>(k), at, at});
        }
        std::fill(w.ready.begin(), w.ready.end(), 0);
        out_.cut |= w.trace->cut;
        w.listed = schedulers_[w.scheduler].warps.add(static_cast<unsigned>(which));
        if (w.trace->events.empty()) {
            end_warp(w, at);
        } else {
            choose_body(w);
            look(w);
        }
    }
}

/// Places whose block has ended get the next ones.
void Simulation::start_waiting() {
    list_again();
    const auto ended = std::move(ended_);
    ended_.clear();
    for (const unsigned place : ended) start(place, std::max(now_, block_slots_[place].freed) + p_.block_start);
}

/// The blocks of code that follow the one that is over; whether there is an operation.
bool Simulation::next_body(Warp& w) {
    const auto& events = w.trace->events;
    while (w.op >= w.size) {
        const auto from = events[w.last_part].what;
        leave(w);
        w.event = w.next;
        if (w.event >= events.size()) return end_warp(w, std::max(now_, w.last) + 1), false;
        w.op = 0;
        choose_body(w);
        enter(w, from);
    }
    return true;
}

/// Values of a region that come from one of several of its parts are there once all of these are.
void Simulation::leave(Warp& w) {
    if (!w.region) return;
    for (const auto& join : w.region->joins) {
        w.ready[join.out] = 0;
        for (const auto v : join.in)
            if (w.ready[v] >= w.ready[join.out]) w.ready[join.out] = w.ready[v], w.ready_why[join.out] = w.ready_why[v];
    }
}

/// Whether the warp runs the region as one: each of its parts that is not skipped, with the same lanes but for those
/// that a predicate leaves out.
bool Simulation::follow(Warp& w, const machine::Region& region) const {
    const auto& events = w.trace->events;
    w.parts.assign(region.parts.size(), kSkipped);
    w.parts[0] = w.last_part = w.event;
    const auto after = [&](std::size_t at) {
        do ++at;
        while (at < events.size() && (events[at].what & machine::Event::kAccess));
        return at;
    };
    std::size_t next = after(w.event);
    for (std::size_t k = 1; k < region.parts.size(); ++k) {
        const auto& part = region.parts[k];
        if (next >= events.size() || events[next].what != part.block) {
            if (part.guarded) continue;
            return false;
        }
        if (!part.guarded && events[next].lanes != events[w.event].lanes) return false;
        w.parts[k] = w.last_part = next;
        next = after(next);
    }
    w.next = next;
    return true;
}

/// The block of code that the warp is in; of a loop that is unrolled several turns, where all of them have the same
/// lanes; and of a region all that the warp runs of it.
void Simulation::choose_body(Warp& w) {
    const auto& events = w.trace->events;
    const auto what = events[w.event].what;
    const auto& block = code_.blocks[what];
    w.region = nullptr, w.in_region = false, w.last_part = w.event;
    w.next = w.event + 1;
    const PreparedBody* body = &prepared_.of_block(what);
    if (block.region >= 0) {
        const auto& region = code_.regions[static_cast<std::size_t>(block.region)];
        if (follow(w, region)) {
            w.region = &region, w.in_region = true;
            w.place_in_code = prepared_.of_block(what).slot;
            return run_body(w, prepared_.of_region(static_cast<std::size_t>(block.region)));
        }
        w.last_part = w.event;
    }
    if (block.unrolled >= 0) {
        const auto& u = code_.unrolled[static_cast<std::size_t>(block.unrolled)];
        const std::size_t last = w.event + (u.turns - 1) * (block.accesses + std::size_t{1});
        bool all = last < events.size();
        for (std::size_t at = w.event; all && at <= last; at += block.accesses + std::size_t{1})
            all = events[at].what == what && events[at].lanes == events[w.event].lanes;
        if (all) body = &prepared_.of_unrolled(static_cast<std::size_t>(block.unrolled)), w.next = last + 1;
    }
    w.place_in_code = body->slot;
    run_body(w, *body);
    while (w.next < events.size() && (events[w.next].what & machine::Event::kAccess)) ++w.next;
}

inline void Simulation::run_body(Warp& w, const PreparedBody& body) {
    w.body = body.block, w.slot = body.slot;
    w.ops = prepared_.ops(body), w.size = body.size;
}

void Simulation::enter(Warp& w, std::uint32_t from) {
    copies_.clear();
    for (const auto& phi : w.body->phis)
        for (const auto& [b, v] : phi.in)
            if (b == from) copies_.push_back({phi.out, w.ready[v], w.ready_why[v]});
    for (const auto& c : copies_) w.ready[c.value] = c.at, w.ready_why[c.value] = c.why;
    if (w.trace->events[w.event].what != from + 1)
        hold(w, w.last + p_.branch_taken, Stall::branch_resolving);
    else
        for (const auto g : w.body->guards) hold(w, w.ready[g] + p_.late(machine::Use::guard), w.ready_why[g]);
}

/// When a line of instructions is there. Fetching runs ahead of the warps: a kernel waits once, at its begin, as long
/// as all of it fits in the cache. Of a larger one, lines that were not among the last ones come one after the other, a
/// few ahead of who asks for them.
double Simulation::fetch(std::uint32_t line, double now) {
    if (lines_.empty()) first_fetched_ = now + p_.fetch_latency;
    double at = first_fetched_;
    if (fetched_.size() > p_.instruction_lines) {
        constexpr double kAhead = 4;
        const bool follows = !lines_.empty() && line == lines_.back() + 1;
        if (lines_.size() >= p_.instruction_lines) fetched_[lines_.front()] = -1, lines_.pop_front();
        line_free_ = std::max(line_free_, now - (follows ? kAhead * p_.line_latency : 0)) + p_.line_latency;
        at = std::max(at, line_free_);
    }
    lines_.push_back(line);
    return fetched_[line] = at;
}

void Simulation::end_warp(Warp& w, double at) {
    w.done = true;
    note_wake(w);
    // It stays until its stores are on their way to the second level; the launch ends when they are there.
    const double drained = std::max(at, w.writes - p_.l2_latency + p_.store_stays);
    if (log_) {
        log_->warps[w.logged].end = drained;
        log_->add(w.logged, Stall::drain, w.issued, at, drained);
    }
    --alive_;
    auto& place = block_slots_[w.place];
    place.ended = std::max({place.ended, at, w.writes});
    place.freed = std::max(place.freed, drained);
    out_.active = std::max(out_.active, drained);
    add_stall(w.issued_slot, Stall::drain, drained - at);
    out_.resident_cycles += drained - place.began;
    if (--place.alive == 0) {
        out_.ended[place.number] = place.ended;
        ended_.push_back(w.place);
        return;
    }
    for (unsigned b = 0; b < 16; ++b)
        if (place.arrived[b] > 0 && place.arrived[b] >= place.alive) release(w.place, b);
}

}  // namespace warpwright::timing

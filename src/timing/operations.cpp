// This part of the simulation decides when the results of an issued operation are there: constants and their caches,
// the turns of load/store and texture units, spilled values, and barriers.
#include <algorithm>

#include "timing/simulation.hpp"

namespace warpwright::timing {

using machine::Effect;
using simt::Space;

/// Lines of constants: their size, and a number beyond those of parameters, for the program's own.
constexpr std::int32_t kLineBytes = 4 * machine::kConstantLine;
constexpr std::uint64_t kProgramConstants = 1u << 20;

/// What an operation does that does more than to compute: its results, or what its warp waits for.
void Simulation::finish(Warp& w, const PreparedOp& prepared) {
    const Op& op = *prepared.op;
    double at = now_ + p_.pipes[static_cast<std::size_t>(op.pipe)].latency;
    Stall why = Stall::wait;
    switch (op.effect) {
        case Effect::load:
        case Effect::store:
        case Effect::atomic:
        case Effect::copy:
            at = access(w, op, why);
            break;
        case Effect::copy_group:
            w.copies.end();
            break;
        case Effect::copy_wait:
            hold(w, w.copies.after(op.pending), Stall::long_scoreboard);
            break;
        case Effect::async:
            take_steps(w, op);
            break;
        case Effect::bulk_group:
            w.bulk.end(), w.bulk_read.end();
            break;
        case Effect::bulk_wait:
            hold(w, (op.source_only ? w.bulk_read : w.bulk).after(op.pending), Stall::long_scoreboard);
            break;
        case Effect::product:
            at += cycles_of(p_, op, op.pipe), why = Stall::gmma;
            w.products.open = std::max(w.products.open, at);
            break;
        case Effect::product_group:
            w.products.end();
            break;
        case Effect::product_wait:
            hold(w, w.products.after(op.pending), Stall::gmma);
            break;
        case Effect::fence:
            hold(w, now_ + fence(op), Stall::membar);
            if (op.waits_stores) hold(w, w.writes, Stall::membar);
            break;
        case Effect::sleep:
            hold(w, now_ + p_.sleep, Stall::sleeping);
            break;
        case Effect::barrier:
            if (op.waits_phase)
                take_steps(w, op);
            else
                arrive(w, op, true);
            break;
        case Effect::arrive:
            arrive(w, op, false);
            break;
        case Effect::none:
            if (op.pipe == Pipe::exchange || op.pipe == Pipe::special || op.pipe == Pipe::convert)
                why = Stall::short_scoreboard;
            if (op.of_thread) at = now_ + p_.register_latency;
            if (op.space == Space::constant) at = constant(w, op, why);
            break;
    }
    if (op.invalidates) {
        memory_.invalidate();
        if (op.effect == Effect::load) hold(w, at, why);  // nothing that follows may be read before
    }
    set_results(w, prepared, at, why);
}

/// A fence beyond the block asks the second level, which has to know of all stores, whether this warp has made any or
/// not; one of the system asks beyond the device.
double Simulation::fence(const Op& op) const {
    if (!op.waits_stores) return p_.fence;
    const bool system = op.ptx && op.ptx->access.scope == simt::Scope::system;
    return std::max(p_.fence, (system ? p_.kSystemFence : p_.kDeviceFence) * p_.l2_latency);
}

const machine::Event* Simulation::event_of(const Warp& w, const Op& op, std::uint32_t kind) {
    const std::size_t block = w.region ? w.parts[op.part] : w.event;
    const std::size_t at = block + 1 + static_cast<std::size_t>(op.access);
    const auto& events = w.trace->events;
    return op.access >= 0 && at < events.size() && (events[at].what & kind) ? &events[at] : nullptr;
}

/// When a constant is there. Its line may have to come first: an operand's keeps its warp from going on, one that is
/// loaded keeps whoever reads it.
double Simulation::constant(Warp& w, const Op& op, Stall& why) {
    why = Stall::short_scoreboard;
    const auto* own = event_of(w, op, machine::Event::kConstant);
    if (op.pipe == machine::Pipe::exchange) return own ? indexed_constant(w, *own) : now_ + p_.constant_latency;
    const auto line = own ? kProgramConstants + own->first : static_cast<std::uint64_t>(op.constant_at / kLineBytes);
    if (op.wide_constant && p_.loads_constants) {
        w.next_constant = now_ + p_.constant_spacing;
        return std::max(now_ + p_.constant_latency, loaded_.there(line, now_, further_constant()));
    }
    const double there = own ? operands_.fetched(line, now_, p_.constant_miss, p_.constant_fetch)
                             : operands_.there(line, now_, further_constant());
    if (there > now_) hold(w, there, why = Stall::imc_miss);
    return std::max(now_, there) + (own ? p_.constant_operand : p_.constant_near);
}

/// Cycles for a line of the parameters' constants that no cache has.
double Simulation::further_constant() const {
    return operands_.empty() && loaded_.empty() ? p_.constant_miss : p_.constant_further_miss;
}

/// A constant by an address that lanes compute: at once for all lanes at one address, in turn for others, and later for
/// those in lines that are not there.
double Simulation::indexed_constant(const Warp& w, const machine::Event& e) {
    const double addresses = std::max<double>(1, e.passes);
    double missing = 0, there = now_;
    for (unsigned k = 0; k < std::max<unsigned>(1, e.count); ++k) {
        const auto line = kProgramConstants + (e.count > 0 ? w.block->sectors[e.first + k] : e.first);
        const double at = indexed_.there(line, now_, p_.constant_miss + missing * p_.constant_line);
        if (at == now_ + p_.constant_miss + missing * p_.constant_line) ++missing;
        there = std::max(there, at);
    }
    constant_free_ = std::max(constant_free_, now_) + addresses * p_.constant_turn +
                     std::max(e.count - 1.0, 0.0) * p_.constant_line_turn + missing * p_.constant_fetch;
    return std::max(std::max(now_ + p_.constant_latency, there) + (addresses - 1) * p_.constant_further,
                    constant_free_);
}

void Simulation::hold(Warp& w, double until, Stall why) {
    if (until <= w.held) return;
    w.held = until;
    w.held_why = why;
}

/// Passes of an access over the banks of shared memory. A compare-and-swap takes two; of a loop of them each round has
/// taken its own (round_of).
double Simulation::passes(const Op& op, const machine::Event& e) const {
    const double n = std::max<double>(1, e.passes);
    if (op.repeats) return 1;
    // Of a load of 16 bytes that is several in the trace: a wavefront serves half of a warp at most.
    if (op.joined > 2) return std::max(2.0, n);
    return op.compares ? 2 * n : n;
}

/// Cycles of the load/store unit for an access that is neither of a spilled value nor of a texture.
double Simulation::turn(const Op& op, const machine::Event& e) const {
    if (e.count == 0) return std::max(p_.request_interval, passes(op, e) / p_.wavefronts);
    return std::max({p_.request_interval, double(e.passes), e.count * 32 / p_.l1_bytes});
}

/// Takes the access's turn in the load/store unit; when its result is there.
double Simulation::access(Warp& w, const Op& op, Stall& why) {
    if (op.spill >= 0) return spilled(w, op, why);
    if (op.pipe == machine::Pipe::texture) {
        why = Stall::long_scoreboard;
        return textured(w, op);
    }
    const auto* found = event_of(w, op, machine::Event::kAccess);
    if (!found) return now_ + p_.l1_latency;
    const auto& e = *found;
    const bool shared = e.count == 0;
    const double cycles = turn(op, e), begin = std::max(load_store_, now_);
    load_store_ = begin + cycles, turns_ += cycles;
    why = shared ? Stall::short_scoreboard : Stall::long_scoreboard;
    if (shared) return load_store_ - 1 + p_.shared_latency + (cycles > 1 ? (cycles - 1) * (p_.wavefront - 1) : 0);

    const bool local = e.what & machine::Event::kLocal;
    const auto* sectors = w.block->sectors.data() + e.first;
    // (A release is a fence before the access.)
    const double after = op.waits_stores ? std::max(load_store_, w.writes) : load_store_;
    const auto way = op.past_first && !local ? MemorySystem::Way::second : MemorySystem::Way::first;
    if (after > load_store_) hold(w, after, Stall::membar);
    switch (op.effect) {
        case Effect::store:
            memory_.store(sectors, e.count, local, w.block->index, after, double(e.lanes) * op.bytes);
            w.writes = std::max(w.writes, after + memory_.backlog(after) + p_.l2_latency);
            return now_ + 2;
        case Effect::atomic: {
            const double done = memory_.atomic(sectors, e.count, e.lanes, op, after);
            w.writes = std::max(w.writes, done);
            return done;
        }
        case Effect::copy:
            w.copies.open =
                std::max(w.copies.open, memory_.load(sectors, e.count, local, w.block->index, load_store_ - 1));
            return now_ + 2;
        default:
            return memory_.load(sectors, e.count, local, w.block->index, load_store_ - 1, way);
    }
}

/// A fetch, or an access of a surface: the texture units take four lanes at a time, and the first level gives what it
/// gives to loads.
double Simulation::textured(Warp& w, const Op& op) {
    const double latency = op.by_element ? p_.texture_latency : p_.filter_latency;
    const auto* e = event_of(w, op, machine::Event::kAccess);
    if (!e) return now_ + latency;
    texture_ = std::max(texture_, now_) + std::max(e->passes * p_.texture_turn, e->count * 32 / p_.l1_bytes);
    const auto* sectors = w.block->sectors.data() + e->first;
    if (op.effect == Effect::store) {
        memory_.store(sectors, e->count, false, w.block->index, texture_, double(e->lanes) * op.bytes);
        w.writes = std::max(w.writes, texture_ + memory_.backlog(texture_) + p_.l2_latency);
        return now_ + 2;
    }
    if (op.effect == Effect::atomic) {
        w.writes = std::max(w.writes, memory_.atomic(sectors, e->count, e->lanes, op, texture_));
        return now_ + 2;
    }
    return memory_.load(sectors, e->count, false, w.block->index, texture_ - 1 + latency - p_.l1_latency,
                        MemorySystem::Way::texture);
}

/// A spilled value's store or load: equal words of a warp's lanes lie side by side, 128 bytes each, at the end of the
/// warp's local memory (where a trace has its own accesses at the begin).
double Simulation::spilled(Warp& w, const Op& op, Stall& why) {
    constexpr std::uint32_t kWords = 4096;
    const auto number = static_cast<std::uint32_t>(&w - &warps_[w.place * of_block_]);
    const unsigned lanes = std::max(1u, w.trace->events[w.event].lanes);
    std::array<std::uint32_t, 16> sectors{};
    unsigned count = 0;
    for (unsigned k = 0; k < op.bytes / 4u; ++k)
        for (unsigned s = 0; s < std::min(4u, (lanes + 7) / 8) && count < sectors.size(); ++s)
            sectors[count++] =
                (((number + 1) * kWords - 1 - (static_cast<std::uint32_t>(op.spill) + k) % kWords) * 4 + s) &
                0x3fffffff;
    load_store_ = std::max(load_store_, now_) + std::max(p_.request_interval, op.bytes / 4.0);
    why = Stall::long_scoreboard;
    if (op.effect == Effect::load) return memory_.load(sectors.data(), count, true, w.block->index, load_store_ - 1);
    memory_.store(sectors.data(), count, true, w.block->index, load_store_, double(lanes) * op.bytes);
    w.writes = std::max(w.writes, load_store_ + memory_.backlog(load_store_) + p_.l2_latency);
    return now_ + 2;
}

void Simulation::arrive(Warp& w, const Op& op, bool waits) {
    auto& place = block_slots_[w.place];
    w.barrier = static_cast<unsigned>(std::max<int>(0, op.barrier)) & 15;
    if (++place.arrived[w.barrier] < place.alive) {
        w.waits = waits;
        return;
    }
    release(w.place, w.barrier);
    if (waits) hold(w, after_barrier(), Stall::barrier);
}

double Simulation::after_barrier() const {
    return now_ + p_.barrier + p_.barrier_of_warp * static_cast<double>(of_block_);
}

void Simulation::release(unsigned number, unsigned barrier) {
    block_slots_[number].arrived[barrier] = 0;
    for (std::size_t k = 0; k < of_block_; ++k) {
        Warp& w = warps_[number * of_block_ + k];
        if (w.done || !w.waits || w.barrier != barrier) continue;
        w.waits = false;
        hold(w, after_barrier(), Stall::barrier);
        ++w.op;
        look(w);
    }
}

}  // namespace warpwright::timing

// mbarriers: 8 bytes of shared memory that hold the whole state, and waits for a phase of one (or of the cluster's
// barrier, which has the parity of the current phase in the same highest bit).
#include <bit>
#include <cstring>

#include "engine/runtime/async_op.hpp"
#include "engine/runtime/block_state.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/mbarrier.hpp"
#include "engine/runtime/step_tracing.hpp"
#include "engine/runtime/texts.hpp"

namespace warpwright::engine {

namespace {

using simt::Mod;

/// From the lowest bit: 2 that mark it as an mbarrier, 21 for the pending bytes (two's complement), 20 for the arrivals
/// of a phase, 20 for the pending arrivals, 1 for the parity. Fresh shared memory does not look like one.
struct State {
    std::int64_t bytes = 0;
    std::int64_t expected = 0, pending = 0;
    std::uint64_t parity = 0;

    static constexpr std::int64_t kMost = (1 << 20) - 1;
    static bool valid(std::uint64_t word) { return (word & 3) == 2; }
    explicit State(std::uint64_t word)
        : bytes(static_cast<std::int64_t>(word << 41) >> 43),
          expected(static_cast<std::int64_t>(word >> 23 & kMost)),
          pending(static_cast<std::int64_t>(word >> 43 & kMost)),
          parity(word >> 63) {}
    std::uint64_t word() const {
        return 2 | (static_cast<std::uint64_t>(bytes) & 0x1fffff) << 2 | static_cast<std::uint64_t>(expected) << 23 |
               static_cast<std::uint64_t>(pending) << 43 | parity << 63;
    }
    void end_phase() {
        if (pending != 0 || bytes != 0) return;
        parity ^= 1;
        pending = expected;
    }
};

std::string place_text(BlockContext* c, const SharedPlace& p) {
    char text[64];
    std::snprintf(text, sizeof text, "the mbarrier at shared address 0x%llx",
                  static_cast<unsigned long long>(p.offset));
    return p.owner == c ? text : text + std::string(" of another block of the cluster");
}

/// The instruction that invalidated the mbarrier at the place, if one has, and nothing has written there since.
const simt::Details* invalidated_at(const BlockContext* c, const std::uint8_t* host) {
    std::uint64_t word = 0;
    std::memcpy(&word, host, 8);
    if (word != 0) return nullptr;
    for (const auto& m : c->cluster->invalid)
        if (m.word == host) return m.at;
    return nullptr;
}

void forget_invalid(BlockContext* c, const SharedPlace& p) {
    std::erase_if(c->cluster->invalid, [&](const InvalidMbarrier& m) { return m.word == p.host; });
}

/// " at FILE:LINE", where the line is known.
std::string at_text(const BlockContext* c, const simt::Details* at) {
    const auto where = location(*c->executor->launch.code->module, at).text();
    return where.empty() ? "" : " at " + where;
}

bool readable_word(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane, const SharedPlace& p) {
    if (!p.host) return async_fault(c, f, form, lane, "its mbarrier is not in shared memory", Cause::out_of_bounds);
    if (p.offset % 8 != 0)
        return async_fault(c, f, form, lane, place_text(c, p) + " is not aligned to 8 bytes", Cause::misaligned);
    return true;
}

bool load_word(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane, const SharedPlace& p,
               std::uint64_t& word) {
    if (!readable_word(c, f, form, lane, p)) return false;
    std::memcpy(&word, p.host, 8);
    if (State::valid(word)) return true;
    const auto* by = invalidated_at(c, p.host);
    return async_fault(c, f, form, lane,
                       place_text(c, p) + (by ? " was invalidated" + at_text(c, by)
                                              : std::string(" was never initialised (or is no longer valid)")),
                       Cause::barrier);
}

/// Whether the mbarrier was invalidated already: hardware goes on where a program waits for it or invalidates it once
/// more, so only the checkers tell of it.
bool used_after_inval(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane, const SharedPlace& p) {
    if (!p.host || p.offset % 8 != 0) return false;
    const auto* by = invalidated_at(c, p.host);
    if (!by) return false;
    if (c->check && launch_of(c).memory) {
        auto& launch = launch_of(c);
        constexpr auto kind = record::FindingKind::use_after_free;
        if (launch.collector->again(kind, form.ptx, nullptr)) return true;
        auto found = finding_at(c, f, lane, kind, form.ptx);
        found.message = form.ptx->spelling() + ": " + place_text(c, p) + " was invalidated" + at_text(c, by) + ", by " +
                        found.at.thread_text();
        found.advice = "invalidate an mbarrier once, when no thread will wait for it again, or initialise it first";
        found.space = "shared", found.address = p.offset, found.bytes = 8;
        launch.collector->add(std::move(found), form.ptx, nullptr);
    }
    return true;
}

/// WarpFrame::phase_of and Wait::holding: the phase is complete, whatever its word has become since.
constexpr std::uint32_t kPhaseOver = 4;

/// A phase has completed: whoever waits for it will continue.
void end_waits(BlockContext* owner, const std::uint8_t* word, std::uint32_t parity) {
    const auto at = reinterpret_cast<std::uint64_t>(word);
    for (auto& w : owner->cluster->waiters) {
        if (w.word != word || w.parity != parity) continue;
        w.over = true;
        auto& f = *w.frame;
        if (f.phase_word == at && f.phase_of == parity) f.phase_of |= kPhaseOver;
        for (std::uint32_t k = 0; k < f.waits; ++k)
            if (f.wait[k].barrier == kPhaseWait && f.wait[k].need == at && f.wait[k].holding == parity)
                f.wait[k].holding |= kPhaseOver;
    }
}

/// Ends the phase if nothing is lacking.
void end_phase(const SharedPlace& p, State& s) {
    const auto before = s.parity;
    s.end_phase();
    if (s.parity == before) return;
    if (p.owner->check) check_mbarrier_over(p.owner, p.offset);
    end_waits(p.owner, p.host, static_cast<std::uint32_t>(before));
}

SharedPlace barrier_place(BlockContext* c, const AsyncForm& form, const std::uint64_t* in, unsigned lanes,
                          unsigned lane) {
    return shared_place(c, in[lane] + in[lanes + lane], !form.shared, 8);
}

bool store_state(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane, const SharedPlace& p, State s) {
    if (s.pending < 0)
        return async_fault(c, f, form, lane,
                           place_text(c, p) + " has had all arrivals of its phase: " + std::to_string(-s.pending) +
                               " more than the " + std::to_string(s.expected) + " it expects",
                           Cause::barrier);
    if (s.bytes > State::kMost || s.bytes < -State::kMost)
        return async_fault(
            c, f, form, lane,
            place_text(c, p) + " would expect " + std::to_string(s.bytes) + " bytes; 1048575 is the most",
            Cause::barrier);
    const auto word = s.word();
    std::memcpy(p.host, &word, 8);
    return true;
}

}  // namespace

bool complete_bytes(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane, const SharedPlace& barrier,
                    std::uint64_t bytes) {
    std::uint64_t word = 0;
    if (!load_word(c, f, form, lane, barrier, word)) return false;
    trace_delivered(c, barrier, bytes);
    State s(word);
    s.bytes -= static_cast<std::int64_t>(bytes);
    if (barrier.owner->check) check_agent_done(barrier.owner, barrier.offset);
    if (s.bytes < -State::kMost) return store_state(c, f, form, lane, barrier, s);
    end_phase(barrier, s);
    return store_state(c, f, form, lane, barrier, s);
}

namespace {

bool initialise(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned l, const SharedPlace& p,
                std::int64_t count) {
    if (!readable_word(c, f, form, l, p)) return false;
    if (count < 1 || count > State::kMost)
        return async_fault(c, f, form, l, "a phase needs 1 to 1048575 arrivals, not " + std::to_string(count),
                           Cause::barrier);
    State s(0);
    s.expected = s.pending = count;
    if (!store_state(c, f, form, l, p, s)) return false;
    forget_invalid(c, p);
    if (c->check && checked(p.owner).shared) checked(p.owner).shared->set_written(p.offset, 8);
    return true;
}

/// What an arrival, or a change of the bytes that are expected, makes of the state. `argument`: the instruction's
/// count.
bool change_state(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned l, const SharedPlace& p,
                  std::int64_t argument, State& s) {
    const auto& i = *form.ptx;
    if (i.op == simt::Op::cp_async_mbarrier_arrive) {
        // The copies before it are complete. (Without .noinc the arrival adds its own count, which changes nothing.)
        s.pending -= 1;
    } else if (i.has(Mod::complete_tx)) {
        s.bytes -= argument;
    } else if (i.has(Mod::expect_tx)) {
        s.bytes += argument;
        if (i.has(Mod::arrive) || i.has(Mod::arrive_drop)) s.pending -= 1;
    } else {
        const auto count = form.inputs > 2 ? argument : 1;
        if (count < 1 || count > State::kMost)
            return async_fault(c, f, form, l, "arrives " + std::to_string(count) + " times; 1 to 1048575 are possible",
                               Cause::barrier);
        s.pending -= count;
    }
    if (i.has(Mod::arrive_drop)) {
        s.expected -= form.inputs > 2 && !i.has(Mod::expect_tx) ? argument : 1;
        if (s.expected < 0)
            return async_fault(c, f, form, l, place_text(c, p) + " has fewer arrivals to drop", Cause::barrier);
    }
    if (i.has(Mod::noComplete) && s.pending == 0 && s.bytes == 0)
        return async_fault(c, f, form, l, place_text(c, p) + " would end its phase, which .noComplete rules out",
                           Cause::barrier);
    return true;
}

/// The lanes that arrive when it is lane `l`'s turn: with the first one all of them, if they are at one mbarrier.
std::uint64_t arriving_with(std::uint64_t mask, unsigned l, bool together) {
    if (!together) return std::uint64_t{1} << l;
    return l == static_cast<unsigned>(std::countr_zero(mask)) ? mask : 0;
}

/// Tells the checkers of an arrival. Lanes that arrive together at one mbarrier release together.
void check_arrival(BlockContext* c, WarpFrame* f, const simt::Details& i, std::uint64_t mask, unsigned l,
                   const SharedPlace& p, bool together) {
    ++checked(c).changes;
    if (!i.has(Mod::arrive) && !i.has(Mod::arrive_drop) && i.op != simt::Op::cp_async_mbarrier_arrive) return;
    const auto arriving = arriving_with(mask, l, together);
    if (i.op == simt::Op::cp_async_mbarrier_arrive) check_copies_arrive(c, f, arriving, p.owner, p.offset);
    check_mbarrier_arrive(c, f, arriving, p.owner, p.offset, i);
}

}  // namespace

bool run_mbarrier(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in,
                  std::uint64_t* out) {
    const auto& i = *form.ptx;
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    bool together = true;
    if (c->check && form.inputs > 1)
        for (auto rest = mask; rest; rest &= rest - 1) {
            const auto l = static_cast<unsigned>(std::countr_zero(rest));
            together &= in[l] + in[lanes + l] == in[first] + in[lanes + first];
        }
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        if (i.has(Mod::pending_count)) {
            out[l] = static_cast<std::uint64_t>(State(in[l]).pending);
            continue;
        }
        const auto p = barrier_place(c, form, in, lanes, l);
        const auto argument = form.inputs > 2 ? static_cast<std::int64_t>(in[2 * lanes + l] & 0xffffffffu) : 0;
        std::uint64_t word = 0;
        if (i.has(Mod::init)) {
            if (!initialise(c, f, form, l, p, argument)) return false;
            continue;
        }
        const bool waits = i.has(Mod::test_wait);
        if ((waits || i.has(Mod::inval)) && used_after_inval(c, f, form, l, p)) {
            if (waits) out[l] = 1;
            continue;
        }
        if (!load_word(c, f, form, l, p, word)) return false;
        State s(word);
        if (i.has(Mod::inval)) {
            std::memset(p.host, 0, 8);
            forget_invalid(c, p);
            c->cluster->invalid.push_back({p.host, form.ptx});
            continue;
        }
        if (waits) {
            const auto asked = i.has(Mod::parity) ? in[2 * lanes + l] & 1 : in[2 * lanes + l] >> 63;
            out[l] = s.parity != asked;
            if (c->check && out[l]) check_mbarrier_passed(c, f, std::uint64_t{1} << l, p.owner, p.offset, i);
            continue;
        }
        if (i.op == simt::Op::cp_async_mbarrier_arrive && !i.has(Mod::noinc_)) {
            if (c->check) check_copies_arrive(c, f, arriving_with(mask, l, together), p.owner, p.offset);
            continue;
        }
        if (!change_state(c, f, form, l, p, argument, s)) return false;
        out[l] = word;
        if (c->check) check_arrival(c, f, i, mask, l, p, together);
        if (s.pending >= 0 && s.bytes <= State::kMost) end_phase(p, s);
        if (!store_state(c, f, form, l, p, s)) return false;
    }
    return true;
}

namespace {

bool over(std::uint64_t word_at, std::uint32_t of) {
    if (of & kPhaseOver) return true;
    const auto* word = reinterpret_cast<const std::uint64_t*>(word_at);
    if (!(of & kPhaseOfCluster) && *word == 0) return false;  // it was invalidated before the phase was complete
    if (of & kPhaseOfCluster) {
        auto& cluster = *reinterpret_cast<ClusterState*>(word_at);
        end_cluster_phase(cluster, cluster.members[0]->context.executor->launch.code->frame_bytes);
    }
    return *word >> 63 != (of & kPhaseParity);
}

bool class_over(const WarpFrame& f, const Wait& w) {
    if (w.total == kNoClass) return over(w.need, w.holding);
    for (std::uint32_t k = 0; k < f.waits; ++k) {
        const auto& other = f.wait[k];
        if (other.depth == f.depth && other.barrier == kPhaseWait && other.total == w.total &&
            !over(other.need, other.holding))
            return false;
    }
    return true;
}

}  // namespace

bool phases_over(const WarpFrame& f, bool whole_warp) {
    if (whole_warp) return over(f.phase_word, f.phase_of);
    for (std::uint32_t k = 0; k < f.waits; ++k)
        if (f.wait[k].barrier == kPhaseWait && f.wait[k].depth == f.depth && class_over(f, f.wait[k])) return true;
    return false;
}

std::uint32_t wake_phases(WarpFrame& f) {
    const auto mine = [&](const Wait& w) {
        return w.depth == f.depth && (w.barrier == kPhaseWait || w.barrier == kBehindWait);
    };
    bool woken = false;
    for (std::uint32_t k = 0; k < f.waits; ++k) woken |= mine(f.wait[k]) && f.wait[k].released;
    for (std::uint32_t k = 0; k < f.waits && !woken; ++k) {
        if (!mine(f.wait[k]) || f.wait[k].barrier != kPhaseWait || !class_over(f, f.wait[k])) continue;
        const auto together = f.wait[k].total;
        f.wait[k].released = 1;
        for (std::uint32_t j = 0; j < f.waits && together != kNoClass; ++j)
            if (mine(f.wait[j]) && f.wait[j].total == together) f.wait[j].released = 1;
        woken = true;
    }
    f.more = 0;
    if (!woken) return kPickedNone;
    // The last pending block in the order is chosen, so that the earlier ones catch up with it.
    std::uint32_t block = 0;
    for (std::uint32_t k = 0; k < f.waits; ++k)
        if (mine(f.wait[k]) && f.wait[k].released) block = std::max(block, f.wait[k].block);
    std::uint64_t lanes = 0;
    std::uint32_t keep = 0;
    for (std::uint32_t k = 0; k < f.waits; ++k) {
        const auto& w = f.wait[k];
        if (mine(w) && w.released && w.block == block) {
            lanes |= w.lanes;
            continue;
        }
        if (mine(w) && w.released) f.more = 1;
        f.wait[keep++] = w;
    }
    f.waits = keep;
    f.picked = lanes & f.live;
    return block;
}

std::string phase_text(ResidentBlock& block, const KernelCode& code, const simt::Details** at) {
    for (std::size_t w = 0; w < block.states.size(); ++w) {
        auto* f = block.frame(w, code.frame_bytes);
        std::uint64_t word_at = 0;
        std::uint32_t of = 0;
        if (block.states[w] == WarpState::phase) word_at = f->phase_word, of = f->phase_of;
        if (block.states[w] == WarpState::waiting)
            for (std::uint32_t k = 0; k < f->waits && !word_at; ++k)
                if (f->wait[k].barrier == kPhaseWait) word_at = f->wait[k].need, of = f->wait[k].holding;
        if (!word_at) continue;
        *at = static_cast<const AsyncForm*>(code.forms[f->phase_form].get())->ptx;
        if (of & kPhaseOfCluster) return "they wait at the cluster's barrier for threads that never arrive";
        const State s(*reinterpret_cast<const std::uint64_t*>(word_at));
        char text[32];
        std::snprintf(text, sizeof text, "0x%llx",
                      static_cast<unsigned long long>(word_at - reinterpret_cast<std::uint64_t>(block.shared_start)));
        const auto lead = (*at)->spelling() + ": the phase of parity " + std::string(of & kPhaseParity ? "1" : "0") +
                          " of the mbarrier at shared address " + text;
        if (const auto* by = invalidated_at(&block.context, reinterpret_cast<const std::uint8_t*>(word_at)))
            return lead + " was not complete when it was invalidated" + at_text(&block.context, by);
        return lead + " still lacks " + std::to_string(s.pending) + " of " + std::to_string(s.expected) +
               " arrivals and " + std::to_string(s.bytes) + " bytes";
    }
    return "";
}

namespace {

/// What lanes wait for at an mbarrier.
struct Waited {
    bool good = true;  ///< false after a fault
    std::uint64_t word = 0;
    std::uint32_t parity = 0;
};

/// Takes these lanes from those that wait. Returns the ones whose phase has completed since they began to.
std::uint64_t waited_enough(ClusterState& cluster, const WarpFrame* f, std::uint64_t lanes) {
    std::uint64_t over = 0;
    for (auto& w : cluster.waiters) {
        if (w.frame != f) continue;
        if (w.over) over |= w.lanes & lanes;
        w.lanes &= ~lanes;
    }
    std::erase_if(cluster.waiters, [](const PhaseWaiters& w) { return w.lanes == 0; });
    return over;
}

/// Notes which lanes of `mask` wait for which phases. Waited::word is 0 where all of these are complete.
Waited wait_for_phases(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask,
                       const std::uint64_t* in, unsigned lanes) {
    Waited out;
    auto& cluster = *c->cluster;
    const auto asked = [&](unsigned l) {
        return static_cast<std::uint32_t>(form.ptx->has(Mod::parity) ? in[2 * lanes + l] & 1 : in[2 * lanes + l] >> 63);
    };
    auto over = cluster.waiters.empty() ? 0 : waited_enough(cluster, f, mask);
    for (auto rest = mask & ~over; rest;) {
        const auto one = static_cast<unsigned>(std::countr_zero(rest));
        std::uint64_t group = 0;
        for (auto r = rest; r; r &= r - 1)
            if (const auto l = static_cast<unsigned>(std::countr_zero(r));
                in[l] + in[lanes + l] == in[one] + in[lanes + one] && asked(l) == asked(one))
                group |= std::uint64_t{1} << l;
        rest &= ~group;
        const auto p = barrier_place(c, form, in, lanes, one);
        std::uint64_t word = 0;
        const bool invalid = used_after_inval(c, f, form, one, p);
        if (!invalid && !load_word(c, f, form, one, p, word)) return {.good = false};
        if (invalid || word >> 63 != asked(one)) {
            over |= group;
            continue;
        }
        cluster.waiters.push_back({f, group, p.host, asked(one), false});
        if (!out.word) out.word = reinterpret_cast<std::uint64_t>(p.host), out.parity = asked(one);
    }
    // Those that are through will ask again together with the others.
    if (out.word && over) cluster.waiters.push_back({f, over, nullptr, 0, true});
    return out;
}

/// Lanes have seen their phases complete: tells the checkers, for all lanes of one mbarrier together.
void passed(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in,
            unsigned lanes) {
    for (auto rest = mask; rest;) {
        const auto one = static_cast<unsigned>(std::countr_zero(rest));
        const auto address = in[one] + in[lanes + one];
        std::uint64_t group = 0;
        for (auto r = rest; r; r &= r - 1)
            if (const auto l = static_cast<unsigned>(std::countr_zero(r)); in[l] + in[lanes + l] == address)
                group |= std::uint64_t{1} << l;
        const auto p = barrier_place(c, form, in, lanes, one);
        check_mbarrier_passed(c, f, group, p.owner, p.offset, *form.ptx);
        rest &= ~group;
    }
}

}  // namespace

extern "C" {

/// 0 after a fault, 1 when the phases that the lanes ask for are complete, 2 when they wait: as a whole warp (block =
/// kPickedNone) or in the list of waits.
std::uint32_t ww_rt_phase_wait(BlockContext* c, WarpFrame* f, std::uint32_t index, std::uint32_t block,
                               std::uint32_t together, std::uint64_t mask, const std::uint64_t* in) {
    const auto& form = *static_cast<const AsyncForm*>(c->executor->launch.code->forms[index].get());
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    std::uint64_t word_at = 0;
    std::uint32_t of = 0;
    if (form.ptx->op == simt::Op::barrier_cluster) {
        word_at = reinterpret_cast<std::uint64_t>(c->cluster);
        of = f->cluster_phase | kPhaseOfCluster;
        if (over(word_at, of)) {
            if (c->check) check_cluster_passed(c, f, mask);
            return 1;
        }
    } else {
        const auto waited = wait_for_phases(c, f, form, mask, in, lanes);
        if (!waited.good) return 0;
        word_at = waited.word, of = waited.parity;
        if (!word_at) {
            if (c->check) passed(c, f, form, mask, in, lanes);
            return 1;
        }
    }
    f->phase_form = index;
    if (block == kPickedNone) {
        f->phase_word = word_at;
        f->phase_of = of;
        return 2;
    }
    if (f->waits >= kMaxWaits)
        return async_fault(c, f, form, 0, "too many groups of lanes of one warp wait at different places",
                           Cause::barrier);
    keep_wait(c, f, {mask, word_at, block, kPhaseWait, 0, f->depth, of, together});
    return 2;
}

/// Lanes pending at `block` that must not overtake the ones that wait in their class.
void ww_rt_phase_behind(BlockContext* c, WarpFrame* f, std::uint32_t block, std::uint32_t together,
                        std::uint64_t mask) {
    if (mask == 0) return;
    if (f->waits >= kMaxWaits) {
        c->executor->launch.fail({ErrorKind::fault,
                                  "too many groups of lanes of one warp wait at different places",
                                  {},
                                  "",
                                  Cause::barrier});
        return;
    }
    keep_wait(c, f, {mask, 0, block, kBehindWait, 0, f->depth, 0, together});
}

std::uint32_t ww_rt_async(BlockContext* c, WarpFrame* f, std::uint32_t index, std::uint64_t mask,
                          const std::uint64_t* in, std::uint64_t* out) {
    const auto& form = *static_cast<const AsyncForm*>(c->executor->launch.code->forms[index].get());
    const bool ran = run_async(c, f, form, mask, in, out);
    if (ran && c->trace) trace_steps(c, f, form, mask, in, out);
    return ran;
}

/// The phases that the lanes ask for are complete.
void ww_rt_trace_phases(BlockContext* c, WarpFrame* f, std::uint32_t index, std::uint64_t mask,
                        const std::uint64_t* in) {
    const auto& form = *static_cast<const AsyncForm*>(c->executor->launch.code->forms[index].get());
    trace_steps(c, f, form, mask, in, nullptr);
}
}

}  // namespace warpwright::engine

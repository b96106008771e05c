// Kernels whose blocks may wait for each other: the blocks that a device holds at a time take turns on one host thread.
// A turn lasts until all warps wait or have come to something that others may see or change (simt::talks_to_others).
// Each block has a clock, which its turns advance by what they take (Pace). The block whose clock is lowest has the
// next turn, and where a block ends the next one of the grid begins: so work from a ticket, and rounds of waiting, are
// shared out as on a device, and they are the same in every run.
#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <thread>
#include <tuple>
#include <vector>

#include "engine/run/host_wait.hpp"
#include "engine/run/scheduler.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/lane_bytes.hpp"
#include "engine/shared/self_timing.hpp"
#include "engine/shared/tracing.hpp"

namespace warpwright::engine {

/// The places for blocks on the device.
struct Scheduler::Turns {
    struct Place {
        std::unique_ptr<ResidentBlock> block;  ///< none: `index` has not begun
        std::uint64_t index = 0, clock = 0, draws = 0;
    };
    struct Due {
        std::uint64_t clock, rank;
        std::size_t place;
        bool operator>(const Due& o) const { return std::tie(clock, rank, place) > std::tie(o.clock, o.rank, o.place); }
    };

    std::atomic<std::uint64_t>& next;
    std::uint64_t count;
    ProgressWatch watch;
    HostWait host;
    std::vector<Place> places;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> due;
    std::vector<std::size_t> held;  ///< places whose block waits for memory to begin in
    std::size_t running = 0;        ///< blocks that have begun and not ended
    std::uint64_t left = 0;         ///< blocks that have not begun

    void add(const Schedule& schedule, std::size_t k) {
        auto& place = places[k];
        std::uint64_t rank = k;
        if (schedule.kind == Schedule::Kind::reverse) rank = ~rank;
        if (schedule.kind == Schedule::Kind::random) rank = schedule.drawn(k, place.draws++);
        due.push({place.clock, rank, k});
    }
};

std::size_t Scheduler::warps_together(const KernelCode& code) {
    constexpr std::size_t kGroup = 4;
    const auto is_product = [](const CountedInst& i) {
        return i.ptx && i.ptx->op == simt::Op::wgmma && i.ptx->has(simt::Mod::mma_async);
    };
    return std::any_of(code.insts.begin(), code.insts.end(), is_product) ? kGroup : 1;
}

std::size_t Scheduler::warp_at(const ResidentBlock& block, std::size_t k) const {
    if (launch.schedule.kind == Schedule::Kind::forward) return k;
    const auto groups = block.states.size() / together_;
    auto group = k / together_;
    if (group >= groups) return k;  // warps beyond the last whole group
    switch (launch.schedule.kind) {
        case Schedule::Kind::forward:
        case Schedule::Kind::reverse:
            group = groups - 1 - group;
            break;
        case Schedule::Kind::random:
            group = (group + launch.schedule.drawn(block.index, block.turns) % groups) % groups;
            break;
    }
    return group * together_ + k % together_;
}

void Scheduler::fetch_ahead(ResidentBlock& block, std::size_t from) const {
    constexpr std::uint64_t kLine = 64, kMost = 1024;
    const auto warps = block.states.size();
    while (from < warps && block.states[warp_at(block, from)] != WarpState::ready) ++from;
    if (from == warps) return;
    const auto warp = warp_at(block, from);
    const auto* frame = reinterpret_cast<const char*>(block.frame(warp, launch.code->frame_bytes));
    const auto bytes = std::min(launch.code->frame_bytes, kMost);
    for (std::uint64_t at = 0; at < bytes; at += kLine) __builtin_prefetch(frame + at, 1);
}

void Scheduler::note_pace(WarpFrame* frame) {
    longest_ = std::max(longest_,
                        launch.times ? frame->ticks / kTicks : warp_cycles(launch.pace, frame->executed, frame->trips));
    executed_ += frame->executed;
    frame->executed = frame->trips = frame->ticks = 0;
}

/// The warps of a block run beside each other, and so do the blocks of a multiprocessor: either the slowest warp
/// decides, or that all of them have to be issued.
void Scheduler::end_pass(ResidentBlock& block) {
    auto took = std::max(longest_, executed_ * launch.resident / launch.pace.schedulers);
    // Three to five quarters of it: blocks that poll would else look at the same moments for ever, as on no device. Of
    // a turn with much work in it a part would be longer than any look: who is free first decides who has more work.
    constexpr std::uint64_t kMostDrawn = 256;  // cycles; a look takes about that
    const auto drawn = Schedule{}.drawn(block.index, block.turns) % 9;
    if (took / 4 <= kMostDrawn)
        took = took * (12 + drawn) / 16;
    else
        took = took - kMostDrawn + kMostDrawn * drawn / 4;
    if (launch.schedule.kind == Schedule::Kind::random)
        took += took * (launch.schedule.drawn(block.index, block.clock) % 4);
    block.clock += took;
    longest_ = executed_ = 0;
}

/// The grid's next block; none: all have begun.
std::optional<std::uint64_t> Scheduler::next_index(std::atomic<std::uint64_t>& next, std::uint64_t count) const {
    auto index = next.fetch_add(1, std::memory_order_relaxed);
    while (index < count && leaves_out(index)) index = next.fetch_add(1, std::memory_order_relaxed);
    return index < count ? std::optional(index) : std::nullopt;
}

bool Scheduler::take_turn(Turns& turns) {
    const auto k = turns.due.top().place;
    turns.due.pop();
    auto& place = turns.places[k];
    if (!place.block) {
        if (!may_begin(turns.running)) {
            turns.held.push_back(k);
            return true;
        }
        place.block = fresh();
        if (!try_prepare(*place.block, place.index)) return false;
        place.block->clock = place.clock;
        ++turns.running;
        --turns.left;
    }
    if (!turns.due.empty())
        if (const auto& after = turns.places[turns.due.top().place].block) fetch_ahead(*after, 0);
    auto& block = *place.block;
    const auto weighed = weighed_;
    const bool may_wait = turns.host.may_begin(block);
    const auto outcome = step(block);
    if (may_wait && outcome == Outcome::parked && turns.host.took_back(block)) {
        weighed_ = weighed;
        // The others have a turn before it looks again, and so has the host's program.
        const auto next = turns.due.empty() ? place.clock : turns.due.top().clock + 1;
        turns.due.push({std::max(place.clock, next), k, k});
        std::this_thread::yield();
        return !launch.stop;
    }
    ++block.turns;
    place.clock = block.clock;
    switch (outcome) {
        case Outcome::finished:
            turns.watch.worked(block);
            end_block(block);
            spare_.push_back(std::move(place.block));
            --turns.running;
            for (const auto waiting : turns.held) {
                turns.places[waiting].clock = place.clock;
                turns.add(launch.schedule, waiting);
            }
            turns.held.clear();
            if (const auto index = next_index(turns.next, turns.count)) {
                place.index = *index;
                break;
            }
            return true;
        case Outcome::parked:
            // It may wait for the grids that it has launched.
            if (run_work(block, false)) turns.watch.worked(block);
            if (block.turns % kTurnsToLook == 0 &&
                turns.watch.stepped_aside(block, turns.left == 0 || turns.running == turns.places.size(),
                                          turns.running - 1))
                return false;
            break;
        case Outcome::stuck:
            deadlock(block);
            return false;
        case Outcome::stopped:
            return false;
    }
    turns.add(launch.schedule, k);
    return true;
}

/// Where the blocks in flight are: how many at each place, with the first of them.
std::string Scheduler::where(const Turns& turns) {
    struct Standing {
        std::size_t blocks = 0;
        const ResidentBlock* first = nullptr;
    };
    std::map<std::string, Standing> standing;
    for (const auto& place : turns.places) {
        if (!place.block) continue;
        std::string at = "between its loops";
        for (std::size_t w = 0; w < place.block->states.size(); ++w) {
            const auto* f = place.block->frame(w, launch.code->frame_bytes);
            if (f->spin && place.block->states[w] != WarpState::done) {
                at = "at " + block_location(*launch.code, f->spun_at).text();
                break;
            }
        }
        auto& here = standing[at];
        if (here.blocks++ == 0) here.first = place.block.get();
    }
    std::string out;
    for (const auto& [at, here] : standing) {
        const auto& c = here.first->context;
        out += (out.empty() ? "" : "; ") + std::to_string(here.blocks) +
               (here.blocks == 1 ? " block stands " : " blocks stand ") + at + ", block (" +
               std::to_string(c.ctaid[0]) + "," + std::to_string(c.ctaid[1]) + "," + std::to_string(c.ctaid[2]) +
               ") among them";
    }
    return out + "; " + std::to_string(turns.left) + " have not begun";
}

void Scheduler::run_in_turns(std::atomic<std::uint64_t>& next, std::uint64_t count) {
    Turns turns{next, count, ProgressWatch(launch, worker), HostWait(*this), {}, {}, {}};
    turns.left = count - std::min(count, next.load());
    for (std::uint64_t k = 0; k < launch.most_begun; ++k) {
        const auto index = next_index(next, count);
        if (!index) break;
        turns.places.emplace_back().index = *index;
        turns.add(launch.schedule, k);
    }
    while (!launch.stop && !turns.due.empty() && take_turn(turns))
        if (launch.asked_where) launch.tell_where(where(turns));
    // Blocks that have not ended are kept until all have told of it: fibers on them must not be destroyed before.
    for (const auto& place : turns.places)
        if (place.block) name_loops(*place.block);
    for (const auto& place : turns.places)
        if (place.block) unwind(*place.block);
}

}  // namespace warpwright::engine

// A copy's read is recorded as the newest one, as lanes do it (Accessor::newest); what it writes has the stamps of its
// threads, marked as asynchronous, until they wait for it. Each line is all in order, or left to the lanes.
#include "engine/runtime/checked/async_runs.hpp"

#include <bit>
#include <cstring>

#include "engine/runtime/checked/access_in_order.hpp"
#include "engine/runtime/lane_memory.hpp"

namespace warpwright::engine {

using shadow::Shadow;
using shadow::Stamp;

namespace {

/// Lanes that copy all of their bytes, one behind the other in both memories.
struct CopyRun {
    unsigned first = 0, lanes = 0;
};

/// That of the lowest lane of `mask`, of the lanes below 32; it may have no other.
CopyRun copy_run_of(const std::uint64_t* to, const std::uint64_t* from, const std::uint64_t* sizes, std::uint64_t mask,
                    unsigned bytes) {
    CopyRun run{static_cast<unsigned>(std::countr_zero(mask)), 1};
    const auto l = run.first;
    const auto follows = [&](unsigned k) {
        const auto next = l + k;
        const auto further = std::uint64_t{k} * bytes;
        return next < 32 && (mask >> next & 1) && to[next] == to[l] + further && from[next] == from[l] + further &&
               sizes[next] >= bytes;
    };
    if (l < 32 && sizes[l] >= bytes)
        while (follows(run.lanes)) ++run.lanes;
    return run;
}

/// A lane's copy has begun.
void put_into(PendingCopy& copy, const CheckBlock& block, unsigned warp, unsigned lane, std::uint64_t to) {
    copy.to[lane] = to;
    copy.stamp[lane] =
        block.key | (Stamp{warp} * 32 + lane) << shadow::kThreadShift | block.clock.tick() | shadow::kAgent;
    copy.lanes |= std::uint64_t{1} << lane;
}

/// Does the copies of a run as far as they fill lines and are in order; returns the number of those lanes.
unsigned copy_run_in_order(BlockContext* c, WarpFrame* f, std::uint32_t index, const CopyRun& run, std::uint64_t to,
                           std::uint64_t from, PendingCopy& copy) {
    auto& launch = launch_of(c);
    auto& block = checked(c);
    const auto& sites = c->executor->launch.code->sites;
    const unsigned bytes = sites[index].bytes;
    const std::uint64_t length = std::uint64_t{run.lanes} * bytes / Shadow::kLine * Shadow::kLine;
    if (!launch.race || !block.race || !length) return 0;
    const auto target = resolve(c, sites[index + 1].space, to), source = resolve(c, sites[index].space, from);
    if (target.space != simt::Space::shared || target.peer || target.address % Shadow::kLine ||
        !covers(0, c->shared_size, target.address, length) || source.space != simt::Space::global ||
        source.address % Shadow::kLine || !within_allocation(c, index, source.address, length, false))
        return 0;
    if (launch.init && !launch.shadow->is_written(source.address, length)) return 0;
    auto reader = accessor(c, f, index, false, false);
    reader.newest = true;
    // (What it has recorded when it gives up the lanes record again, to the same effect.)
    if (!launch.shadow->read_run(source.address, length, bytes, run.first, reader)) return 0;
    auto writer = accessor(c, f, index + 1, true, false);
    writer.also = shadow::kAgent;
    std::uint64_t done = 0;
    while (done < length && block.shared->write_run(target.address + done, Shadow::kLine, bytes,
                                                    run.first + static_cast<unsigned>(done / bytes), writer))
        done += Shadow::kLine;
    if (!done) return 0;
    if (launch.init) block.shared->set_written(target.address, done);
    block.shared->calm_agent(target.address, done);
    std::memcpy(c->shared + target.address, reinterpret_cast<const std::uint8_t*>(source.address), done);
    const auto lanes = static_cast<unsigned>(done / bytes);
    for (unsigned k = 0; k < lanes; ++k)
        put_into(copy, block, f->warp, run.first + k, target.address + std::uint64_t{k} * bytes);
    return lanes;
}

/// The same of lanes that do not follow each other, word by word; returns those lanes of `mask`, from its lowest on.
std::uint64_t copy_lanes_in_order(BlockContext* c, WarpFrame* f, std::uint32_t index, const std::uint64_t* to,
                                  const std::uint64_t* from, const std::uint64_t* sizes, std::uint64_t mask,
                                  PendingCopy& copy) {
    auto& launch = launch_of(c);
    auto& block = checked(c);
    const auto& sites = c->executor->launch.code->sites;
    const unsigned bytes = sites[index].bytes;
    if (!launch.race || !block.race) return 0;
    std::uint64_t targets[32], sources[32], good = 0;
    for (auto rest = mask & 0xffffffffu; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto target = resolve(c, sites[index + 1].space, to[l]), source = resolve(c, sites[index].space, from[l]);
        if (sizes[l] < bytes || ((target.address | source.address) & (bytes - 1)) ||
            target.space != simt::Space::shared || target.peer || !covers(0, c->shared_size, target.address, bytes) ||
            source.space != simt::Space::global || !within_allocation(c, index, source.address, bytes, false) ||
            (launch.init && !launch.shadow->is_element_written(source.address, bytes)))
            break;
        targets[l] = target.address, sources[l] = source.address;
        good |= std::uint64_t{1} << l;
    }
    good = launch.shadow->note_lanes(sources, good, bytes, accessor(c, f, index, false, false));
    auto writer = accessor(c, f, index + 1, true, false);
    writer.also = shadow::kAgent;
    // (Reads of lanes whose writes are looked at alone are recorded again, to the same effect.)
    good = block.shared->write_lanes(targets, good, bytes, writer);
    for (auto rest = good; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        if (launch.init && !block.shared->is_element_written(targets[l], bytes))
            block.shared->set_written(targets[l], bytes);
        std::memcpy(c->shared + targets[l], reinterpret_cast<const std::uint8_t*>(sources[l]), bytes);
        put_into(copy, block, f->warp, l, targets[l]);
    }
    return good;
}

}  // namespace

std::uint64_t copies_in_order(BlockContext* c, WarpFrame* f, std::uint32_t index, const std::uint64_t* to,
                              const std::uint64_t* from, const std::uint64_t* sizes, std::uint64_t mask,
                              PendingCopy& copy) {
    const auto run = copy_run_of(to, from, sizes, mask, c->executor->launch.code->sites[index].bytes);
    if (const auto lanes = copy_run_in_order(c, f, index, run, to[run.first], from[run.first], copy))
        return ((std::uint64_t{1} << lanes) - 1) << run.first;
    return copy_lanes_in_order(c, f, index, to, from, sizes, mask, copy);
}

namespace {

/// Lanes of `lanes`, from its lowest on, whose copies fill a line that nobody has touched since: they count as made by
/// the threads now. Returns them; 0: the lowest one's copy is to be looked at word by word.
std::uint64_t settle_line(CheckBlock& block, unsigned warp, const PendingCopy& copy, std::uint64_t lanes) {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes)),
               count = static_cast<unsigned>(Shadow::kLine / copy.bytes);
    const auto at = copy.to[first];
    if (at % Shadow::kLine || first > 32 - count) return 0;
    for (unsigned k = 0; k < count; ++k)
        if (!(lanes >> (first + k) & 1) || copy.to[first + k] != at + std::uint64_t{k} * copy.bytes ||
            copy.stamp[first + k] != copy.stamp[first] + (Stamp{k} << shadow::kThreadShift))
            return 0;
    block.shared->calm_written(at, Shadow::kLine);
    const auto now = block.key | (Stamp{warp} * 32 + first) << shadow::kThreadShift | block.clock.tick();
    if (!block.shared->replace_writers(at, copy.bytes, copy.stamp[first], now, copy.side)) return 0;
    return ((std::uint64_t{1} << count) - 1) << first;
}

/// Copies of these lanes are complete: their writes count as if the lanes had just made them.
void settle(BlockContext* c, WarpFrame* f, std::vector<PendingCopy>& copies, std::uint64_t lanes) {
    auto& block = checked(c);
    for (auto& copy : copies) {
        for (auto rest = copy.lanes & lanes; rest;) {
            if (const auto line = settle_line(block, f->warp, copy, rest)) {
                rest &= ~line;
                continue;
            }
            const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
            rest &= rest - 1;
            const auto now = block.key | (Stamp{f->warp} * 32 + l) << shadow::kThreadShift | block.clock.tick();
            for (std::uint32_t k = 0; k < copy.bytes;) {
                const auto p = block.shared->piece(copy.to[l] + k, copy.bytes - k, block.key, true);
                if (p.cells->written[p.index] == copy.stamp[l])
                    shadow::put_stamp(p.cells->written[p.index], p.cells->written_side[p.index], now, copy.side);
                k += p.bytes;
            }
            block.shared->calm_written(copy.to[l], copy.bytes);
        }
        copy.lanes &= ~lanes;
    }
    std::erase_if(copies, [](const PendingCopy& p) { return p.lanes == 0; });
}

}  // namespace

void check_copies_done(BlockContext* c, WarpFrame* f, std::uint64_t lanes, std::size_t keep) {
    auto& w = checked(c).warps[f->warp];
    const auto over = w.groups.size() > keep ? w.groups.size() - keep : 0;
    for (std::size_t k = 0; k < over; ++k) settle(c, f, w.groups[k], lanes);
    while (!w.groups.empty() && w.groups.front().empty() && w.groups.size() > keep) w.groups.pop_front();
}

namespace {

/// Copies of these lanes belong to the agent of an mbarrier from now on, as bulk copies do. Those that an earlier
/// arrival has handed over are left to their mbarrier.
void hand_to_agent(CheckBlock& block, std::vector<PendingCopy>& copies, std::uint64_t lanes, Stamp agent) {
    for (auto& copy : copies) {
        const auto side = shadow::side_of(shadow::site_of(copy.side), shadow::kStrongBlock);
        copy.lanes &= ~(copy.handed & lanes);
        for (auto rest = copy.lanes & lanes; rest; rest &= rest - 1) {
            const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
            for (std::uint32_t k = 0; k < copy.bytes;) {
                const auto p = block.shared->piece(copy.to[l] + k, copy.bytes - k, block.key, true);
                if (p.cells->written[p.index] == copy.stamp[l])
                    shadow::put_stamp(p.cells->written[p.index], p.cells->written_side[p.index], agent, side);
                k += p.bytes;
            }
            block.shared->calm_agent(copy.to[l], copy.bytes);
            copy.stamp[l] = agent;
        }
        copy.handed |= copy.lanes & lanes;
    }
    std::erase_if(copies, [](const PendingCopy& p) { return p.lanes == 0; });
}

}  // namespace

/// All copies that these lanes have started, grouped or not, are complete for the threads that wait for the mbarrier's
/// phase.
void check_copies_arrive(BlockContext* c, WarpFrame* f, std::uint64_t lanes, BlockContext* owner,
                         std::uint64_t offset) {
    if (!launch_of(c).race || !checked(c).race || !lanes) return;
    auto& block = checked(c);
    auto& w = block.warps[f->warp];
    if (w.open.empty() && w.groups.empty()) return;
    const auto leaves = mbarrier_stamp(owner, offset);
    for (auto& group : w.groups) hand_to_agent(block, group, lanes, leaves);
    hand_to_agent(block, w.open, lanes, leaves);
    while (!w.groups.empty() && w.groups.front().empty()) w.groups.pop_front();
    check_agent_done(owner, offset);
}

}  // namespace warpwright::engine

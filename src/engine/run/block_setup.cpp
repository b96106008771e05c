// What a block needs before its warps run: its memory, its frames, and its place in the grid.
#include <cstring>
#include <new>
#include <utility>

#include "engine/run/scheduler.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/shared/self_timing.hpp"
#include "engine/shared/tracing.hpp"
#include "support/covers.hpp"

namespace warpwright::engine {

namespace {

constexpr std::uint64_t kAlign = kFrameAlign;

std::uint8_t* aligned(std::uint8_t* start) {
    const auto p = reinterpret_cast<std::uintptr_t>(start);
    return reinterpret_cast<std::uint8_t*>((p + kAlign - 1) / kAlign * kAlign);
}

/// In guard mode its end is the memory's end, but for some bytes where they are no multiple of 64.
std::uint8_t* guarded(ResidentBlock& block, std::uint64_t bytes) {
    block.guarded.emplace_back(bytes, 64);
    return block.guarded.back().start();
}

/// Memory whose first contents its user writes.
std::uint8_t* memory_of(ResidentBlock& block, std::unique_ptr<std::uint8_t[]>& storage, std::uint64_t bytes,
                        bool guards) {
    if (guards) return guarded(block, bytes);
    storage = std::make_unique_for_overwrite<std::uint8_t[]>(bytes + kAlign);
    return aligned(storage.get());
}

/// Zeroed at first.
std::uint8_t* zeros_of(ResidentBlock& block, std::vector<std::uint8_t>& storage, std::uint64_t bytes, bool guards) {
    if (guards) return guarded(block, bytes);
    storage.resize(bytes + kAlign);
    return aligned(storage.data());
}

std::uint64_t lanes_mask(unsigned lanes) { return lanes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1; }

/// Room for recursion: a lane's stack beyond what the kernel itself needs.
constexpr std::uint64_t kCallStack = 64 * 1024;

}  // namespace

Scheduler::Scheduler(LaunchShared& shared) : Executor(shared) {
    const auto& code = *launch.code;
    if (launch.check) nodes = std::make_shared<shadow::Nodes>();
    if (launch.schedule.kind != Schedule::Kind::forward) together_ = warps_together(code);
    keeps_clocks_ = code.takes_turns || launch.schedule.kind != Schedule::Kind::forward;
    counters.assign(std::size_t{code.blocks} * kBlockCounters + code.places, 0);
    sites.assign(code.sites.size() + 1, {});
    spaces.assign(code.sites.size() + 1, {});
    // A site without an access so far compares with memory that belongs to no allocation.
    for (auto& s : sites) s.base = launch.memory->nowhere();
}

std::vector<std::uint16_t> positions_of(const simt::BlockShape& shape) {
    const std::uint64_t warps = (shape.threads() + shape.lanes - 1) / shape.lanes;
    std::vector<std::uint16_t> tids(warps * 3 * shape.lanes);
    for (std::uint64_t w = 0; w < warps; ++w)
        for (unsigned l = 0; l < shape.lanes; ++l) {
            const auto linear = w * shape.lanes + l;
            auto* at = &tids[w * 3 * shape.lanes];
            at[l] = static_cast<std::uint16_t>(linear % shape.x);
            at[shape.lanes + l] = static_cast<std::uint16_t>(linear / shape.x % shape.y);
            at[2 * shape.lanes + l] = static_cast<std::uint16_t>(linear / shape.x / shape.y);
        }
    return tids;
}

namespace {

std::uint64_t local_of_lane(const LaunchShared& launch) {
    return (launch.local_bytes + 15) / 16 * 16 + (launch.code->on_fibers ? kCallStack : 0);
}

/// The host's memory that a block takes.
std::uint64_t bytes_of_block(const LaunchShared& launch) {
    const auto& shape = launch.code->options.block;
    const std::uint64_t warps = (shape.threads() + shape.lanes - 1) / shape.lanes;
    return warps * (launch.code->frame_bytes + local_of_lane(launch) * shape.lanes) + launch.shared_bytes;
}

/// The memory and the context of a block, for all of the blocks that will run in it.
void set_up(ResidentBlock& block, Executor& executor) {
    auto& launch = executor.launch;
    const auto& code = *launch.code;
    const auto& shape = code.options.block;
    const std::uint64_t warps = (shape.threads() + shape.lanes - 1) / shape.lanes;
    const std::uint64_t local = local_of_lane(launch);
    // One block fits in memory by its own limits; blocks that wait for each other, of which there may be a grid full,
    // do not.
    const auto takes = bytes_of_block(launch);
    if (executor.blocks_with_memory++ >= launch.cluster_blocks() && !std::exchange(executor.reserved, false)) {
        const auto before = launch.waiting_bytes.fetch_add(takes, std::memory_order_relaxed);
        if (!covers(0, LaunchShared::kMostWaitingBytes, before, takes)) throw std::bad_alloc();
    }
    const bool guards = launch.memory->guarded();
    const std::uint64_t behind_shared = guards ? 0 : 64;
    block.frames_start = memory_of(block, block.frames, warps * code.frame_bytes, guards);
    std::memset(block.frames_start, 0, warps * code.frame_bytes);
    block.local_start = local ? zeros_of(block, block.local, warps * local * shape.lanes, guards) : nullptr;
    block.shared_start = memory_of(block, block.shared, launch.shared_bytes + behind_shared, guards);
    std::memset(block.shared_start + launch.shared_bytes, 0, behind_shared);
    block.states.resize(warps);
    auto& c = block.context;
    c.params = launch.params;
    c.shared = block.shared_start;
    c.shared_size = launch.shared_bytes;
    c.counters = executor.counters.data();
    c.sites = executor.sites.data();
    c.spaces = executor.spaces.data();
    c.variables = launch.variables;
    for (int k = 0; k < 3; ++k) c.nctaid[k] = launch.grid[k];
    c.stop = &launch.stop.look;
    c.ticks = launch.times ? launch.times->table().issue.data() : nullptr;
    c.shared_window = launch.shared_window;
    c.local_window = launch.local_window;
    c.nsmid = launch.multiprocessors;
    c.gridid = 1;
    c.graph = launch.graph;
    for (int k = 0; k < 3; ++k) c.offset[k] = launch.offset[k];
    c.dimensions = launch.dimensions;
    c.executor = &executor;
    c.dynamic_shared = launch.dynamic_shared;
    block.alone.members = {&block};
    c.cluster = &block.alone;
    for (int k = 0; k < 3; ++k) {
        c.nclusterid[k] = launch.grid[k] / launch.cluster[k];
        c.cluster_nctaid[k] = launch.cluster[k];
    }
    c.cluster_size = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
    c.cluster_explicit = launch.clusters;
    for (std::uint64_t w = 0; w < warps; ++w) {
        auto* f = block.frame(w, code.frame_bytes);
        f->warp = static_cast<std::uint32_t>(w);
        const auto rest = shape.threads() - w * shape.lanes;
        f->initial = rest >= shape.lanes ? lanes_mask(shape.lanes) : lanes_mask(static_cast<unsigned>(rest));
        f->local = block.local_start ? block.local_start + w * local * shape.lanes : nullptr;
        f->local_size = local;
        for (int k = 0; k < 3; ++k) f->tid[k] = &code.tids[(w * 3 + static_cast<unsigned>(k)) * shape.lanes];
    }
}

}  // namespace

bool Scheduler::may_begin(std::size_t waiting) {
    if (waiting == 0) return true;
    if (waiting >= launch.most_begun) return false;
    // All blocks of a cooperative grid must begin: where the memory does not suffice, the launch fails. Memory of
    // blocks that have ended is there already.
    if (launch.grid_barrier || reserved || !spare_.empty()) return true;
    const auto takes = bytes_of_block(launch);
    auto before = launch.waiting_bytes.load(std::memory_order_relaxed);
    do
        if (!covers(0, LaunchShared::kMostWaitingBytes, before, takes)) return false;
    while (!launch.waiting_bytes.compare_exchange_weak(before, before + takes, std::memory_order_relaxed));
    return reserved = true;
}

void Scheduler::prepare(ResidentBlock& block, std::uint64_t index) {
    const auto& code = *launch.code;
    const auto& shape = code.options.block;
    const std::uint64_t warps = (shape.threads() + shape.lanes - 1) / shape.lanes;
    const bool follows = block.frames_start && index == block.index + 1;
    block.index = block.number = index;
    block.clock = block.turns = 0;
    in_order = launch.order == nullptr;
    block.context.trace = launch.tracing && launch.tracing_now ? launch.tracing->of(index) : nullptr;
    if (launch.tracing && !launch.tracing->launch.work.empty() && !launch.sampling) block.did.assign(warps, 0);
    if (!block.frames_start) set_up(block, *this);
    auto& c = block.context;
    if (follows)
        next_block_position(launch.grid, c.ctaid);
    else
        block_position(index, launch.grid, c.ctaid);
    for (int k = 0; k < 3; ++k) c.clusterid[k] = c.ctaid[k];
    block.alone.word = 0;
    block.alone.waiters.clear();
    block.alone.invalid.clear();
    block.alone.arrived.clear();
    block.alone.over = nullptr;
    if (follows)
        c.smid = c.smid + 1 == launch.multiprocessors ? 0 : c.smid + 1;
    else
        c.smid = static_cast<std::uint32_t>(index % launch.multiprocessors);
    // Fresh shared memory has no defined contents; it has the same pattern every time.
    if (launch.shared_bytes) std::memset(block.shared_start, 0xCD, launch.shared_bytes);
    for (auto& b : block.barriers) b = {};
    block.any_arrived = false;
    block.fresh = true;
    block.seen = 0;
    block.work.reset();
    if (launch.check) start_check(*launch.check, block, launch, *nodes, warps);
    for (std::uint64_t w = 0; w < warps; ++w) {
        auto* f = block.frame(w, code.frame_bytes);
        f->live = f->initial;
        constexpr auto kFirst = offsetof(WarpFrame, resume), kEnd = offsetof(WarpFrame, warp);
        std::memset(reinterpret_cast<std::uint8_t*>(f) + kFirst, 0, kEnd - kFirst);
        block.states[w] = WarpState::ready;
    }
    if (code.on_fibers) {
        block.fibers.clear();
        for (std::uint64_t w = 0; w < warps; ++w) block.fibers.push_back(make_fiber());
    }
}

}  // namespace warpwright::engine

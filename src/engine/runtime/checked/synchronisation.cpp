// Synchronisation under the checkers: the order that it gives to threads, and barriers, masks and shuffles that are
// misused.
#include <algorithm>
#include <bit>
#include <utility>

#include "engine/runtime/checked/array_names.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/lane_memory.hpp"
#include "engine/runtime/texts.hpp"

namespace warpwright::engine {

using record::FindingKind;
using record::Severity;
using shadow::Node;
using simt::Mod;

record::Finding finding_at(BlockContext* c, const WarpFrame* f, unsigned lane, FindingKind kind,
                           const simt::Details* at) {
    const auto& launch = c->executor->launch;
    record::Finding found = record::finding_of(kind);
    found.kernel = launch.check ? launch.check->kernel : readable(launch.kernel->name);
    const auto where = location(*launch.code->module, at);
    found.at.file = where.file, found.at.line = where.line, found.at.column = where.column;
    if (at) found.at.access = at->spelling();
    if (f) {
        const auto& shape = launch.code->options.block;
        const auto linear = static_cast<std::uint32_t>(f->warp * shape.lanes + lane);
        found.at.block = {c->ctaid[0], c->ctaid[1], c->ctaid[2]};
        found.at.thread = {linear % shape.x, linear / shape.x % shape.y, linear / shape.x / shape.y};
    }
    return found;
}

void add_finding(BlockContext* c, const WarpFrame* f, unsigned lane, FindingKind kind, const simt::Details* at,
                 const std::string& message, std::optional<Severity> severity) {
    auto& launch = launch_of(c);
    if (launch.collector->again(kind, at, nullptr)) return;
    auto found = finding_at(c, f, lane, kind, at);
    if (severity) found.severity = *severity;
    found.message = message;
    if (f) found.message += ", by " + found.at.thread_text();
    launch.collector->add(std::move(found), at, nullptr);
}

void start_check(CheckLaunch& launch, ResidentBlock& block, const LaunchShared& shared, shadow::Nodes& nodes,
                 std::size_t warps) {
    if (!block.check) block.check = std::make_shared<CheckBlock>();
    auto& b = *block.check;
    block.context.check = &b;
    if (++b.epoch % 255 == 0 && b.shared) b.shared->forget_quiet();
    b.race = launch.race && block.index < shadow::kMostBlocks;
    b.key = shadow::stamp_of(launch.generation, block.index & (shadow::kMostBlocks - 1));
    b.clock.start(static_cast<std::uint32_t>(block.index & (shadow::kMostBlocks - 1)), static_cast<unsigned>(warps),
                  shared.code->options.block.lanes, &nodes);
    b.shared_bytes = shared.shared_bytes;
    if (shared.shared_bytes) {
        if (!b.shared) {
            auto made = shadow::Shadow::reserve(0, shared.shared_bytes);
            if (made) b.shared = std::move(*made);
        } else if (shared.clusters) {
            b.shared->forget_accesses();
        }
        if (b.shared) {
            b.shared->of_one_block(!shared.clusters);
            b.shared->clear_written(0, shared.shared_bytes);
            // Copies and products look at who wrote what they read, and read on after a barrier.
            const bool deferred = b.race && !shared.clusters;
            b.shared->start_calm(&b.clock, b.key, b.epoch, deferred, launch.init, deferred && launch.defers_writes);
        }
    }
    // Looked at where there are no marks of memory; nobody writes them, since they are neither quiet nor calm.
    static std::uint8_t nothing[kQuickSpan / 4 + 8] = {};
    static shadow::CalmLog no_log{nothing};
    auto& quick = block.context.quick;
    quick = {};
    quick.quiet = nothing;
    quick.log = &no_log;
    quick.mark = 1;
    if (b.race) {
        // Marks say nothing of whose memory it is.
        if (shared.reach == ~std::uint64_t{0}) {
            quick.quiet = launch.shadow->quiet_marks();
            quick.start = launch.shadow->start(), quick.limit = launch.shadow->size() - kQuickSpan;
            quick.mark = shadow::Shadow::quiet_mark(launch.generation);
        }
        if (b.shared && b.shared->calm().on()) {
            quick.log = quick.calm = &b.shared->calm();
            quick.shared_limit = shared.shared_bytes;
        }
    }
    b.mbarriers.clear();
    b.objects.clear();
    b.warps.resize(warps);
    for (auto& w : b.warps) w.start();
    for (auto& a : b.arrivals) a.clear();
    b.told_exited = b.met = b.ended = false;
    b.peers.clear();
    b.proxy = {};
    b.products.clear();
    b.bulk_stores.clear();
    b.barriers = 0;
}

namespace {

std::uint32_t low(std::uint64_t lanes) { return static_cast<std::uint32_t>(lanes); }

/// Threads wait at a barrier after others have ended. Where the kernel's text lets no thread end early, these others
/// went past the barrier: an error. A thread that returned is an error where the device's barriers do not know of it:
/// from compute capability 7.0 on they wait for the threads that have not ended, before that for whole warps.
void tell_ended(BlockContext* c, const WarpFrame* who, unsigned lane, const simt::Details* at, std::uint64_t gone) {
    const auto& launch = c->executor->launch;
    const auto lead = (at ? at->spelling() : std::string("a barrier")) + ": threads wait here ";
    const auto others = std::to_string(gone) + (gone == 1 ? " other" : " others") + " of their block ";
    if (at && !may_end_before(launch, at).value_or(true))
        return add_finding(c, who, lane, FindingKind::barrier_divergence, at,
                           lead + "that " + others + "ended without reaching: the barrier is in an if or a loop");
    constexpr int kPerThread = 70;
    if (launch.compute_capability != 0 && launch.compute_capability < kPerThread)
        return add_finding(
            c, who, lane, FindingKind::barrier_exited, at,
            lead + "after " + others + "ended; before compute capability 7.0 a barrier is for all of them",
            Severity::error);
    add_finding(c, who, lane, FindingKind::barrier_exited, at,
                lead + "after " + others +
                    "ended; from compute capability 7.0 on a barrier completes without threads that have returned, "
                    "but if it is in an if that they did not take, the program is wrong");
}

/// Finds threads that have exited while others of their block wait.
void look_for_exited(ResidentBlock& block, const simt::Details* at) {
    auto& b = *block.check;
    auto* c = &block.context;
    auto& launch = launch_of(c);
    if (!launch.sync || b.told_exited) return;
    const auto& code = *c->executor->launch.code;
    std::uint64_t gone = 0;
    const WarpFrame* who = nullptr;
    for (std::size_t w = 0; w < block.states.size(); ++w) {
        const auto* f = block.frame(w, code.frame_bytes);
        const auto left = f->initial & ~f->live;
        gone += static_cast<std::uint64_t>(std::popcount(left));
        if (left && !who) who = f;
    }
    if (!gone) return;
    b.told_exited = true;
    const auto lane = static_cast<unsigned>(std::countr_zero(who->initial & ~who->live));
    tell_ended(c, who, lane, at, gone);
}

}  // namespace

void check_left_out(BlockContext* c, WarpFrame* f, std::uint64_t waiting, std::uint64_t gone) {
    // Lanes that exited before the barrier are handled by look_for_exited; these went past it and continued.
    auto& passed = checked(c).warps[f->warp].passed;
    gone &= std::exchange(passed, 0);
    if (!gone || !launch_of(c).sync) return;
    const auto* at = c->executor->launch.code->barriers[f->barrier_site];
    add_finding(c, f, static_cast<unsigned>(std::countr_zero(gone)), FindingKind::barrier_divergence, at,
                at->spelling() + ": " + std::to_string(std::popcount(waiting)) + " lanes of a warp wait here, " +
                    std::to_string(std::popcount(gone)) + " others ran to their end without it");
}

void check_full_barrier(ResidentBlock& block) {
    for (auto& w : block.check->warps) w.passed = 0;
    block.check->clock.barrier();
    ++block.check->epoch;
    if (block.check->shared) block.check->shared->calm_barrier(block.check->epoch);
    check_repeats(block);
    const auto& code = *block.context.executor->launch.code;
    for (std::size_t w = 0; w < block.states.size(); ++w) {
        const auto* f = block.frame(w, code.frame_bytes);
        if (f->live != f->initial) {
            const simt::Details* at = nullptr;
            for (std::size_t v = 0; v < block.states.size() && !at; ++v)
                if (block.frame(v, code.frame_bytes)->live &&
                    block.frame(v, code.frame_bytes)->barrier_site < code.barriers.size())
                    at = code.barriers[block.frame(v, code.frame_bytes)->barrier_site];
            look_for_exited(block, at);
            return;
        }
    }
}

void check_arrive(ResidentBlock& block, unsigned id, const WarpFrame& f, std::uint64_t lanes, bool waits,
                  std::uint32_t site) {
    auto& b = *block.check;
    if (lanes) b.arrivals[id].push_back({f.warp, low(lanes), b.clock.release(f.warp, low(lanes)), waits, site});
}

namespace {

/// Finds lanes of one warp that met at a barrier through different instructions: lanes may arrive one after the other,
/// but all at the same instruction.
void look_for_divergence(ResidentBlock& block, const std::vector<CheckBlock::Arrival>& arrivals) {
    auto* c = &block.context;
    const auto& code = *c->executor->launch.code;
    for (const auto& a : arrivals)
        for (const auto& other : arrivals) {
            if (a.warp != other.warp || a.site == other.site || !a.waits || !other.waits) continue;
            const auto *at = code.barriers[a.site], *there = code.barriers[other.site];
            if (!(at->op == simt::Op::bar || at->has(Mod::aligned))) continue;
            add_finding(c, block.frame(a.warp, code.frame_bytes), static_cast<unsigned>(std::countr_zero(a.lanes)),
                        FindingKind::barrier_divergence, at,
                        at->spelling() + ": " + std::to_string(std::popcount(a.lanes)) +
                            " lanes of a warp wait here, " + std::to_string(std::popcount(other.lanes)) +
                            " others at " + location(*code.module, there).text());
        }
}

}  // namespace

void check_released(ResidentBlock& block, unsigned id, bool counted) {
    auto& b = *block.check;
    const auto& code = *block.context.executor->launch.code;
    auto arrivals = std::move(b.arrivals[id]);
    b.arrivals[id].clear();
    if (launch_of(&block.context).sync) look_for_divergence(block, arrivals);
    std::vector<std::uint64_t> here(block.states.size(), 0);
    for (const auto& a : arrivals)
        if (a.waits) here[a.warp] |= a.lanes;
    bool all = true;
    for (std::size_t w = 0; w < block.states.size(); ++w) {
        const auto* f = block.frame(w, code.frame_bytes);
        all &= ((counted ? f->initial : f->live) & ~here[w] & 0xffffffffu) == 0;
    }
    if (all) {
        check_full_barrier(block);
        return;
    }
    std::vector<const Node*> parts;
    for (const auto& a : arrivals) parts.push_back(a.node);
    if (parts.empty()) return;
    const auto* node = b.clock.join(std::move(parts));
    for (const auto& a : arrivals)
        if (a.waits) b.clock.acquire(a.warp, a.lanes, std::uint64_t{1} << 62 | id, node);
}

namespace {

/// Whether the kernel has bulk copies or products of warpgroups, which hand stages of shared memory to each other.
bool has_stages(const BlockContext* c) {
    const auto& launch = c->executor->launch;
    const auto& code = *launch.code;
    // Code may lie where other code lay, but in another launch.
    thread_local struct {
        const KernelCode* code = nullptr;
        std::uint32_t launch = 0;
        bool answer = false;
    } last;
    if (last.code != &code || last.launch != launch.check->generation) {
        const auto is_stage = [](const CountedInst& i) {
            return i.ptx && (i.ptx->op == simt::Op::wgmma || i.ptx->op == simt::Op::cp_async_bulk);
        };
        last = {&code, launch.check->generation, std::any_of(code.insts.begin(), code.insts.end(), is_stage)};
    }
    return last.answer;
}

/// An arrival's or a wait's scope is the block: it says so, or says nothing, which means the same in PTX. Kernels whose
/// stages go back and forth between copies and products leave the scope away as a rule, and hardware keeps those in
/// order: there it is taken for what is meant.
bool is_narrow(const BlockContext* c, const simt::Details& at) {
    if (at.has(Mod::cta)) return true;
    return !at.has(Mod::cluster) && !has_stages(c);
}

}  // namespace

void check_mbarrier_arrive(BlockContext* c, WarpFrame* f, std::uint64_t lanes, BlockContext* owner,
                           std::uint64_t offset, const simt::Details& at) {
    if (!launch_of(c).race || !lanes) return;
    if (owner != c) check_started(c, f, static_cast<unsigned>(std::countr_zero(lanes)), *owner, &at);
    // What it releases reaches no further than it says.
    if (at.has(Mod::relaxed) || (owner != c && is_narrow(c, at))) return;
    checked(owner).mbarrier(offset).arrived.push_back(checked(c).clock.release(f->warp, low(lanes)));
}

void check_agent_done(BlockContext* owner, std::uint64_t offset) {
    auto& b = checked(owner);
    if (!launch_of(owner).race) return;
    auto& m = b.mbarrier(offset);
    m.arrived.push_back(b.clock.agent(m.agent & shadow::kAgents, b.clock.tick()));
    b.clock.advance();
}

void check_mbarrier_over(BlockContext* owner, std::uint64_t offset) {
    auto& b = checked(owner);
    if (!launch_of(owner).race) return;
    auto& m = b.mbarrier(offset);
    std::vector<const Node*> of_block;
    for (const auto* n : m.arrived)
        if (n->block == b.clock.block()) of_block.push_back(n);
    if (m.over) m.arrived.push_back(m.over);
    if (m.over_here) of_block.push_back(m.over_here);
    if (m.arrived.empty()) return;
    m.over = b.clock.join(std::move(m.arrived));
    m.arrived.clear();
    m.over_here = of_block.empty() ? nullptr : b.clock.join(std::move(of_block));
}

void check_mbarrier_passed(BlockContext* c, WarpFrame* f, std::uint64_t lanes, BlockContext* owner,
                           std::uint64_t offset, const simt::Details& at) {
    if (!launch_of(c).race || !lanes || at.has(Mod::relaxed)) return;
    const auto& m = checked(owner).mbarrier(offset);
    const auto* over = c->cluster_size > 1 && is_narrow(c, at) ? m.over_here : m.over;
    if (!over) return;
    checked(c).met |= over->outside || over->block != checked(c).clock.block();
    checked(c).clock.acquire(f->warp, low(lanes), reinterpret_cast<std::uint64_t>(owner->shared) + offset, over);
}

void check_cluster_arrive(BlockContext* c, WarpFrame* f, std::uint64_t lanes, const simt::Details& at) {
    if (!launch_of(c).race || !lanes) return;
    auto& arrived = c->cluster->arrived;
    auto& clock = checked(c).clock;
    if (!at.has(Mod::relaxed)) {
        arrived.push_back(clock.release(f->warp, low(lanes)));
        return;
    }
    // It hands on what a fence before it has released.
    for (auto rest = low(lanes); rest; rest &= rest - 1)
        if (const auto* n = clock.release_fenced(f->warp, static_cast<unsigned>(std::countr_zero(rest)), true))
            arrived.push_back(n);
}

void check_cluster_over(ClusterState& cluster) {
    if (cluster.arrived.empty()) return;
    cluster.over = cluster.members[0]->check->clock.join(std::move(cluster.arrived));
    cluster.arrived.clear();
}

void check_cluster_passed(BlockContext* c, WarpFrame* f, std::uint64_t lanes) {
    if (!launch_of(c).race || !lanes) return;
    checked(c).met = true;
    if (!c->cluster->over) return;
    checked(c).clock.acquire(f->warp, low(lanes), reinterpret_cast<std::uint64_t>(c->cluster), c->cluster->over);
}

extern "C" {

/// bar.warp.sync: `named` are the lanes' masks; mostly all lanes execute one instruction.
void ww_chk_warp_sync(BlockContext* c, WarpFrame* f, const std::uint32_t* named, std::uint64_t active) {
    if (!launch_of(c).race) return;
    auto& b = checked(c);
    if (low(active) == ~std::uint32_t{0}) {
        std::uint32_t differ = 0;
        for (unsigned l = 1; l < 32; ++l) differ |= named[l] ^ named[0];
        if (!differ) return b.clock.warp_sync(f->warp, low(active), low(f->live));
    }
    for (auto rest = active; rest;) {
        const auto mask = named[std::countr_zero(rest)];
        std::uint32_t group = 0;
        for (auto r = rest; r; r &= r - 1)
            if (const auto l = static_cast<unsigned>(std::countr_zero(r)); named[l] == mask) group |= 1u << l;
        b.clock.warp_sync(f->warp, group, low(f->live));
        rest &= ~std::uint64_t{group};
    }
}

/// The masks of an instruction that a warp executes together; `active` lanes are here.
void ww_chk_mask(BlockContext* c, WarpFrame* f, std::uint32_t barrier, const std::uint32_t* named,
                 std::uint64_t active) {
    if (!launch_of(c).sync) return;
    const auto* at = c->executor->launch.code->barriers[barrier];
    for (auto rest = active; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        if (!(named[l] >> l & 1)) {
            char text[16];
            std::snprintf(text, sizeof text, "0x%08x", named[l]);
            add_finding(c, f, l, FindingKind::sync_mask, at,
                        at->spelling() + ": lane " + std::to_string(l) + " executes it, but its mask " + text +
                            " does not name it");
        } else if (const auto missing = named[l] & f->live & ~active) {
            char text[16];
            std::snprintf(text, sizeof text, "0x%08x", named[l]);
            add_finding(c, f, static_cast<unsigned>(std::countr_zero(missing)), FindingKind::sync_mask, at,
                        at->spelling() + ": the mask " + text + " names " + std::to_string(std::popcount(missing)) +
                            " lanes that do not execute it (this finding names the first)");
        }
    }
}

/// Tests the lanes that a shuffle reads.
void ww_chk_shuffle(BlockContext* c, WarpFrame* f, std::uint32_t barrier, std::uint32_t mode, const std::uint32_t* by,
                    const std::uint32_t* clamps, std::uint64_t active) {
    if (!launch_of(c).sync) return;
    for (auto rest = active; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const int n = static_cast<int>(by[l] & 31), lane = static_cast<int>(l),
                  clamp = static_cast<int>(clamps[l] & 31), segment = static_cast<int>(clamps[l] >> 8 & 31);
        const int top = (lane & segment) | (clamp & ~segment), low_lane = lane & segment;
        const int from = mode == 0 ? lane - n : mode == 1 ? lane + n : mode == 2 ? lane ^ n : low_lane | (n & ~segment);
        const bool in = mode == 0 ? from >= top : from <= top;
        if (!in || from < 0 || from > 31 || (active >> from & 1)) continue;
        const auto* at = c->executor->launch.code->barriers[barrier];
        add_finding(c, f, l, FindingKind::shuffle_source, at,
                    at->spelling() + ": lane " + std::to_string(l) + " reads lane " + std::to_string(from) +
                        ", which does not execute it");
    }
}

void ww_chk_fence(BlockContext* c, WarpFrame* f, std::uint32_t wide, std::uint64_t active) {
    if (launch_of(c).race) checked(c).clock.fence(f->warp, low(active), wide != 0);
}

/// fence.proxy.async: what these lanes have done, or know of, may be read by copies and matrix products.
void ww_chk_proxy_fence(BlockContext* c, WarpFrame* f, std::uint64_t active) {
    if (!launch_of(c).race) return;
    auto& b = checked(c);
    auto& p = b.proxy;
    const auto tick = b.clock.tick();
    p.base = std::max(p.base, b.clock.base());
    p.by_warp.resize(b.warps.size());
    p.by_warp[f->warp] = std::max(p.by_warp[f->warp], b.clock.warp_base(f->warp));
    p.by_thread.resize(b.warps.size() * 32);
    for (auto rest = low(active); rest; rest &= rest - 1) p.by_thread[f->warp * 32 + std::countr_zero(rest)] = tick;
    // What it has learnt otherwise than by a barrier of the block is not looked up: all of it counts.
    if (b.clock.has_acquired(f->warp, low(active))) p.base = tick;
    b.clock.advance();
}

/// `what` is a GroupOp. A wait is for all but the last `keep` groups.
void ww_chk_copies(BlockContext* c, WarpFrame* f, std::uint32_t what, std::uint32_t keep, std::uint64_t active) {
    if (!launch_of(c).race) return;
    const auto op = static_cast<GroupOp>(what);
    if (op > GroupOp::wait_all) return check_read_groups(c, f, op, keep, active);
    auto& w = checked(c).warps[f->warp];
    if (op != GroupOp::wait) {
        w.groups.push_back(std::move(w.open));
        w.open.clear();
    }
    if (op == GroupOp::wait) check_copies_done(c, f, active, keep);
    if (op == GroupOp::wait_all) check_copies_done(c, f, active, 0);
}
}

}  // namespace warpwright::engine

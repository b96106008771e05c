// Clusters at run time: addresses of shared memory across the blocks of one, its barrier, stores that signal an
// mbarrier; and the scheduling of blocks that are resident together.
#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>

#include "engine/checked/regular_access.hpp"
#include "engine/runtime/async_op.hpp"
#include "engine/runtime/atomic_op.hpp"

namespace warpwright::engine {

SharedPlace peer_place(const BlockContext* c, std::uint32_t rank, std::uint64_t offset, std::uint64_t bytes) {
    const auto& members = c->cluster->members;
    if (rank >= members.size()) return {};
    auto* owner = &members[rank]->context;
    if (!covers(0, owner->shared_size, offset, bytes)) return {};
    return {owner->shared + offset, owner, offset};
}

SharedPlace shared_place(BlockContext* c, std::uint64_t address, bool generic, std::uint64_t bytes) {
    if (generic) {
        if (address - c->shared_window < kSharedWindows)
            address -= c->shared_window;
        else if (address >= kWindowBytes)
            return {};
    }
    address &= 0xffffffffu;
    const auto rank = static_cast<std::uint32_t>(address / kWindowBytes);
    const auto offset = address % kWindowBytes;
    if (rank) return peer_place(c, rank - 1, offset, bytes);
    if (!covers(0, c->shared_size, offset, bytes)) return {};
    return {c->shared + offset, c, offset};
}

bool async_fault(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane, const std::string& what,
                 Cause cause) {
    auto& launch = c->executor->launch;
    launch.fail({ErrorKind::fault, form.ptx->spelling() + ": " + what + ", by " + thread_text(*c, *f, lane),
                 location(*launch.code->module, form.ptx), "", cause});
    return false;
}

void end_cluster_phase(ClusterState& cluster, std::uint64_t frame_bytes) {
    bool any = false;
    for (auto* m : cluster.members)
        for (std::size_t w = 0; w < m->states.size(); ++w) {
            const auto* f = m->frame(w, frame_bytes);
            if (f->live & ~f->cluster_arrived) return;
            any |= f->live != 0;
        }
    if (!any) return;
    cluster.word ^= std::uint64_t{1} << 63;
    if (cluster.members[0]->check) check_cluster_over(cluster);
    for (auto* m : cluster.members)
        for (std::size_t w = 0; w < m->states.size(); ++w) m->frame(w, frame_bytes)->cluster_arrived = 0;
}

bool run_cluster_arrive(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t*,
                        std::uint64_t*) {
    if (const auto again = f->cluster_arrived & mask)
        return async_fault(c, f, form, static_cast<unsigned>(std::countr_zero(again)),
                           "arrives a second time without waiting in between", Cause::barrier);
    f->cluster_arrived |= mask;
    if (c->check) check_cluster_arrive(c, f, mask);
    f->cluster_phase = static_cast<std::uint32_t>(c->cluster->word >> 63);
    return true;
}

/// st.async and red.async: [address, offset, values..., mbarrier, offset].
bool run_remote_store(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in,
                      std::uint64_t*) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const unsigned values = form.inputs - 4, bytes = form.element_bytes;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto to = shared_place(c, in[l] + in[lanes + l], !form.shared, std::uint64_t{bytes} * values);
        if (!to.host)
            return async_fault(c, f, form, l, "its target is not in the cluster's shared memory", Cause::out_of_bounds);
        if (to.offset % (std::uint64_t{bytes} * values) != 0)
            return async_fault(c, f, form, l, "its target is misaligned", Cause::misaligned);
        for (unsigned v = 0; v < values; ++v) {
            const auto x = in[(2 + v) * lanes + l];
            if (form.ptx->op == ptx::Op::red)
                apply_atomic(static_cast<AtomicOp>(form.operation), bytes, to.host + v * bytes, x, 0, true);
            else
                std::memcpy(to.host + v * bytes, &x, bytes);
        }
        const auto barrier =
            shared_place(c, in[(2 + values) * lanes + l] + in[(3 + values) * lanes + l], !form.shared, 8);
        if (c->check && barrier.host)
            checked_agent_write(c, f, form.site, to.owner, to.offset, std::uint64_t{bytes} * values, l, barrier.owner,
                                barrier.offset);
        if (!complete_bytes(c, f, form, l, barrier, std::uint64_t{bytes} * values)) return false;
    }
    return true;
}

bool run_nothing(BlockContext*, WarpFrame*, const AsyncForm&, std::uint64_t, const std::uint64_t*, std::uint64_t*) {
    return true;
}

/// As run(), a cluster at a time: its blocks take turns until all have ended. Only where none of them can go on, and
/// none has merely stepped aside, is it a deadlock.
void Executor::run_clusters(std::atomic<std::uint64_t>& next, std::uint64_t count) {
    struct Group {
        ClusterState state;
        std::vector<std::unique_ptr<ResidentBlock>> blocks;
        std::vector<bool> done;
    };
    const auto& n = launch.cluster;
    const std::uint32_t clusters[3] = {launch.grid[0] / n[0], launch.grid[1] / n[1], launch.grid[2] / n[2]};
    const std::size_t size = std::size_t{n[0]} * n[1] * n[2];
    std::deque<std::unique_ptr<Group>> parked;
    std::vector<std::unique_ptr<Group>> spare;
    auto start = [&](std::uint64_t index) {
        std::unique_ptr<Group> g;
        if (!spare.empty()) {
            g = std::move(spare.back());
            spare.pop_back();
        } else {
            g = std::make_unique<Group>();
            for (std::size_t r = 0; r < size; ++r) g->blocks.push_back(std::make_unique<ResidentBlock>());
        }
        std::uint32_t at[3];
        block_position(index, clusters, at);
        g->state.word = 0;
        g->state.arrived.clear();
        g->state.over = nullptr;
        g->state.members.clear();
        g->done.assign(size, false);
        for (std::uint32_t r = 0; r < size; ++r) {
            std::uint32_t inside[3];
            block_position(r, n, inside);
            std::uint64_t place = 0;
            for (int k = 2; k >= 0; --k) place = place * launch.grid[k] + std::uint64_t{at[k]} * n[k] + inside[k];
            auto& block = *g->blocks[r];
            prepare(block, place);
            auto& c = block.context;
            for (int k = 0; k < 3; ++k) c.clusterid[k] = at[k], c.cluster_ctaid[k] = inside[k];
            c.cluster_rank = r;
            c.cluster = &g->state;
            g->state.members.push_back(&block);
        }
        return g;
    };
    bool more = true, over = false;
    std::uint64_t turn = 0;
    while (!launch.stop && !over) {
        std::unique_ptr<Group> group;
        if (more && (parked.empty() || turn++ % 2 == 0)) {
            const auto index = next.fetch_add(1, std::memory_order_relaxed);
            if (index < count)
                group = start(index);
            else
                more = false;
        }
        if (!group) {
            if (parked.empty()) {
                if (!more) return;
                continue;
            }
            group = std::move(parked.front());
            parked.pop_front();
        }
        for (bool aside = false; !over && !aside;) {
            const auto before = ran_;
            bool spins = false, all = true;
            ResidentBlock* waits = nullptr;
            for (std::size_t r = 0; r < size && !over; ++r) {
                if (group->done[r]) continue;
                switch (step(*group->blocks[r])) {
                    case Outcome::finished:
                        group->done[r] = true;
                        run_work(*group->blocks[r], true);
                        continue;
                    case Outcome::parked:
                        spins = true;
                        run_work(*group->blocks[r], false);
                        break;
                    case Outcome::stuck:
                        waits = group->blocks[r].get();
                        break;
                    case Outcome::stopped:
                        over = true;
                        break;
                }
                all = false;
            }
            if (over || all) break;
            if (spins)
                aside = true;  // it may be for another cluster that they look
            else if (ran_ == before) {
                deadlock(*waits);
                over = true;
            }
        }
        const bool done = !over && std::all_of(group->done.begin(), group->done.end(), [](bool d) { return d; });
        if (done)
            spare.push_back(std::move(group));
        else
            parked.push_back(std::move(group));
    }
    for (const auto& g : parked)
        for (const auto& b : g->blocks) name_loops(*b);
    for (const auto& g : parked)
        for (const auto& b : g->blocks) unwind(*b);
}

}  // namespace warpwright::engine

// Clusters at run time: addresses of shared memory across the blocks of one, its barrier, stores that signal an
// mbarrier. (run/cluster_scheduler.cpp runs their blocks.)
#include <bit>
#include <cstring>

#include "engine/runtime/apply_atomic.hpp"
#include "engine/runtime/async_op.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/mbarrier.hpp"
#include "engine/runtime/texts.hpp"
#include "engine/shared/atomic_op.hpp"

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
    if (c->check) check_cluster_arrive(c, f, mask, *form.ptx);
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
            if (form.ptx->op == simt::Op::red)
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

}  // namespace warpwright::engine

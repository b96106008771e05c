// Bulk copies: between global and shared memory, and shared memory of other blocks of the cluster.
#include <bit>
#include <cstring>

#include "engine/runtime/access_fault.hpp"
#include "engine/runtime/bulk_parts.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/linked_access.hpp"
#include "engine/runtime/step_tracing.hpp"

namespace warpwright::engine {

using simt::Mod;

bool to_global(const simt::Details& i) {
    for (auto m : i.mods) {
        if (m == Mod::global) return true;
        if (m == Mod::shared_cluster || m == Mod::shared_cta) return false;
    }
    return false;
}

bool CopiedGlobal::reach(std::uint64_t address, std::uint64_t bytes, bool store) {
    if (found_.allows(address, bytes, store)) return true;
    const auto& launch = c_->executor->launch;
    const auto there = launch.memory->find(address);
    if (there && !launch.reaches(*there)) {
        async_fault(c_, f_, form_, lane_,
                    "global " + std::string(store ? "store" : "load") + " of " + std::to_string(bytes) + " bytes at " +
                        hex_text(address) + not_reached(launch, *there),
                    Cause::no_peer_access);
        return false;
    }
    if (there && there->allows(address, bytes, store)) {
        found_ = *there;
        return true;
    }
    const bool held = there && there->covers(address, bytes);
    if (!held && launch.memory->tolerates(address, bytes, store)) {
        note_past_end(c_, f_, launch.code->sites[form_.site + (store ? 1 : 0)], address, bytes, lane_);
        found_ = there.value_or(Allocation{});
        return true;
    }
    const auto what = "global " + std::string(store ? "store" : "load") + " of " + std::to_string(bytes) +
                      " bytes at " + hex_text(address);
    async_fault(
        c_, f_, form_, lane_,
        held    ? what + ", in constant memory or parameters, which kernels only read"
        : there ? "out-of-bounds " + what + ": reaches past the end of an allocation of " + std::to_string(there->bytes)
                : "out-of-bounds " + what + ", where no memory is allocated",
        held ? Cause::read_only : Cause::out_of_bounds);
    return false;
}

std::uint8_t* CopiedGlobal::at(std::uint64_t address, std::uint64_t bytes, bool store, const BulkBytes& bulk) {
    if (!reach(address, bytes, store)) return nullptr;
    if (bytes && found_.bytes)
        c_->executor->touched.note(found_, store ? TouchedMemory::kStored : TouchedMemory::kRead);
    if (c_->check && bytes)
        checked_global(c_, f_, form_.site + (store ? 1 : 0), address, bytes, lane_, store,
                       store && form_.ptx->op == simt::Op::cp_reduce_async_bulk, bulk);
    trace_copied(c_, address, bytes);
    if (form_.counted && c_->executor->launch.counters && bytes) {
        const std::uint64_t unit = c_->executor->launch.code->options.transaction_bytes;
        auto& site = c_->sites[form_.site + (store ? 1 : 0)];
        site.passes += (address + bytes - 1) / unit - address / unit + 1;
        if (c_->executor->launch.code->options.linked && in_other_device(c_, address))
            site.linked += (address + bytes - 1) / 32 - address / 32 + 1;
    }
    return reinterpret_cast<std::uint8_t*>(address);
}

std::vector<CopyTarget> copy_targets(BlockContext* c, const AsyncForm& form, const SharedPlace& to,
                                     const SharedPlace& barrier, std::uint64_t mask, std::uint64_t bytes) {
    if (!form.multicast || !to.host || !barrier.host) return {{to, barrier}};
    std::vector<CopyTarget> out;
    for (auto rest = mask & 0xffff; rest; rest &= rest - 1) {
        const auto rank = static_cast<std::uint32_t>(std::countr_zero(rest));
        out.push_back({peer_place(c, rank, to.offset, bytes), peer_place(c, rank, barrier.offset, 8)});
    }
    return out;
}

namespace {

/// One lane's bulk copy: [to, offset, from, offset, size], and for loads the mbarrier, its offset and the multicast's
/// mask.
struct BulkCopy {
    BlockContext* c;
    WarpFrame* f;
    const AsyncForm& form;
    unsigned lane;
    std::uint64_t to, from, bytes;
    bool reduces;

    bool fault(const std::string& what, Cause cause) const { return async_fault(c, f, form, lane, what, cause); }
    bool outside(std::uint64_t shared) const {
        return fault(std::to_string(bytes) + " bytes at shared address " + hex_text(shared & 0xffffffffu) +
                         " are out of bounds: the block has " + std::to_string(c->shared_size),
                     Cause::out_of_bounds);
    }
    Reduction combine() const { return {static_cast<AtomicOp>(form.operation), form.element_bytes}; }

    bool aligned() const {
        if (bytes % 16 != 0)
            return fault("the size is " + std::to_string(bytes) + " bytes, no multiple of 16", Cause::invalid_operand);
        if (to % 16 != 0)
            return fault("the target at " + hex_text(to) + " is not aligned to 16 bytes", Cause::misaligned);
        if (from % 16 != 0)
            return fault("the source at " + hex_text(from) + " is not aligned to 16 bytes", Cause::misaligned);
        return true;
    }

    // A copy of no bytes asks nothing of its places; its mbarrier learns of it.
    bool store() const {
        if (bytes == 0) return true;
        const auto source = shared_place(c, from & 0xffffffffu, false, bytes);
        if (!source.host) return outside(from);
        CopiedGlobal global(c, f, form, lane);
        const bool carried = !reduces && source.owner == c;
        auto* target = global.at(to, bytes, true, {carried, reduces ? nullptr : source.host});
        if (!target) return false;
        if (c->check && source.owner == c)
            checked_proxy_read(c, f, form.site, source.offset, bytes, lane, bulk_store_stamp(c, f), carried);
        if (c->check && carried) check_carried(c, to, source.owner, source.offset, bytes, true);
        if (reduces)
            combine()(target, source.host, bytes, false);
        else
            std::memcpy(target, source.host, bytes);
        return true;
    }

    bool load(bool from_shared, std::uint64_t barrier_at, std::uint64_t ranks) const {
        const auto place = shared_place(c, to & 0xffffffffu, false, bytes),
                   barrier = shared_place(c, barrier_at & 0xffffffffu, false, 8);
        CopiedGlobal global(c, f, form, lane);
        const auto shared = from_shared ? shared_place(c, from & 0xffffffffu, false, bytes) : SharedPlace{};
        const std::uint8_t* source = bytes == 0    ? nullptr
                                     : from_shared ? shared.host
                                                   : global.at(from, bytes, false, {.carried = !reduces});
        if (!source && bytes) return from_shared ? outside(from) : false;
        for (const auto& t : copy_targets(c, form, place, barrier, ranks, bytes)) {
            if (bytes == 0) {
                if (!complete_bytes(c, f, form, lane, t.barrier, 0)) return false;
                continue;
            }
            if (!t.to.host) return outside(to);
            if (c->check && from_shared && shared.owner == c && t.barrier.host)
                checked_proxy_read(c, f, form.site, shared.offset, bytes, lane,
                                   mbarrier_stamp(t.barrier.owner, t.barrier.offset), true);
            if (c->check && t.barrier.host)
                checked_agent_write(c, f, form.site + 1, t.to.owner, t.to.offset, bytes, lane, t.barrier.owner,
                                    t.barrier.offset, {.from = reduces ? nullptr : source});
            if (c->check && !from_shared && !reduces) check_carried(c, from, t.to.owner, t.to.offset, bytes, false);
            if (reduces)
                combine()(t.to.host, source, bytes, true);
            else
                std::memmove(t.to.host, source, bytes);
            if (!complete_bytes(c, f, form, lane, t.barrier, bytes)) return false;
        }
        return true;
    }
};

}  // namespace

bool run_bulk(BlockContext* c, WarpFrame* f, const AsyncForm& form, std::uint64_t mask, const std::uint64_t* in,
              std::uint64_t*) {
    const auto& i = *form.ptx;
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const bool reduces = i.op == simt::Op::cp_reduce_async_bulk, store = to_global(i),
               from_shared = i.mods.size() > 1 && !store && !i.has(Mod::global);
    if (reduces && store && !wait_for_order(c)) return false;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const auto value = [&](unsigned k) { return in[k * lanes + l]; };
        const BulkCopy copy{c, f, form, l, value(0) + value(1), value(2) + value(3), value(4) & 0xffffffffu, reduces};
        if (!copy.aligned()) return false;
        if (store ? !copy.store() : !copy.load(from_shared, value(5) + value(6), form.multicast ? value(7) : 0))
            return false;
    }
    return true;
}

}  // namespace warpwright::engine

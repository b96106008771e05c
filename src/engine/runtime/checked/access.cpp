// Accesses under the checkers, lane by lane: bounds, alignment, uninitialised reads, and races. A wrong access is
// recorded and skipped, and the launch continues.
#include <atomic>
#include <cstring>

#include "engine/runtime/access_fault.hpp"
#include "engine/runtime/apply_atomic.hpp"
#include "engine/runtime/checked/access_in_order.hpp"
#include "engine/runtime/checked/array_names.hpp"
#include "engine/runtime/checked/async_runs.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/checked/race.hpp"
#include "engine/runtime/checked/stored_value.hpp"
#include "engine/runtime/kernel_memory.hpp"
#include "engine/runtime/lane_memory.hpp"
#include "engine/runtime/local_move.hpp"
#include "engine/shared/atomic_op.hpp"

namespace warpwright::engine {

using namespace checked_access;

namespace {

void report_bad(BlockContext* c, WarpFrame* f, const SiteInfo& info, simt::Space space, std::uint64_t address,
                unsigned bytes, unsigned lane) {
    auto& launch = launch_of(c);
    if (!launch.memory) return;
    if (launch.collector->again(wrong_kind(c, info, space, address, bytes), info.ptx, nullptr)) return;
    auto wrong = wrong_access(c, f, info, space, address, bytes);
    auto found = finding_at(c, f, lane, wrong.kind, info.ptx);
    const bool elsewhere = wrong.far && !launch.device->in_range(address);
    if (elsewhere && launch.is_host_memory && launch.is_host_memory(address)) in_host_memory(wrong);
    wrong.put_into(found, address, bytes);
    launch.collector->add(std::move(found), info.ptx, nullptr);
}

void report_unwritten(BlockContext* c, WarpFrame* f, const SiteInfo& info, bool in_shared, std::uint64_t address,
                      unsigned bytes, unsigned lane) {
    auto& launch = launch_of(c);
    if (launch.collector->again(FindingKind::uninitialised, info.ptx, nullptr)) return;
    auto found = finding_at(c, f, lane, FindingKind::uninitialised, info.ptx);
    found.space = in_shared ? "shared" : "global";
    found.address = address;
    found.bytes = bytes;
    found.at.access = std::string(access_name(info)) + " of " + bytes_text(bytes);
    std::optional<Allocation> near;
    if (!in_shared) near = launch.device->find(address);
    if (near) found.allocation = {near->address, near->bytes};
    found.array = array_of(c->executor->launch, found.space, address, near, info);
    found.message = found.space + " " + found.at.access + " at " +
                    (in_shared ? "offset " + std::to_string(address) : hex_text(address)) + in_brackets(found.array) +
                    " of memory that was never written, by " + found.at.thread_text();
    launch.collector->add(std::move(found), info.ptx, nullptr);
}

/// Memory that a lane may access: its shadow, its address there, and the host's.
struct Target {
    std::uint8_t* host = nullptr;
    shadow::Shadow* shadow = nullptr;
    std::uint64_t at = 0;
    CheckBlock* owner = nullptr;  ///< shared memory: whose
};

/// An access to the shared memory of another block of the cluster.
void reach_peer(BlockContext* c, WarpFrame* f, const SiteInfo& info, unsigned lane, const Target& t) {
    for (auto* m : c->cluster->members)
        if (m->check.get() == t.owner) check_peer_access(c, f, info, lane, m->context);
}

/// False where the access is wrong; it is then recorded.
bool target_of(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info, const Resolved& r,
               unsigned bytes, unsigned lane, Target& t) {
    bool good = (r.address & (bytes - 1)) == 0;
    if (r.space == simt::Space::shared) {
        if (r.peer) {
            const auto rank = static_cast<std::uint32_t>([&] {
                for (std::size_t k = 0; k < c->cluster->members.size(); ++k) {
                    auto* m = &c->cluster->members[k]->context;
                    if (static_cast<std::uint64_t>(r.peer - m->shared) <= m->shared_size) return k;
                }
                return c->cluster->members.size();
            }());
            auto* owner = &c->cluster->members[rank]->context;
            const auto offset = static_cast<std::uint64_t>(r.peer - owner->shared);
            good = good && covers(0, owner->shared_size, offset, bytes);
            t = {r.peer, checked(owner).shared.get(), offset, &checked(owner)};
        } else if (r.address < kWindowBytes) {
            good = good && covers(0, c->shared_size, r.address, bytes);
            t = {c->shared + r.address, checked(c).shared.get(), r.address, &checked(c)};
        } else {
            // A 32-bit address in the window of another block of the cluster.
            const auto place = shared_place(c, r.address, false, bytes);
            good = good && place.host;
            if (place.host) t = {place.host, checked(place.owner).shared.get(), place.offset, &checked(place.owner)};
        }
    } else {
        auto& site = c->sites[index];
        if (!covers(site.found, site.found_bytes, r.address, bytes)) {
            auto found = c->executor->launch.find(r.address);
            good = good && found && found->allows(r.address, bytes, writes(info));
            // The host's own memory, which kernels may reach when it is registered, has a shadow of its own or none.
            if (auto* device = launch_of(c).device; good && !device->in_range(r.address)) {
                auto* host = reinterpret_cast<std::uint8_t*>(r.address);
                t = {host, device->host_shadow(r.address), r.address, nullptr};
                return true;
            }
            if (good) site.found = found->address, site.found_bytes = found->bytes;
        }
        t = {reinterpret_cast<std::uint8_t*>(r.address), launch_of(c).shadow, r.address, nullptr};
    }
    if (!good) report_bad(c, f, info, r.space, r.address, bytes, lane);
    if (good && t.owner && t.owner != &checked(c)) reach_peer(c, f, info, lane, t);
    return good;
}

/// The object at a place through which threads synchronise. Objects in shared memory belong to its block, and need no
/// lock.
template <class Use>
void with_object(BlockContext* c, const Target& t, Use&& use) {
    auto& launch = launch_of(c);
    if (t.owner) {
        use(t.owner->objects, t.at);
        return;
    }
    auto& shard = launch.shard(t.at);
    std::lock_guard lock(shard.mutex);
    use(shard.objects, t.at);
}

/// Does a strong read or write, `access`, and records its effect on happens-before. Both happen as one step for
/// other blocks, which run on other host threads: a value seen without the order that came with it would look like a
/// race.
template <class Access>
void hand_over(BlockContext* c, WarpFrame* f, const SiteInfo& info, const Target& t, unsigned lane, bool reads,
               bool writes, Access&& access) {
    auto& b = checked(c);
    auto& launch = launch_of(c);
    const auto from = reinterpret_cast<std::uint64_t>(t.host);
    if (!writes && !t.owner && launch.objects.load(std::memory_order_acquire) == 0) {
        access();
        // Nothing has been released here yet, so the value was not released either.
        std::atomic_thread_fence(std::memory_order_acquire);
        if (launch.objects.load(std::memory_order_acquire) == 0) return;
    }
    const bool wide = info.strength >= shadow::kStrong;
    with_object(c, t, [&](auto& objects, std::uint64_t key) {
        auto found = objects.find(key);
        if (!writes) access();
        if (reads && found != objects.end()) {
            const auto take = [&](const shadow::Node* n) {
                if (!n) return;
                b.met |= n->outside || n->block != b.clock.block();
                if (info.acquire)
                    b.clock.acquire(f->warp, 1u << lane, from, n);
                else
                    b.clock.see(f->warp, lane, from, n);
            };
            // Of two releases the narrower implies at least as much order for its own block.
            if (found->second.local && found->second.block == b.clock.block())
                take(found->second.local);
            else if (wide)
                take(found->second.wide);
        }
        if (!writes) return;
        const auto* old_wide = found != objects.end() && reads ? found->second.wide : nullptr;
        const auto* old_local =
            found != objects.end() && reads && found->second.block == b.clock.block() ? found->second.local : nullptr;
        SyncObject fresh;
        fresh.block = b.clock.block();
        if (info.release) {
            fresh.local = b.clock.release(f->warp, 1u << lane, old_local ? old_local : old_wide);
            if (info.wide) fresh.wide = fresh.local;
        } else {
            if (wide) fresh.wide = b.clock.release_fenced(f->warp, lane, true, old_wide);
            fresh.local = b.clock.release_fenced(f->warp, lane, false, old_local ? old_local : old_wide);
        }
        if (fresh.wide || fresh.local) {
            if (!fresh.wide) fresh.wide = old_wide;
            objects[key] = fresh;
            if (!t.owner) launch.objects.fetch_add(1, std::memory_order_seq_cst);
        } else if (!reads && found != objects.end()) {
            objects.erase(found);  // a plain store ends the release before it
        }
        access();
    });
}
/// A lane's access to its own memory; what is read of a wrong address is 0.
template <class Element>
void move_local(BlockContext* c, WarpFrame* f, const SiteInfo& info, const Resolved& r, unsigned lanes, unsigned l,
                const Element& element, bool store) {
    const unsigned total = info.bytes * info.count;
    const bool good = (r.address & (total - 1)) == 0 && covers(0, f->local_size, r.address, total);
    if (!good) report_bad(c, f, info, r.space, r.address, total, l);
    for (unsigned e = 0; e < info.count; ++e) {
        if (good)
            local_copy(f, lanes, l, r.address + e * info.bytes, element(e), info.bytes, store);
        else if (!store)
            std::memset(element(e), 0, info.bytes);
    }
}

/// Marks what a lane writes as initialised, or reports what it reads of memory that nothing has written.
void check_initialised(BlockContext* c, WarpFrame* f, const SiteInfo& info, const Target& t, unsigned l, bool store) {
    const unsigned total = info.bytes * info.count;
    if (store) {
        t.shadow->set_written(t.at, total);
    } else if (!t.shadow->is_written(t.at, total)) {
        for (unsigned e = 0; e < info.count; ++e)
            if (!(info.copied >> e & 1) && !t.shadow->is_written(t.at + e * info.bytes, info.bytes))
                report_unwritten(c, f, info, t.owner != nullptr, t.at + e * info.bytes, info.bytes, l);
    }
}

/// A lane's store to shared or device memory: whether it changed anything.
template <class Element>
bool store_checked(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info, const Target& t,
                   unsigned l, const Element& element) {
    if (!t.owner) ++checked(c).global_changes;
    const StoredValue same{t.host, info.bytes, info.count, !info.rounded, element};
    const bool changed = !same();
    const auto put = [&] {
        for (unsigned e = 0; e < info.count; ++e) kernel_memory::store(t.host + e * info.bytes, element(e), info.bytes);
    };
    if (launch_of(c).race && checked(c).race && t.shadow) {
        const auto a = make_access(c, f, index, l, t.owner != nullptr);
        race_write(*t.shadow, a, t.at, info.bytes * info.count, same, a.mine, a.side);
        info.strength ? hand_over(c, f, info, t, l, false, true, put) : put();
    } else {
        put();
    }
    return changed;
}

template <class Element>
void load_checked(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info, const Target& t, unsigned l,
                  const Element& element) {
    const auto get = [&] {
        for (unsigned e = 0; e < info.count; ++e) kernel_memory::load(element(e), t.host + e * info.bytes, info.bytes);
    };
    if (launch_of(c).race && checked(c).race && t.shadow) {
        const auto a = make_access(c, f, index, l, t.owner != nullptr);
        race_read(*t.shadow, a, t.at, info.bytes * info.count);
        info.strength ? hand_over(c, f, info, t, l, true, false, get) : get();
    } else {
        get();
    }
}

/// Volatile and relaxed loads of device memory while nothing has been handed over by anybody: the lanes from the lowest
/// on whose words are in order, as race_read() records them. Returns those lanes.
template <class Element>
std::uint64_t load_strong(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info,
                          const std::uint64_t* addresses, std::uint64_t mask, const Element& element) {
    auto& launch = launch_of(c);
    const unsigned total = info.bytes * info.count;
    if (!launch.race || !checked(c).race || info.unused || total % 4 || total >= shadow::Shadow::kLine ||
        launch.objects.load(std::memory_order_acquire) != 0)
        return 0;
    std::uint64_t at[64], good = 0;
    const auto each = [](std::uint64_t lanes, auto&& use) {
        for (; lanes; lanes &= lanes - 1) use(static_cast<unsigned>(__builtin_ctzll(lanes)));
    };
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        const auto r = resolve(c, info.space, addresses[l]);
        if (r.space != simt::Space::global || (r.address & (total - 1)) ||
            !within_allocation(c, index, r.address, total, false) ||
            (launch.init && !launch.shadow->is_element_written(r.address, total)))
            break;
        at[l] = r.address;
        good |= std::uint64_t{1} << l;
    }
    auto a = accessor(c, f, index, false, false);
    a.side = shadow::side_of(index, info.strength);
    good = launch.shadow->note_lanes(at, good, total, a);
    const auto get = [&](unsigned l) {
        for (unsigned e = 0; e < info.count; ++e)
            kernel_memory::load(element(l, e), reinterpret_cast<const std::uint8_t*>(at[l] + e * info.bytes),
                                info.bytes);
    };
    each(good, get);
    std::atomic_thread_fence(std::memory_order_acquire);
    // Something was handed over meanwhile: the values may have come with it.
    if (launch.objects.load(std::memory_order_acquire) != 0)
        each(good, [&](unsigned l) {
            const Target t{reinterpret_cast<std::uint8_t*>(at[l]), launch.shadow, at[l], nullptr};
            hand_over(c, f, info, t, l, true, false, [&] { get(l); });
        });
    return good;
}

}  // namespace

bool checked_move(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info,
                  const std::uint64_t* addresses, std::uint64_t mask, void* data, bool store) {
    auto& launch = launch_of(c);
    auto& block = checked(c);
    const unsigned lanes = c->executor->launch.code->options.block.lanes, total = info.bytes * info.count;
    auto* bytes = static_cast<std::uint8_t*>(data);
    bool changed = false;
    if (store && f->waits) block.warps[f->warp].passed |= mask;
    if (in_local_memory(c, info, addresses, mask) && local_move(c, f, info, addresses, mask, data, store)) return true;
    const auto place = [&](unsigned l, unsigned e) { return bytes + (std::uint64_t{e} * lanes + l) * info.bytes; };
    auto rest = mask & ~move_in_order(c, f, index, info, addresses, mask, bytes, store);
    if (info.strength && !store) rest &= ~load_strong(c, f, index, info, addresses, rest, place);
    for (; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        const auto r = resolve(c, info.space, addresses[l]);
        const auto element = [&](unsigned e) { return place(l, e); };
        if (r.space == simt::Space::local) {
            move_local(c, f, info, r, lanes, l, element, store);
            continue;
        }
        Target t;
        if (!target_of(c, f, index, info, r, total, l, t)) {
            for (unsigned e = 0; e < info.count && !store; ++e) std::memset(element(e), 0, info.bytes);
            continue;
        }
        if (launch.init && t.shadow) check_initialised(c, f, info, t, l, store);
        if (store)
            changed |= store_checked(c, f, index, info, t, l, element);
        else
            load_checked(c, f, index, info, t, l, element);
    }
    block.changes += changed;
    return true;
}

namespace {

/// An atomic operation of one lane on its own memory; the value before it goes to `answer`, 0 of a wrong address.
template <class Value, class Answer>
void atomic_local(BlockContext* c, WarpFrame* f, const SiteInfo& info, const Resolved& r, unsigned lanes, unsigned l,
                  const Value& operands, const Answer& answer) {
    const unsigned total = info.bytes * info.count;
    const auto op = static_cast<AtomicOp>(info.operation);
    const bool good = (r.address & (total - 1)) == 0 && covers(0, f->local_size, r.address, total);
    if (!good) report_bad(c, f, info, r.space, r.address, total, l);
    for (unsigned e = 0; e < info.count; ++e) {
        std::uint64_t there = 0, old = 0;
        if (good) {
            local_copy(f, lanes, l, r.address + e * info.bytes, &there, info.bytes, false);
            const auto [b, third] = operands(e);
            old = apply_atomic(op, info.bytes, &there, b, third, true);
            local_copy(f, lanes, l, r.address + e * info.bytes, &there, info.bytes, true);
        }
        answer(e, old);
    }
}

}  // namespace

std::uint32_t checked_atomic(BlockContext* c, WarpFrame* f, std::uint32_t index, const std::uint64_t* addresses,
                             std::uint64_t mask, const void* b, const void* third, void* out) {
    auto& launch = launch_of(c);
    auto& block = checked(c);
    const auto& info = c->executor->launch.code->sites[index];
    const unsigned lanes = c->executor->launch.code->options.block.lanes, total = info.bytes * info.count;
    const auto op = static_cast<AtomicOp>(info.operation);
    if (f->waits) block.warps[f->warp].passed |= mask;
    const auto value = [&](const void* from, unsigned at) {
        std::uint64_t x = 0;
        std::memcpy(&x, static_cast<const std::uint8_t*>(from) + std::uint64_t{at} * info.bytes, info.bytes);
        return x;
    };
    bool changed = false;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        const auto r = resolve(c, info.space, addresses[l]);
        const auto answer = [&](unsigned e, std::uint64_t old) {
            std::memcpy(static_cast<std::uint8_t*>(out) + (std::uint64_t{e} * lanes + l) * info.bytes, &old,
                        info.bytes);
        };
        const auto operands = [&](unsigned e) {
            return std::pair(value(b, e * lanes + l), value(third, e * lanes + l));
        };
        if (r.space == simt::Space::local) {
            atomic_local(c, f, info, r, lanes, l, operands, answer);
            continue;
        }
        Target t;
        if (!target_of(c, f, index, info, r, total, l, t)) {
            for (unsigned e = 0; e < info.count; ++e) answer(e, 0);
            continue;
        }
        if (launch.init && t.shadow) {
            if (!t.shadow->is_written(t.at, total) && op != AtomicOp::exch)
                report_unwritten(c, f, info, t.owner != nullptr, t.at, total, l);
            t.shadow->set_written(t.at, total);
        }
        const auto apply = [&] {
            for (unsigned e = 0; e < info.count; ++e) {
                std::uint64_t before = 0, after = 0;
                const auto [x, y] = operands(e);
                const auto old = apply_atomic(op, info.bytes, t.host + e * info.bytes, x, y, t.owner != nullptr);
                std::memcpy(&before, &old, info.bytes);
                kernel_memory::load(&after, t.host + e * info.bytes, info.bytes);
                changed |= before != after;
                block.global_changes += !t.owner;
                answer(e, old);
            }
        };
        if (launch.race && block.race && t.shadow) {
            const auto a = make_access(c, f, index, l, t.owner != nullptr);
            race_write(*t.shadow, a, t.at, total, never_same, a.mine, a.side);
            hand_over(c, f, info, t, l, true, true, apply);
        } else {
            apply();
        }
    }
    block.changes += changed;
    return 1;
}

std::uint32_t checked_copy_async(BlockContext* c, WarpFrame* f, std::uint32_t index, const std::uint64_t* to,
                                 const std::uint64_t* from, const std::uint64_t* sizes, std::uint64_t mask) {
    auto& launch = launch_of(c);
    auto& block = checked(c);
    const auto& sites = c->executor->launch.code->sites;
    const auto &read = sites[index], &write = sites[index + 1];
    PendingCopy copy;
    copy.bytes = read.bytes;
    copy.side = shadow::side_of(index + 1, shadow::kWeak);
    for (auto rest = mask; rest;) {
        if (const auto done = copies_in_order(c, f, index, to, from, sizes, rest, copy)) {
            rest &= ~done;
            continue;
        }
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        rest &= rest - 1;
        const auto n = static_cast<unsigned>(std::min<std::uint64_t>(sizes[l], read.bytes));
        Target source, target;
        if (n && !target_of(c, f, index, read, resolve(c, read.space, from[l]), read.bytes, l, source)) continue;
        if (!target_of(c, f, index + 1, write, resolve(c, write.space, to[l]), write.bytes, l, target)) continue;
        if (launch.init) {
            // A copy carries over which bytes were written.
            target.shadow->set_written(target.at, read.bytes);
            if (n && source.shadow && !source.shadow->is_written(source.at, n))
                for (unsigned k = 0; k < n; ++k)
                    if (!source.shadow->is_written(source.at + k, 1)) target.shadow->clear_written(target.at + k, 1);
        }
        if (launch.race && block.race) {
            if (n && source.shadow)
                race_read(*source.shadow, make_access(c, f, index, l, source.owner != nullptr), source.at, n);
            const auto a = make_access(c, f, index + 1, l, true);
            const auto leaves = a.mine | shadow::kAgent;
            race_write(*target.shadow, a, target.at, read.bytes, never_same, leaves, copy.side);
            target.shadow->calm_agent(target.at, read.bytes);
            if (target.owner == &block && l < 32) {
                copy.lanes |= std::uint64_t{1} << l;
                copy.to[l] = target.at;
                copy.stamp[l] = leaves;
            }
        }
        if (n) std::memcpy(target.host, source.host, n);
        std::memset(target.host + n, 0, read.bytes - n);
    }
    if (copy.lanes) block.warps[f->warp].open.push_back(copy);
    ++block.changes;
    return 1;
}

void checked_shared_read(BlockContext* c, WarpFrame* f, std::uint32_t site, std::uint64_t offset, std::uint64_t bytes,
                         unsigned lane, bool carried, Stamp leaves) {
    auto& launch = launch_of(c);
    auto& block = checked(c);
    if (!covers(0, block.shared_bytes, offset, bytes)) return;
    const auto& info = c->executor->launch.code->sites[site];
    if (launch.init && !carried && !block.shared->is_written(offset, bytes))
        report_unwritten(c, f, info, true, offset, static_cast<unsigned>(bytes), lane);
    if (launch.race && block.race) race_read(*block.shared, make_access(c, f, site, lane, true), offset, bytes, leaves);
}

void checked_shared_write(BlockContext* c, WarpFrame* f, std::uint32_t site, BlockContext* owner, std::uint64_t offset,
                          std::uint64_t bytes, unsigned lane) {
    auto& launch = launch_of(c);
    auto& block = checked(owner);
    if (launch.init) block.shared->set_written(offset, bytes);
    ++checked(c).changes;
    if (!launch.race || !checked(c).race) return;
    const auto a = make_access(c, f, site, lane, true);
    race_write(*block.shared, a, offset, bytes, never_same, a.mine, a.side);
}

void checked_global(BlockContext* c, WarpFrame* f, std::uint32_t site, std::uint64_t address, std::uint64_t bytes,
                    unsigned lane, bool store, bool atomic, const BulkBytes& bulk) {
    auto& launch = launch_of(c);
    auto& shadow = *launch.shadow;
    if (!launch.device->in_range(address)) return;
    const auto& info = c->executor->launch.code->sites[site];
    if (launch.init) {
        if ((!store || atomic) && !bulk.carried && !shadow.is_written(address, bytes))
            report_unwritten(c, f, info, false, address, static_cast<unsigned>(bytes), lane);
        if (store) shadow.set_written(address, bytes);
    }
    checked(c).changes += store;
    checked(c).global_changes += store;
    if (!launch.race || !checked(c).race) return;
    auto a = make_access(c, f, site, lane, false);
    if (!store) return race_read(shadow, a, address, bytes);
    SiteInfo strong;
    if (atomic) {
        strong = info;
        strong.strength = shadow::kStrong;
        a.info = &strong;
        a.side = shadow::side_of(site, shadow::kStrong);
    }
    if (bulk.from)
        race_write(shadow, a, address, bytes, bulk.same_as(reinterpret_cast<const std::uint8_t*>(address)), a.mine,
                   a.side);
    else
        race_write(shadow, a, address, bytes, never_same, a.mine, a.side);
}

void check_carried(BlockContext* c, std::uint64_t address, BlockContext* owner, std::uint64_t offset,
                   std::uint64_t bytes, bool to_global) {
    auto& launch = launch_of(c);
    if (!launch.init || !launch.device->in_range(address)) return;
    auto *to = checked(owner).shared.get(), *from = launch.shadow;
    auto to_at = offset, from_at = address;
    if (to_global) std::swap(to, from), std::swap(to_at, from_at);
    if (!to || !from || from->is_written(from_at, bytes)) return;
    for (std::uint64_t k = 0; k < bytes; ++k)
        if (!from->is_written(from_at + k, 1)) to->clear_written(to_at + k, 1);
}

void checked_agent_write(BlockContext* c, WarpFrame* f, std::uint32_t site, BlockContext* owner, std::uint64_t offset,
                         std::uint64_t bytes, unsigned lane, BlockContext* barrier_owner, std::uint64_t barrier_offset,
                         const BulkBytes& bulk) {
    auto& launch = launch_of(c);
    auto& block = checked(owner);
    if (launch.init) block.shared->set_written(offset, bytes);
    ++checked(c).changes;
    if (!launch.race || !checked(c).race || !block.race) return;
    // The copy comes after its thread's earlier work, and is ordered before the threads that wait for the mbarrier.
    auto a = make_access(c, f, site, lane, true);
    a.bulk = bulk.from != nullptr;
    const auto leaves = mbarrier_stamp(barrier_owner, barrier_offset);
    const auto side = shadow::side_of(site, shadow::kStrongBlock);
    if (bulk.from)
        race_write(*block.shared, a, offset, bytes, bulk.same_as(owner->shared + offset), leaves, side);
    else
        race_write(*block.shared, a, offset, bytes, never_same, leaves, side);
    block.shared->calm_agent(offset, bytes);
}

}  // namespace warpwright::engine

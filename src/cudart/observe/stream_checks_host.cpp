// The host's own part in the order of work: memory that it changes under a copy to the device, and memory that it uses
// under a copy to the host. The first shows when the host has waited, the second when it touches what is closed to it.
#include <fmt/format.h>

#include <algorithm>

#include "cudart/observe/host_guard.hpp"
#include "cudart/observe/host_places.hpp"
#include "cudart/observe/stream_checks.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/stream.hpp"
#include "support/content_hash.hpp"

namespace warpwright::cudart {

namespace {

/// What the source of a copy holds.
std::string contents(const Copy& copy) {
    ContentHasher hash;
    for (std::size_t z = 0; z < copy.depth; ++z)
        for (std::size_t y = 0; y < copy.height; ++y)
            hash.add(
                {reinterpret_cast<const char*>(copy.from.at + z * copy.from.slice + y * copy.from.pitch), copy.width});
    return hash.digest();
}

}  // namespace

void StreamChecks::queuing(const Copy& copy) {
    const auto block = MemoryTable::get().find(copy.to.at);
    const bool page_locked =
        block && (block->kind == Block::Kind::pinned || (block->kind == Block::Kind::registered && !block->read_only));
    if (copy.kind == cudaMemcpyDeviceToHost && page_locked && copy.linear() && copy.bytes())
        HostGuard::get().close(reinterpret_cast<std::uint64_t>(copy.to.at), copy.bytes(), *block);
}

void StreamChecks::made(const Copy&) { HostGuard::get().close_again(); }

void StreamChecks::queued(const Copy& copy, const IssuedWork& by) {
    if (copy.kind == cudaMemcpyDeviceToHost) HostGuard::get().set_work(by);
    const auto block = MemoryTable::get().find(copy.from.at);
    // The device may write managed memory at any time.
    if (copy.kind != cudaMemcpyHostToDevice || !block ||
        (block->kind != Block::Kind::pinned && block->kind != Block::Kind::registered) || copy.bytes() == 0)
        return;
    constexpr std::size_t kMostSources = 256;
    const auto at = reinterpret_cast<std::uint64_t>(copy.from.at);
    std::lock_guard lock(mutex_);
    // What a copy to the host may still be writing has nothing that could be compared later.
    HostGuard::get().open_for_work(at, copy.bytes());
    if (sources_of_copies_.size() < kMostSources) sources_of_copies_.push_back({copy, by, contents(copy)});
    HostGuard::get().close_again();
}

void StreamChecks::report_touch_of_copy(const HostGuard::Touch& t) {
    const auto& by = *t.by.front();
    auto found = finding(record::FindingKind::race_host, t.address, t.bytes);
    found.at = host_place(t.stack).first;
    found.at.column = 0;
    found.at.access = HostGuard::access_name(t);
    found.other = call_place(by);
    found.other->access = "copy to the host";
    found.message = fmt::format(
        "the host {} {} while the copy to the host in {} may still write it: nothing has waited for the copy",
        t.write ? "writes" : "reads", found.allocated_as.empty() ? "page-locked memory" : found.allocated_as,
        stream_text(by));
    found.advice =
        "wait for the copy before the host uses the memory: cudaStreamSynchronize(), or an event behind the copy";
    Runtime::get().device()->finding_log()->add_finding(std::move(found));
}

/// The host has done nothing since it waited: what a source holds now it held before the wait was over.
void StreamChecks::host_waited() {
    host_goes_on();
    std::lock_guard lock(mutex_);
    take_touches();
    HostGuard::get().open_known([](const Issued& by) { return Scheduler::get().host_knows(by); });
    forget_touches();
    std::erase_if(sources_of_copies_, [&](const Source& s) {
        if (!Scheduler::get().host_knows(*s.by)) return false;
        const auto at = reinterpret_cast<std::uint64_t>(s.copy.from.at);
        if (contents(s.copy) == s.was) return true;
        const bool by_work = std::any_of(work_.begin(), work_.end(), [&](auto& w) {
            if (!w.marks.empty()) w.take(Runtime::get().device()->host_sharing()->accesses(w.marks));
            const auto use = w.in(at, s.copy.bytes());
            return use && use->second;
        });
        if (by_work) return true;
        auto found = finding(record::FindingKind::race_host, at, s.copy.bytes());
        found.at = call_place(*s.by);
        found.at.access = "copy to the device";
        found.message = fmt::format(
            "the host writes {} while the copy to the device in {} may still read it: nothing has waited for the copy",
            found.allocated_as.empty() ? "page-locked memory" : found.allocated_as, stream_text(*s.by));
        Runtime::get().device()->finding_log()->add_finding(std::move(found));
        return true;
    });
}

void StreamChecks::order_lost() {
    HostGuard::get().open_all();
    std::lock_guard lock(mutex_);
    take_touches();
    touched_.clear();
    sources_of_copies_.clear();
}

void StreamChecks::finish() {
    HostGuard::get().open_all();
    std::lock_guard lock(mutex_);
    take_touches();
}

void StreamChecks::host_told() {
    std::lock_guard lock(mutex_);
    take_touches();
    HostGuard::get().open_known([](const Issued& by) { return Scheduler::get().host_knows(by); });
    forget_touches();
    std::erase_if(sources_of_copies_, [](const Source& s) { return Scheduler::get().host_knows(*s.by); });
}

}  // namespace warpwright::cudart

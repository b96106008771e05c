// Each piece of work is compared with all other work that has run and is not ordered with it, whichever of the two ran
// first here. The findings name the one that the program queued later first.
#include "cudart/observe/stream_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cudart/memory/pageable.hpp"
#include "cudart/observe/host_guard.hpp"
#include "cudart/observe/host_places.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/launch/kernel_launch.hpp"
#include "cudart/work/stream/stream.hpp"
#include "support/demangle.hpp"
#include "text/counted.hpp"

namespace warpwright::cudart {

namespace {

using record::FindingKind;

/// More work than this is not kept: the oldest goes.
constexpr std::size_t kMostWork = 1024;

device::HostSharing& sharing() { return *Runtime::get().device()->host_sharing(); }

/// A kernel's name as a person writes it.
std::string short_name(const std::string& name) {
    std::string s = demangle(name);
    if (const auto open = s.rfind('('); open != std::string::npos) s.resize(open);
    return s.starts_with("void ") ? s.substr(5) : s;
}

/// "kernel fill in stream 3", "the copy in the default stream"
std::string text_of(const WorkAccesses& w) {
    const std::string what = w.kind == WorkAccesses::Kind::kernel          ? "kernel " + w.kernel
                             : w.kind == WorkAccesses::Kind::copy          ? "a copy"
                             : w.kind == WorkAccesses::Kind::host_function ? "a host function"
                                                                           : "a fill";
    return what + " in " + stream_text(*w.by) + (w.part.before ? " (a graph)" : "");
}

/// Libraries of ours use memory of their own in whatever stream they are called for; NVIDIA's have it for each.
void leave_out_libraries(WorkAccesses& w) {
    for (const auto& b : MemoryTable::get().of_libraries())
        for (auto* ranges : {&w.reads, &w.writes})
            std::erase_if(*ranges, [&](const auto& r) { return r.at >= b.address && r.at < b.address + b.bytes; });
}

/// " (launched at app.cu:20)"
std::string launched_at(const WorkAccesses& w) {
    if (w.kind != WorkAccesses::Kind::kernel) return "";
    const auto place = call_place(*w.by);
    return place.line ? ", launched at " + place.text() : "";
}

}  // namespace

StreamChecks& StreamChecks::get() {
    static auto* checks = new StreamChecks;
    return *checks;
}

/// Whether the work is a node of a graph that nothing orders with one before it.
static bool is_beside_another(const GraphPart& part) {
    if (!part.before) return false;
    for (std::uint32_t k = 0; k < part.number; ++k)
        if (k >= part.before->size() || !(*part.before)[k]) return true;
    return false;
}

bool StreamChecks::several() {
    if (several_) return true;
    if (Scheduler::get().streams_used() < 2 && !is_beside_another(current_part())) return false;
    several_ = true;
    sharing().keep_accesses(true);
    for (auto& w : work_)
        if (!w.marks.empty()) {
            w.take(sharing().accesses(w.marks));
            leave_out_libraries(w);
        }
    return true;
}

std::optional<WorkAccesses> StreamChecks::current() {
    if (!current_work() || !Scheduler::get().keeps_order()) return std::nullopt;
    WorkAccesses w;
    w.by = current_work();
    w.part = current_part();
    return w;
}

void StreamChecks::begins(const Launch&) {
    if (!current_work()) return;
    hold_back(current_work());
    HostGuard::get().begin_kernel();
    std::lock_guard lock(mutex_);
    (void)several();
}

void StreamChecks::ends(const Launch& launch) {
    if (current_work()) HostGuard::get().end_kernel();
    auto w = current();
    if (!w) return;
    w->kernel = short_name(launch.kernel->name);
    std::lock_guard lock(mutex_);
    w->marks = sharing().launch_marks();
    if (several_) {
        // It may have ended before a second stream came into use.
        auto accesses = sharing().last_accesses();
        w->take(accesses.empty() ? sharing().accesses(w->marks) : accesses);
    }
    leave_out_libraries(*w);
    take_touches();
    judge(touched_, *w);
    add(std::move(*w));
}

void StreamChecks::copying(const Copy& copy) {
    auto w = current();
    if (!w) return;
    w->kind = WorkAccesses::Kind::copy;
    // The program's ordinary memory is copied before the call returns, or the host waits.
    const auto side = [&](const Place& place, std::vector<AccessRange>& to) {
        if (is_pageable(place.at, 1) || !sharing().allocation(reinterpret_cast<std::uint64_t>(place.at))) return;
        for (std::size_t z = 0; z < copy.depth; ++z)
            for (std::size_t y = 0; y < copy.height; ++y) {
                const auto at = reinterpret_cast<std::uint64_t>(place.at) + z * place.slice + y * place.pitch;
                to.push_back({at, at + copy.width});
            }
    };
    side(copy.to, w->writes);
    side(copy.from, w->reads);
    w->finish();
    for (const auto* ranges : {&w->writes, &w->reads})
        for (const auto& r : *ranges) HostGuard::get().open_for_work(r.at, r.bytes());
    std::lock_guard lock(mutex_);
    (void)several();
    add(std::move(*w));
}

void StreamChecks::filling(const Fill& fill) {
    auto w = current();
    if (!w) return;
    w->kind = WorkAccesses::Kind::fill;
    w->value = fill.value;
    if (is_pageable(fill.to.at, 1)) return;
    for (std::size_t z = 0; z < fill.depth; ++z)
        for (std::size_t y = 0; y < fill.height; ++y) {
            const auto at = reinterpret_cast<std::uint64_t>(fill.to.at) + z * fill.to.slice + y * fill.to.pitch;
            w->writes.push_back({at, at + fill.width * fill.element});
        }
    w->finish();
    for (const auto& r : w->writes) HostGuard::get().open_for_work(r.at, r.bytes());
    std::lock_guard lock(mutex_);
    (void)several();
    add(std::move(*w));
}

void StreamChecks::copied(const char*, timeline::Work&) { HostGuard::get().close_again(); }

void StreamChecks::add(WorkAccesses w) {
    // Compared first: the host may have waited for a free behind which this work is ordered.
    if (several_) compare_with_memory(w);
    for (const auto& other : work_)
        if (several_ && !are_ordered(w, other)) compare(w, other);
    work_.push_back(std::move(w));
    if (several_ && (work_.size() >= look_at_ || !freed_.empty())) forget_settled();
    if (work_.size() <= kMostWork) return;
    work_.pop_front();
    sources_of_copies_.clear();  // it may have written one
}

void StreamChecks::forget_settled() {
    auto& scheduler = Scheduler::get();
    std::erase_if(work_, [&](const auto& w) { return scheduler.settled(*w.by); });
    std::erase_if(allocated_, [&](const auto& m) { return scheduler.settled(*m.by); });
    std::erase_if(freed_, [&](const auto& m) {
        if (!scheduler.settled(*m.by)) return false;
        (void)MemoryTable::get().give_back(m.block);
        return true;
    });
    look_at_ = std::max<std::size_t>(64, 2 * work_.size());
}

void StreamChecks::compare(const WorkAccesses& one, const WorkAccesses& other) {
    using Kind = WorkAccesses::Kind;
    if (one.kind == Kind::fill && other.kind == Kind::fill && one.value == other.value) return;
    // What orders two functions of the host's, such as a lock, is not seen.
    if (one.kind == Kind::host_function && other.kind == Kind::host_function) return;
    const bool first = one.by->sequence != other.by->sequence ? one.by->sequence < other.by->sequence
                                                              : one.part.number < other.part.number;
    const auto &early = first ? one : other, &late = first ? other : one;
    if (const auto overlap = overlap_of(late, early)) report(FindingKind::race_streams, late, *overlap, early);
}

void StreamChecks::compare_with_memory(const WorkAccesses& w) {
    for (const auto& m : allocated_)
        if (!m.by->precedes(*w.by))
            if (const auto use = w.in(m.block.address, m.block.bytes))
                report_memory(FindingKind::use_before_allocation, w, use->first, m,
                              "allocation in the order of a stream");
    for (const auto& m : freed_) {
        if (w.by->precedes(*m.by)) continue;
        if (const auto use = w.in(m.block.address, m.block.bytes))
            report_memory(m.by->precedes(*w.by) ? FindingKind::use_after_free : FindingKind::free_before_end, w,
                          use->first, m, "free in the order of a stream");
    }
}

void StreamChecks::allocated(const Block& block, const IssuedWork& by) {
    if (!by) return;
    std::lock_guard lock(mutex_);
    if (allocated_.size() + freed_.size() > 64) forget_settled();
    if (allocated_.size() < kMostWork) allocated_.push_back({block, by});
}

bool StreamChecks::freed(const Block& block, const IssuedWork& by) {
    if (!by) return false;
    std::lock_guard lock(mutex_);
    const auto made = std::find_if(allocated_.begin(), allocated_.end(),
                                   [&](const auto& m) { return m.block.address == block.address; });
    const bool many = several();
    if (made != allocated_.end()) {
        if (!made->by->precedes(*by)) {
            auto found = finding(FindingKind::free_before_end, block.address, block.bytes);
            found.message = fmt::format("{} is freed in {}, but allocated in {}: nothing orders the free behind that",
                                        found.allocated_as.empty() ? "memory" : found.allocated_as, stream_text(*by),
                                        stream_text(*made->by));
            found.at = call_place(*by), found.at.access = "free in the order of a stream";
            found.other = call_place(*made->by), found.other->access = "allocation in the order of a stream";
            found.advice =
                "free it in the stream that allocated it, or let the stream of the free wait for an event behind the "
                "allocation";
            Runtime::get().device()->finding_log()->add_finding(std::move(found));
        }
        if (!many) allocated_.erase(made);
    }
    if (!many) return false;
    const Memory m{block, by};
    for (const auto& w : work_)
        if (!w.by->precedes(*by))
            if (const auto use = w.in(block.address, block.bytes))
                report_memory(FindingKind::free_before_end, w, use->first, m, "free in the order of a stream");
    freed_.push_back(m);
    return true;
}

void StreamChecks::name(record::Finding& found, std::uint64_t address) {
    const auto known = sharing().allocation(address);
    if (!known) return;
    found.allocation = {known->first, known->second};
    auto block = MemoryTable::get().find(reinterpret_cast<const void*>(known->first));
    for (const auto* list : {&allocated_, &freed_})
        for (const auto& m : *list)
            if (m.block.address == known->first && m.block.from) block = m.block;
    if (!block || !block->from) {
        for (const auto& v : Registry::get().loaded_variables())
            if (v.address == known->first) found.allocated_as = v.name;
        return;
    }
    auto place = host_place(*block->from).first;
    if (place.line == 0) return;
    place.access = "allocation of " + counted(block->bytes, "bytes");
    found.allocated_as = set_by(sources_, place);
    found.allocated = std::move(place);
}

record::Finding StreamChecks::finding(FindingKind kind, std::uint64_t address, std::uint64_t bytes) {
    auto found = record::finding_of(kind);
    found.space = "global";
    found.address = address;
    found.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
    name(found, address);
    return found;
}

void StreamChecks::report(FindingKind kind, const WorkAccesses& late, const Overlap& overlap,
                          const WorkAccesses& early) {
    auto found = finding(kind, overlap.at, overlap.bytes);
    found.kernel = !late.kernel.empty() ? late.kernel : early.kernel;
    found.at = place_of(late, overlap.one, overlap.one_writes);
    found.other = place_of(early, overlap.other, overlap.other_writes);
    const char* what = overlap.one_writes && overlap.other_writes ? "unordered writes"
                       : overlap.one_writes                       ? "unordered read and write"
                                                                  : "unordered write and read";
    const auto offset = found.allocation ? overlap.at - found.allocation->address : 0;
    found.message = fmt::format("{} of {} by {}{} and {}{}: nothing orders the two", what,
                                found.allocated_as.empty() ? "the same memory"
                                                           : fmt::format("{} (from byte {} on, {})", found.allocated_as,
                                                                         offset, counted(overlap.bytes, "bytes")),
                                text_of(early), launched_at(early), text_of(late), launched_at(late));
    Runtime::get().device()->finding_log()->add_finding(std::move(found));
}

void StreamChecks::report_memory(FindingKind kind, const WorkAccesses& w, const AccessRange& range, const Memory& m,
                                 const std::string& what) {
    auto found = finding(kind, std::max(range.at, m.block.address), range.bytes());
    const auto memory = found.allocated_as.empty() ? std::string("memory") : found.allocated_as;
    const auto use = w.in(m.block.address, m.block.bytes);
    found.kernel = w.kernel;
    found.at = place_of(w, range, use && use->second);
    found.other = call_place(*m.by);
    found.other->access = what;
    switch (kind) {
        case FindingKind::use_before_allocation:
            found.message = fmt::format("{} is used by {}{}, but allocated in {}: nothing orders the use behind that",
                                        memory, text_of(w), launched_at(w), stream_text(*m.by));
            break;
        case FindingKind::free_before_end:
            found.message = fmt::format("{} is freed in {}, while {}{} may still use it: nothing orders the two",
                                        memory, stream_text(*m.by), text_of(w), launched_at(w));
            break;
        default:
            found.message = fmt::format("{} is used by {}{} after it was freed in {}", memory, text_of(w),
                                        launched_at(w), stream_text(*m.by));
    }
    Runtime::get().device()->finding_log()->add_finding(std::move(found));
}

}  // namespace warpwright::cudart

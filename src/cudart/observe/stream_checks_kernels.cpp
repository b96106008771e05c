// The host's accesses to managed and page-locked memory that a kernel may be using: what it touches between a launch
// and the wait for it is compared with what the kernel accessed, to the byte. A kernel for which memory is closed does
// not begin on its stream's own thread before the host waits for it, or touches such memory, or a moment has passed: so
// what is found does not depend on which of the two is faster here. Host functions are work of their stream, and so
// compared with the work of others.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "cudart/observe/host_places.hpp"
#include "cudart/observe/stream_checks.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/stream.hpp"
#include "device/host_sharing.hpp"

namespace warpwright::cudart {

namespace {

/// Managed memory is closed as a whole where there is no more of it than this; else, as page-locked memory always,
/// where a parameter of the launch leads to it.
constexpr std::size_t kMostManaged = 32;

/// Memory of the device that the host uses by its own addresses: managed, or page-locked as well. Of memory that is
/// the program's own these are the whole pages in it: nothing else lies there.
std::vector<Block> of_host(bool managed_alone) {
    std::vector<Block> out;
    const auto add_own = [&](Block block) {
        const auto page = guard::page_size(), end = (block.address + block.bytes) / page * page;
        block.address = (block.address + page - 1) / page * page;
        if (block.address >= end) return;
        block.bytes = end - block.address;
        out.push_back(std::move(block));
    };
    for (auto& [block, number] : MemoryTable::get().all()) {
        if (block.kind == Block::Kind::managed || (block.kind == Block::Kind::pinned && !managed_alone))
            out.push_back(std::move(block));
        else if (block.kind == Block::Kind::registered && !block.read_only && !managed_alone)
            add_own(std::move(block));
    }
    for (const auto& v : Registry::get().managed_memory()) {
        Block block{Block::Kind::managed, v.address, v.bytes};
        v.in_program ? add_own(std::move(block)) : out.push_back(std::move(block));
    }
    return out;
}

std::vector<Block> blocks_for(std::span<const std::byte> parameters) {
    const auto all = of_host(false);
    if (all.empty()) return {};
    auto out = of_host(true);
    if (out.size() > kMostManaged) out.clear();
    const auto add = [&](std::uint64_t address) {
        const auto holds = [&](const Block& b) { return address - b.address < b.bytes; };
        const auto block = std::find_if(all.begin(), all.end(), holds);
        if (block != all.end() && std::none_of(out.begin(), out.end(), holds)) out.push_back(*block);
    };
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= parameters.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t value = 0;
        std::memcpy(&value, parameters.data() + at, sizeof value);
        add(value);
    }
    return out;
}

bool concerns(const HostGuard::Touch& t, const IssuedWork& by) {
    return t.purpose == HostGuard::For::kernel && std::find(t.by.begin(), t.by.end(), by) != t.by.end();
}

}  // namespace

void StreamChecks::queuing_launches(std::span<const std::byte> parameters) {
    ++closing_;
    if (!Scheduler::get().keeps_order()) return;
    if (const auto blocks = blocks_for(parameters); !blocks.empty()) HostGuard::get().close_for_kernels(blocks);
}

void StreamChecks::queued_launches(const IssuedWork& by) {
    HostGuard::get().set_kernels(by);
    --closing_;
}

void StreamChecks::host_waits(const IssuedWork& by) {
    {
        std::lock_guard lock(hold_);
        released_.add(by->before);
        patience_.host_waits(std::chrono::steady_clock::now());
    }
    held_.notify_all();
}

void StreamChecks::host_goes_on() {
    std::lock_guard lock(hold_);
    patience_.host_goes_on();
}

void StreamChecks::hold_back(const IssuedWork& work) {
    using namespace std::chrono_literals;
    constexpr auto kEach = 1ms;
    auto from = std::chrono::steady_clock::now();
    const auto touched = HostGuard::touched();
    std::unique_lock lock(hold_);
    while (!released_.has(work->stream, work->number) && HostGuard::touched() == touched &&
           (closing_ > 0 || HostGuard::get().is_closed_for(work))) {
        const auto now = std::chrono::steady_clock::now();
        from = patience_.counted_from(from, now);
        if (now - from >= Patience::kLongest) break;
        held_.wait_for(lock, kEach);
    }
}

void StreamChecks::take_touches() {
    std::vector<HostGuard::Touch> of_kernels;
    for (auto& t : HostGuard::get().touches()) {
        if (t.purpose == HostGuard::For::copy)
            report_touch_of_copy(t);
        else
            of_kernels.push_back(std::move(t));
    }
    if (of_kernels.empty()) return;
    for (auto& w : work_) judge(of_kernels, w);
    touched_.insert(touched_.end(), of_kernels.begin(), of_kernels.end());
}

void StreamChecks::forget_touches() {
    const auto known = [](const IssuedWork& by) { return Scheduler::get().host_knows(*by); };
    std::erase_if(touched_, [&](const auto& t) { return std::all_of(t.by.begin(), t.by.end(), known); });
    std::erase_if(synchronised_, known);
}

/// Compares what the host touched with a kernel that has run.
void StreamChecks::judge(const std::vector<HostGuard::Touch>& touches, WorkAccesses& w) {
    if (w.kind != WorkAccesses::Kind::kernel ||
        std::none_of(touches.begin(), touches.end(), [&](const auto& t) { return concerns(t, w.by); }))
        return;
    if (!w.marks.empty()) w.take(Runtime::get().device()->host_sharing()->accesses(w.marks));
    // A kernel that tells the host by a flag is ordered with what the host does behind that, which nobody here sees.
    for (const auto& t : touches)
        if (concerns(t, w.by))
            if (const auto use = w.in(t.address, t.bytes); use && use->first.strong) synchronised_.push_back(w.by);
    if (std::find(synchronised_.begin(), synchronised_.end(), w.by) != synchronised_.end()) return;
    for (const auto& t : touches)
        if (concerns(t, w.by))
            if (const auto use = w.in(t.address, t.bytes); use && (use->second || t.write))
                report_touch(t, w, use->first, use->second);
}

void StreamChecks::report_touch(const HostGuard::Touch& t, const WorkAccesses& w, const AccessRange& range,
                                bool write) {
    auto found = finding(record::FindingKind::race_host, t.address, t.bytes);
    const auto block = MemoryTable::get().find(reinterpret_cast<const void*>(t.address));
    found.kernel = w.kernel;
    found.at = host_place(t.stack).first;
    found.at.column = 0;
    found.at.access = HostGuard::access_name(t);
    found.other = place_of(w, range, write);
    const auto call = call_place(*w.by);
    found.message = fmt::format(
        "the host {} {} while kernel {} in {}{} may still {} it: nothing has waited for the kernel",
        t.write ? "writes" : "reads",
        !found.allocated_as.empty()                    ? found.allocated_as
        : block && block->kind == Block::Kind::managed ? "managed memory"
                                                       : "page-locked memory",
        w.kernel, stream_text(*w.by), call.line ? ", launched at " + call.text() + "," : "", write ? "write" : "read");
    found.advice =
        "wait for the kernel before the host uses the memory: cudaDeviceSynchronize(), cudaStreamSynchronize(), or an "
        "event behind the launch";
    Runtime::get().device()->finding_log()->add_finding(std::move(found));
}

void StreamChecks::function_begins() {
    if (current_work() && Scheduler::get().keeps_order()) HostGuard::get().begin_function(of_host(false));
}

void StreamChecks::function_ends() {
    const auto touches = HostGuard::get().end_function();
    auto w = current();
    if (!w || touches.empty()) return;
    w->kind = WorkAccesses::Kind::host_function;
    for (const auto& t : touches) {
        // A kernel that counts or waits there by atomics synchronises with the function.
        (t.write ? w->writes : w->reads).push_back({t.address, t.address + t.bytes, 0, 0, true});
        w->touches.emplace_back(t.address, t.stack);
    }
    w->finish();
    std::lock_guard lock(mutex_);
    (void)several();
    add(std::move(*w));
}

}  // namespace warpwright::cudart

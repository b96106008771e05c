// The order is kept when work is queued, under the scheduler's lock. A graph is one piece of a stream's work; which of
// its nodes precede each other is known while it runs.
#include "cudart/work/stream/stream_order.hpp"

#include "cudart/state/runtime.hpp"
#include "cudart/work/program_observer.hpp"
#include "cudart/work/stream/stream.hpp"
#include "record/finding.hpp"

namespace warpwright::cudart {

namespace {

IssuedWork& work_of_thread() {
    thread_local IssuedWork work;
    return work;
}

/// Whether that is there. A variable of its own: making the other one takes the loader's lock, which a signal's handler
/// may have interrupted.
thread_local bool work_is_there = false;

void set_all(std::vector<bool>& of, std::uint32_t first, std::uint32_t last) {
    if (of.size() < last) of.resize(last);
    for (auto k = first; k < last; ++k) of[k] = true;
}

void join(std::vector<bool>& of, const std::vector<bool>& other) {
    if (of.size() < other.size()) of.resize(other.size());
    for (std::size_t k = 0; k < other.size(); ++k)
        if (other[k]) of[k] = true;
}

}  // namespace

const IssuedWork& current_work() { return work_of_thread(); }

bool does_work() { return work_is_there; }

bool Scheduler::keeps_order() const {
    static const bool on = (Runtime::get().settings.checkers & static_cast<std::uint32_t>(record::Checker::race)) != 0;
    return on && !order_lost_;
}

void Scheduler::issue(Stream& stream, Task& task, std::shared_ptr<const CallStack> call) {
    if (!keeps_order()) return;
    auto issued = std::make_shared<Issued>();
    issued->stream = stream.id, issued->number = task.number, issued->on_legacy = stream.legacy;
    issued->device = stream.device;
    issued->sequence = ++issued_;
    issued->before = host_knows_;
    if (stream.last_issued)
        issued->before.add(stream.last_issued->before);
    else
        ++streams_used_;
    for (const auto& t : task.after)
        if (t.issued) issued->before.add(t.issued->before);
    if (stream.legacy) {
        issued->before.add(gone_blocking_[stream.device]);
        each_stream([&](const Stream& other) {
            if (other.device == stream.device && other.blocking() && other.last_issued)
                issued->before.add(other.last_issued->before);
        });
    } else if (const auto& legacy = legacy_[stream.device]; stream.blocking() && legacy && legacy->last_issued) {
        issued->before.add(legacy->last_issued->before);
    }
    issued->before.add(stream.id, task.number);
    issued->call = std::move(call);
    issued->in_stub = thread_state().in_stub;
    stream.last_issued = issued;
    task.issued = std::move(issued);
}

void Scheduler::host_learns(const IssuedWork& work) {
    if (work) host_knows_.add(work->before);
}

void Scheduler::host_hears(const Ticket& ticket) {
    {
        std::lock_guard lock(mutex_);
        host_learns(ticket.issued);
    }
    if (ticket.issued)
        for (auto* observer : program_observers()) observer->host_told();
}

void Scheduler::lose_order() {
    if (!keeps_order() || order_lost_.exchange(true)) return;
    for (auto* observer : program_observers()) observer->order_lost();
}

void Scheduler::tell_waited(const Ticket& ticket) const {
    if (ticket.issued)
        for (auto* observer : program_observers()) observer->host_waited();
}

bool Scheduler::host_knows(const Issued& work) {
    std::lock_guard lock(mutex_);
    return host_knows_.has(work.stream, work.number);
}

void Scheduler::stream_goes(const Stream& stream) {
    if (!stream.last_issued) return;
    gone_[stream.device].add(stream.last_issued->before);
    if (stream.blocking()) gone_blocking_[stream.device].add(stream.last_issued->before);
}

bool Scheduler::settled(const Issued& work) {
    std::lock_guard lock(mutex_);
    if (!host_knows_.has(work.stream, work.number)) return false;
    bool all = true;
    each_stream([&](const Stream& s) {
        for (const auto& task : s.tasks) all = all && (!task.issued || work.precedes(*task.issued));
        if (s.busy && s.running) all = all && work.precedes(*s.running);
    });
    return all;
}

std::size_t Scheduler::streams_used() {
    std::lock_guard lock(mutex_);
    return streams_used_;
}

namespace {
thread_local int works_of_thread = 0;  // one within another: work may launch
}

Scheduler::AtWork::AtWork(const Stream& stream, const Task& task)
    : before_(std::exchange(work_of_thread(), task.issued)),
      place_before_(std::exchange(thread_state().stream, stream.place)),
      call_before_(std::exchange(thread_state().work, task.call)),
      on_device_(static_cast<int>(stream.device)) {
    ++works_of_thread;
    work_is_there = work_of_thread() != nullptr;
}
bool Scheduler::AtWork::here() { return works_of_thread > 0; }
Scheduler::AtWork::~AtWork() {
    --works_of_thread;
    work_of_thread() = std::move(before_);
    work_is_there = work_of_thread() != nullptr;
    thread_state().stream = place_before_;
    thread_state().work = call_before_;
}

/// The graph's launch that the calling thread runs.
struct GraphOrder::Running {
    std::uint32_t next = 0;    ///< the next node's number
    std::uint32_t inside = 0;  ///< the first number within the node that runs
    GraphPart part;
};

GraphOrder::Running& GraphOrder::running() {
    thread_local Running of_thread;
    return of_thread;
}

GraphPart current_part() { return GraphOrder::part(); }

GraphPart GraphOrder::part() { return running().part; }

GraphOrder::GraphOrder() : on_(current_work() != nullptr) {
    if (!on_) return;
    auto& r = running();
    outer_ = r.part;
    outer_inside_ = r.inside;
    // A second graph within the same node, or the same launch, follows the first.
    if (outer_.before)
        base_ = *outer_.before;
    else if (launch_ != current_work())
        r.next = r.inside = 0;
    set_all(base_, outer_.before ? r.inside : 0, r.next);
    launch_ = current_work();
}

GraphOrder::~GraphOrder() {
    if (!on_) return;
    running().part = outer_;
    running().inside = outer_inside_;
}

void GraphOrder::begin(const std::vector<std::uint32_t>& after) {
    if (!on_) return;
    auto& r = running();
    auto before = std::make_shared<std::vector<bool>>(base_);
    for (const auto index : after) {
        join(*before, *all_[index]);
        set_all(*before, own_[index].first, own_[index].last);
    }
    r.part = {r.next, before};
    own_.push_back({r.next, ++r.next});
    r.inside = r.next;
    all_.push_back(std::move(before));
}

void GraphOrder::end() {
    if (on_) own_.back().last = running().next;
}

thread_local IssuedWork GraphOrder::launch_;

}  // namespace warpwright::cudart

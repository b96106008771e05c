// A queue whose commands run in order is one stream; one without an order has several, among which its commands are
// dealt out, so that the modelled device may run them at the same time. A command that waits for an event which the
// program sets later has a stream of its own there, because commands behind it need not wait.
#include "opencl/state/commands.hpp"

#include <algorithm>

#include "cudart/memory/memory_table.hpp"
#include "cudart/state/call_stack.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/program_observer.hpp"

namespace warpwright::opencl {
namespace {

using cudart::Runtime;
using cudart::Scheduler;
using cudart::Ticket;

constexpr std::size_t kLanes = 8;  ///< streams of a queue without an order

cl_int found(const Queue& queue, const Waits& waits, std::vector<std::shared_ptr<Event>>& events) {
    if ((waits.count == 0) != (waits.list == nullptr)) return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint k = 0; k < waits.count; ++k) {
        auto event = find(waits.list[k]);
        if (!event) return CL_INVALID_EVENT_WAIT_LIST;
        if (event->context != queue.context) return CL_INVALID_CONTEXT;
        events.push_back(std::move(event));
    }
    return CL_SUCCESS;
}

/// The stream in which the queue's next command runs.
Queue::Lane& lane_of(Queue& queue, bool held) {
    if (queue.ordered()) {
        if (queue.lanes.empty()) queue.lanes.push_back(make_lane());
        return queue.lanes[0];
    }
    if (held || queue.lanes.size() < kLanes) return queue.lanes.emplace_back(make_lane());
    queue.next = (queue.next + 1) % kLanes;
    return queue.lanes[queue.next];
}

/// The work of a command, which is left out where an event that it waits for has an error.
std::function<timeline::Work()> guarded(std::shared_ptr<Event> event, std::vector<std::shared_ptr<Event>> before,
                                        std::function<timeline::Work()> run) {
    return [event = std::move(event), before = std::move(before), run = std::move(run)]() -> timeline::Work {
        event->begun = true;
        for (const auto& e : before)
            if (e->error != CL_SUCCESS) event->error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        if (!run || event->error != CL_SUCCESS) return {};
        auto work = run();
        event->seconds = Scheduler::get().seconds_of(work);
        if (Runtime::get().sticky() != cudaSuccess) event->error = CL_OUT_OF_RESOURCES;
        return work;
    };
}

}  // namespace

Queue::Lane make_lane() {
    auto& scheduler = Scheduler::get();
    const auto handle = scheduler.create(cudaStreamNonBlocking, 0);
    return {handle, scheduler.find(handle)};
}

cl_int enqueue(Queue& queue, Command command, const Waits& waits, cl_event* handle, bool blocking) {
    std::vector<std::shared_ptr<Event>> before;
    if (const cl_int bad = found(queue, waits, before); bad != CL_SUCCESS) return bad;
    auto& scheduler = Scheduler::get();
    auto event = std::make_shared<Event>();
    event->context = queue.context;
    event->queue = queue.handle;
    event->type = command.type;
    event->profiles = queue.profiles();
    std::vector<Ticket> after;
    for (const auto& e : before) {
        event->held |= e->held && !e->over();
        after.push_back(e->ticket);
    }
    {
        const std::lock_guard lock(queue.mutex);
        if (event->profiles) {
            if (!queue.clock.stream) queue.clock = make_lane();
            event->queued = scheduler.put(queue.clock.stream, [] { return timeline::Work{}; }, cudart::By::caller).mark;
        }
        if (!queue.ordered()) {
            after.insert(after.end(), queue.barrier.begin(), queue.barrier.end());
            if (command.after_all)
                for (const auto& lane : queue.lanes) after.push_back(scheduler.here(lane.stream));
        }
        auto& lane = lane_of(queue, event->held);
        event->ticket = scheduler.put(lane.stream, guarded(event, std::move(before), std::move(command.run)),
                                      command.by, std::move(after), command.call);
        if (command.before_all && !queue.ordered()) queue.barrier = {event->ticket};
    }
    if (handle) *handle = Handles<Event>::get().add(event);
    return blocking ? wait_for(*event) : CL_SUCCESS;
}

cl_int enqueue_copy(Queue& queue, cl_uint type, cudart::Copy copy, std::vector<std::shared_ptr<void>> kept,
                    const Waits& waits, cl_event* event, bool blocking) {
    auto& table = cudart::MemoryTable::get();
    if (copy.kind == cudaMemcpyHostToDevice) copy.pageable = !table.find(copy.from.at);
    if (copy.kind == cudaMemcpyDeviceToHost) {
        copy.pageable = !table.find(copy.to.at);
        copy.call = cudart::calling_place();
    }
    const bool watched = !blocking && Scheduler::get().keeps_order();
    if (watched)
        for (auto* observer : cudart::program_observers()) observer->queuing(copy);
    Command command{type, [run = cudart::operation(copy).run, kept = std::move(kept)] { return run(); }};
    command.call = timeline::Timeline::Call::takes_time;
    cl_event own = nullptr;
    const cl_int result = enqueue(queue, std::move(command), waits, watched ? &own : event, blocking);
    if (!watched || result != CL_SUCCESS) return result;
    if (const auto issued = find(own)->ticket.issued)
        for (auto* observer : cudart::program_observers()) observer->queued(copy, issued);
    if (event)
        *event = own;
    else
        Handles<Event>::get().release(own);
    return result;
}

void finish(Queue& queue) {
    auto& scheduler = Scheduler::get();
    std::vector<Ticket> all;
    {
        const std::lock_guard lock(queue.mutex);
        for (const auto& lane : queue.lanes) all.push_back(scheduler.here(lane.stream));
    }
    for (const auto& ticket : all) scheduler.wait(ticket);
    Runtime::get().flush_print();
}

cl_int wait_for(Event& event) {
    if (event.user) {
        std::unique_lock lock(event.mutex);
        event.changed.wait(lock, [&] { return event.status.has_value(); });
    }
    Scheduler::get().wait(event.ticket);
    Runtime::get().flush_print();
    return event.error;
}

cl_int status_of(Event& event) {
    if (event.user) {
        const std::lock_guard lock(event.mutex);
        return event.status.value_or(CL_SUBMITTED);
    }
    if (!Scheduler::get().seen_over(event.ticket)) return event.begun ? CL_RUNNING : CL_SUBMITTED;
    return event.error != CL_SUCCESS ? event.error.load() : CL_COMPLETE;
}

std::shared_ptr<Event> make_user_event(std::shared_ptr<Context> context) {
    auto event = std::make_shared<Event>();
    event->context = std::move(context);
    event->type = CL_COMMAND_USER;
    event->user = event->held = true;
    event->lane = make_lane();
    // The process may end before the program sets it.
    static constexpr auto kLook = std::chrono::milliseconds(50);
    const std::weak_ptr<Event> weak = event;
    event->ticket = Scheduler::get().put(
        event->lane.stream,
        [weak] {
            for (;;) {
                const auto e = weak.lock();
                if (!e || Runtime::get().ending()) return timeline::Work{};
                std::unique_lock lock(e->mutex);
                if (e->changed.wait_for(lock, kLook, [&] { return e->status.has_value(); })) return timeline::Work{};
            }
        },
        cudart::By::stream);
    return event;
}

}  // namespace warpwright::opencl

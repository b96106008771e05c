// Streams and events, and functions of the host's in streams.
#include <atomic>
#include <map>

#include "cudart/api/api.hpp"
#include "cudart/memory/shared_memory.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/capture_rules.hpp"
#include "cudart/work/graph/graph.hpp"
#include "cudart/work/program_observer.hpp"
#include "cudart/work/stream/operation.hpp"
#include "cudart/work/stream/stream.hpp"
#include "support/handle_table.hpp"

namespace warpwright::cudart {
namespace {

std::mutex events_mutex;
std::map<cudaEvent_t, std::shared_ptr<Event>>& events() {
    static auto* all = new std::map<cudaEvent_t, std::shared_ptr<Event>>;
    return *all;
}

cudaError_t host_function(cudaStream_t handle, std::function<void()> function) {
    return submit(Scheduler::get().find(handle),
                  {cudaGraphNodeTypeHost,
                   [function = std::move(function)] {
                       run_as_work(function);
                       return timeline::Work{};
                   }},
                  Wait::no, false);
}

}  // namespace

std::shared_ptr<Event> find_event(cudaEvent_t handle) {
    std::lock_guard lock(events_mutex);
    auto found = events().find(handle);
    return found == events().end() ? nullptr : found->second;
}

void forget_events(unsigned device) {
    std::lock_guard lock(events_mutex);
    std::erase_if(events(), [&](const auto& e) { return e.second->device == device; });
}

namespace {

/// The work whose end an event marks; a captured event marks none.
cudaError_t ticket_of(cudaEvent_t handle, Ticket& ticket) {
    auto event = find_event(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    std::lock_guard lock(event->mutex);
    if (event->capture) {
        event->capture->invalid = true;
        return cudaErrorCapturedEvent;
    }
    ticket = event->ticket;
    return cudaSuccess;
}

}  // namespace

namespace impl {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    if (!stream || (flags & ~cudaStreamNonBlocking)) return cudaErrorInvalidValue;
    *stream = Scheduler::get().create(flags, priority < -5 ? -5 : priority > 0 ? 0 : priority);
    return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return impl::cudaStreamCreateWithPriority(stream, 0, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return impl::cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    // Without the stream in which it began, a capture cannot be ended. Other streams are not needed any more once they
    // were joined.
    const auto known = Scheduler::get().find(stream);
    if (const auto capture = known ? known->capture.get() : nullptr; capture && capture->origin == known)
        capture_rules::end(capture);
    return Scheduler::get().destroy(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    if (thread_state().in_host_function) return cudaErrorNotPermitted;
    auto& scheduler = Scheduler::get();
    auto stream = scheduler.find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (auto e = capture_rules::check(stream); e != cudaSuccess) return e;
    if (stream->capture) return capture_rules::break_with(stream, cudaErrorStreamCaptureUnsupported);
    // The legacy stream has ended when all blocking streams have.
    if (stream->legacy)
        scheduler.wait(scheduler.put(stream, [] { return timeline::Work{}; }, By::caller));
    else
        scheduler.wait(scheduler.here(stream));
    Runtime::get().flush_print();
    return Runtime::get().sticky(stream->device);
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    auto& scheduler = Scheduler::get();
    auto stream = scheduler.find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (auto e = capture_rules::check(stream); e != cudaSuccess) return e;
    if (stream->capture) return capture_rules::break_with(stream, cudaErrorStreamCaptureUnsupported);
    return scheduler.seen_over(scheduler.here(stream)) ? Runtime::get().sticky(stream->device) : cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned flags) {
    if (flags & ~unsigned{cudaEventWaitExternal}) return cudaErrorInvalidValue;
    auto& scheduler = Scheduler::get();
    auto stream = scheduler.find(handle);
    auto event = find_event(event_handle);
    if (!stream || !event) return cudaErrorInvalidResourceHandle;
    std::shared_ptr<Capture> capture;
    std::vector<cudaGraphNode_t> nodes;
    Ticket ticket;
    {
        std::lock_guard lock(event->mutex);
        capture = event->capture, nodes = event->captured, ticket = event->ticket;
    }
    if (auto e = capture_rules::check(stream); e != cudaSuccess) return e;
    if (capture && capture->origin->capture.get() == capture) {
        std::lock_guard graphs(graphs_in_use());
        if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
        if (const auto other = stream->capture.get(); other && other != capture) {
            capture->invalid = true;
            return capture_rules::break_with(stream, cudaErrorStreamCaptureMerge);
        }
        // Work that waits for the event becomes a part of the graph, which the legacy stream cannot be.
        if (stream->legacy) {
            capture->invalid = true;
            return cudaErrorStreamCaptureImplicit;
        }
        std::vector<Node*> after;
        for (auto n : nodes)
            if (auto* node = node_of(n)) after.push_back(node);
        capture->join(stream, after);
        return cudaSuccess;
    }
    if (stream->capture) return capture_rules::break_with(stream, cudaErrorStreamCaptureIsolation);
    if (event->shared) {
        // Another process may record the event, so the stream polls it.
        scheduler.lose_order();
        scheduler.put(
            stream,
            [shared = event->shared, number = event->shared->recorded()] {
                shared->wait(number);
                return timeline::Work{};
            },
            By::stream);
        return cudaSuccess;
    }
    if (!ticket.stream || ticket.stream == stream) return cudaSuccess;
    // Also if it is over: on the modelled clock it need not be.
    scheduler.put(stream, [] { return timeline::Work{}; }, By::caller, {ticket});
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
    if (!callback) return cudaErrorInvalidValue;
    return host_function(stream, [=] { callback(stream, Runtime::get().sticky(), data); });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    if (!function) return cudaErrorInvalidValue;
    return host_function(stream, [=] { function(data); });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
    auto stream = Scheduler::get().find(handle);
    if (!stream || !priority) return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    *priority = stream->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
    auto stream = Scheduler::get().find(handle);
    if (!stream || !flags) return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    *flags = stream->flags;
    return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
    auto stream = Scheduler::get().find(handle);
    if (!stream || !id) return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    *id = stream->id;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
    if (!Scheduler::get().find(handle)) return cudaErrorInvalidResourceHandle;
    if (!device) return cudaErrorInvalidValue;
    *device = static_cast<int>(Scheduler::get().find(handle)->device);
    return cudaSuccess;
}

// Attributes are hints here: they are accepted, and have no effect.
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    return Scheduler::get().find(to) && Scheduler::get().find(from) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID, cudaLaunchAttributeValue* value) {
    if (!Scheduler::get().find(stream)) return cudaErrorInvalidResourceHandle;
    if (!value) return cudaErrorInvalidValue;
    *value = {};
    return cudaSuccess;
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID, const cudaLaunchAttributeValue*) {
    return Scheduler::get().find(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* handle, unsigned flags) {
    // Processes that share an event have no common clock.
    const bool shared = (flags & cudaEventInterprocess) != 0;
    if (!handle || (flags & ~7u) || (shared && !(flags & cudaEventDisableTiming))) return cudaErrorInvalidValue;
    auto event = std::make_shared<Event>();
    event->flags = flags;
    event->device = current_device();
    if (shared && !(event->shared = SharedEvent::make())) return cudaErrorMemoryAllocation;
    *handle = fresh_handle<cudaEvent_t>();
    std::lock_guard lock(events_mutex);
    events()[*handle] = std::move(event);
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return impl::cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    std::lock_guard lock(events_mutex);
    return events().erase(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event_handle, cudaStream_t handle, unsigned) {
    auto& scheduler = Scheduler::get();
    auto stream = scheduler.find(handle);
    auto event = find_event(event_handle);
    if (!stream || !event || event->device != stream->device) return cudaErrorInvalidResourceHandle;
    if (auto e = capture_rules::check(stream); e != cudaSuccess) return e;
    if (const auto capture = stream->capture.get()) {
        std::lock_guard graphs(graphs_in_use());
        std::lock_guard lock(event->mutex);
        event->capture = capture;
        event->captured.clear();
        for (auto* n : capture->last[stream.get()]) event->captured.push_back(handle_of(n));
        return cudaSuccess;
    }
    const auto number = event->shared ? event->shared->record() : 0;
    auto ticket = scheduler.put(
        stream,
        [event, number] {
            if (event->shared) event->shared->reach(number);
            return timeline::Work{};
        },
        By::caller);
    std::lock_guard lock(event->mutex);
    event->ticket = ticket;
    event->mark = ticket.mark;
    event->capture.reset();
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return impl::cudaEventRecordWithFlags(event, stream, 0);
}

/// Of the device whose work it is.
static cudaError_t error_of(const Ticket& ticket) {
    return ticket.stream ? Runtime::get().sticky(ticket.stream->device) : Runtime::get().sticky();
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    Ticket ticket;
    if (auto e = ticket_of(handle, ticket); e != cudaSuccess) return e;
    if (const auto event = find_event(handle); event && event->shared && !event->shared->over())
        return cudaErrorNotReady;
    return Scheduler::get().seen_over(ticket) ? error_of(ticket) : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    if (thread_state().in_host_function) return cudaErrorNotPermitted;
    Ticket ticket;
    if (auto e = ticket_of(handle, ticket); e != cudaSuccess) return e;
    if (const auto event = find_event(handle); event && event->shared) event->shared->wait(event->shared->recorded());
    Scheduler::get().wait(ticket);
    Runtime::get().flush_print();
    return error_of(ticket);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from_handle, cudaEvent_t to_handle) {
    auto from = find_event(from_handle), to = find_event(to_handle);
    if (!milliseconds) return cudaErrorInvalidValue;
    if (!from || !to || from->device != to->device || (from->flags & cudaEventDisableTiming) ||
        (to->flags & cudaEventDisableTiming))
        return cudaErrorInvalidResourceHandle;
    double times[2];
    int k = 0;
    for (auto* event : {from.get(), to.get()}) {
        Ticket ticket;
        {
            std::lock_guard lock(event->mutex);
            ticket = event->ticket;
        }
        if (!ticket.stream) return cudaErrorInvalidResourceHandle;
        if (!Scheduler::get().over(ticket)) return cudaErrorNotReady;
        timeline::Mark mark;
        {
            std::lock_guard lock(event->mutex);
            mark = event->mark;
        }
        times[k++] = Scheduler::get().time_of(mark, event->device);
    }
    *milliseconds = static_cast<float>((times[1] - times[0]) * 1e3);
    return cudaSuccess;
}

}  // namespace impl
}  // namespace warpwright::cudart

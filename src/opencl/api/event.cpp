// Events, waits and what is called when an event comes; markers and barriers.
#include <cmath>

#include "cudart/state/runtime.hpp"
#include "opencl/api/api.hpp"
#include "opencl/state/answer.hpp"
#include "opencl/state/commands.hpp"

namespace warpwright::opencl::impl {

cl_int clWaitForEvents(cl_uint count, const cl_event* list) {
    if (!count || !list) return CL_INVALID_VALUE;
    std::vector<std::shared_ptr<Event>> events;
    for (cl_uint k = 0; k < count; ++k) {
        events.push_back(find(list[k]));
        if (!events.back()) return CL_INVALID_EVENT;
        if (events.back()->context != events.front()->context) return CL_INVALID_CONTEXT;
    }
    cl_int result = CL_SUCCESS;
    for (const auto& event : events)
        if (wait_for(*event) < 0) result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return result;
}

cl_int clGetEventInfo(cl_event handle, cl_uint what, size_t size, void* value, size_t* needed) {
    const auto event = find(handle);
    if (!event) return CL_INVALID_EVENT;
    const Asked asked{size, value, needed};
    switch (what) {
        case CL_EVENT_COMMAND_QUEUE:
            return asked.number(event->queue);
        case CL_EVENT_COMMAND_TYPE:
            return asked.number(event->type);
        case CL_EVENT_CONTEXT:
            return asked.number(event->context->handle);
        case CL_EVENT_REFERENCE_COUNT:
            return asked.number(Handles<Event>::get().references(handle));
        case CL_EVENT_COMMAND_EXECUTION_STATUS:
            return asked.number(status_of(*event));
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clRetainEvent(cl_event event) { return Handles<Event>::get().retain(event) ? CL_SUCCESS : CL_INVALID_EVENT; }
cl_int clReleaseEvent(cl_event event) { return Handles<Event>::get().release(event) ? CL_SUCCESS : CL_INVALID_EVENT; }

cl_int clGetEventProfilingInfo(cl_event handle, cl_uint what, size_t size, void* value, size_t* needed) {
    const auto event = find(handle);
    if (!event) return CL_INVALID_EVENT;
    if (!event->profiles || !event->over() || event->error != CL_SUCCESS) return CL_PROFILING_INFO_NOT_AVAILABLE;
    auto& scheduler = cudart::Scheduler::get();
    const Asked asked{size, value, needed};
    const auto nanoseconds = [](double seconds) { return static_cast<cl_ulong>(std::llround(seconds * 1e9)); };
    const double end = scheduler.time_of(event->ticket.mark, cudart::current_device()), start = end - event->seconds;
    switch (what) {
        case CL_PROFILING_COMMAND_QUEUED:
        case CL_PROFILING_COMMAND_SUBMIT:
            return asked.number(
                nanoseconds(std::min(start, scheduler.time_of(event->queued, cudart::current_device()))));
        case CL_PROFILING_COMMAND_START:
            return asked.number(nanoseconds(start));
        case CL_PROFILING_COMMAND_END:
        case CL_PROFILING_COMMAND_COMPLETE:
            return asked.number(nanoseconds(end));
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clSetEventCallback(cl_event handle, cl_int status, EventNotify notify, void* data) {
    const auto event = find(handle);
    if (!event) return CL_INVALID_EVENT;
    if (!notify || (status != CL_COMPLETE && status != CL_RUNNING && status != CL_SUBMITTED)) return CL_INVALID_VALUE;
    // Each is called by a thread of its own, so that none waits for another's event.
    auto& scheduler = cudart::Scheduler::get();
    const auto lane = make_lane();
    std::vector<cudart::Ticket> after;
    if (status == CL_COMPLETE) after.push_back(event->ticket);
    scheduler.put(
        lane.stream,
        [event, handle, status, notify, data] {
            const cl_int came = event->error != CL_SUCCESS ? event->error.load() : status;
            cudart::run_host_function([&] { notify(handle, came, data); });
            return timeline::Work{};
        },
        cudart::By::stream, std::move(after));
    (void)scheduler.destroy(lane.handle);
    return CL_SUCCESS;
}

cl_event clCreateUserEvent(cl_context handle, cl_int* code) {
    auto context = find(handle);
    if (!context) return given<cl_event>(code, CL_INVALID_CONTEXT);
    return given(code, CL_SUCCESS, Handles<Event>::get().add(make_user_event(std::move(context))));
}

cl_int clSetUserEventStatus(cl_event handle, cl_int status) {
    const auto event = find(handle);
    if (!event || !event->user) return CL_INVALID_EVENT;
    if (status > CL_COMPLETE) return CL_INVALID_VALUE;
    {
        const std::lock_guard lock(event->mutex);
        if (event->status) return CL_INVALID_OPERATION;
        if (status < 0) event->error = status;
        event->status = status;
    }
    event->changed.notify_all();
    return CL_SUCCESS;
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue handle, cl_uint count, const cl_event* list, cl_event* event) {
    const auto queue = find(handle);
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    Command command{CL_COMMAND_MARKER, nullptr};
    command.after_all = count == 0;
    return enqueue(*queue, std::move(command), {count, list}, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue handle, cl_uint count, const cl_event* list, cl_event* event) {
    const auto queue = find(handle);
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    Command command{CL_COMMAND_BARRIER, nullptr};
    command.after_all = count == 0;
    command.before_all = true;
    return enqueue(*queue, std::move(command), {count, list}, event);
}

cl_int clEnqueueMarker(cl_command_queue queue, cl_event* event) {
    return event ? impl::clEnqueueMarkerWithWaitList(queue, 0, nullptr, event) : CL_INVALID_VALUE;
}
cl_int clEnqueueBarrier(cl_command_queue queue) {
    return impl::clEnqueueBarrierWithWaitList(queue, 0, nullptr, nullptr);
}
cl_int clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event* list) {
    if (!count || !list) return find(queue) ? CL_INVALID_VALUE : CL_INVALID_COMMAND_QUEUE;
    return impl::clEnqueueBarrierWithWaitList(queue, count, list, nullptr);
}

}  // namespace warpwright::opencl::impl

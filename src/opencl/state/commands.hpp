// Commands of queues: pieces of work in the runtime library's streams, each of which is known by an event.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cudart/work/stream/operation.hpp"
#include "opencl/state/objects.hpp"

namespace warpwright::opencl {

/// The events that a program gives to a command.
struct Waits {
    cl_uint count;
    const cl_event* list;
};

struct Command {
    cl_uint type = 0;
    std::function<timeline::Work()> run;  ///< null: nothing is done
    cudart::By by = cudart::By::waiter;
    timeline::Timeline::Call call = timeline::Timeline::Call::free;
    bool after_all = false;   ///< it waits for all that was queued before it
    bool before_all = false;  ///< all that is queued later waits for it
};

/// Queues a command; `event` receives its handle, if the program wants it. A command that blocks is done when this
/// returns.
cl_int enqueue(Queue& queue, Command command, const Waits& waits, cl_event* event, bool blocking = false);

/// The same for a copy of which one side may be memory of the program's. `kept` lives until it is done.
cl_int enqueue_copy(Queue& queue, cl_uint type, cudart::Copy copy, std::vector<std::shared_ptr<void>> kept,
                    const Waits& waits, cl_event* event, bool blocking);

/// Waits for all commands of the queue.
void finish(Queue& queue);
/// Waits for the event; its error, or CL_SUCCESS.
cl_int wait_for(Event& event);
/// CL_COMPLETE, an error, or how far the command has come.
cl_int status_of(Event& event);

/// An event that the program sets.
std::shared_ptr<Event> make_user_event(std::shared_ptr<Context> context);

/// A stream of its own, which no other orders.
Queue::Lane make_lane();

}  // namespace warpwright::opencl

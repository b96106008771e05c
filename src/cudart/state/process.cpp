// The library's part in the end of a process: what kernels printed comes out, kernels that still run are stopped (as a
// real device stops them), and the profile is written, all before the libraries underneath take themselves down.
#include <stdlib.h>

#include "cudart/observe/host_checks.hpp"
#include "cudart/observe/recorder.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/stream/stream.hpp"

namespace warpwright::cudart {
namespace {

void leave() {
    auto& runtime = Runtime::get();
    if (runtime.forked()) return;
    runtime.flush_print();
    runtime.end();
    Scheduler::get().end();
    Recorder::get().write();
    Checks::get().end(false);
}

/// After all that the program itself does at its end: destructors of its own may have freed memory.
void leave_last() {
    leave();
    Checks::get().end(true);
}

/// Handlers run in the order opposite to theirs: this one is registered again when the device is there, so that it runs
/// before whatever the device's libraries registered.
struct AtEnd {
    AtEnd() { ::atexit(leave_last); }
} at_load;

}  // namespace

void leave_at_end() { ::atexit(leave); }

}  // namespace warpwright::cudart

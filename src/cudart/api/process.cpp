// The library's part in the end of a process. Queued work still runs, as far as it ends by itself; the output of
// kernels is printed; and the profile and the findings are written. A program's exit handlers and the destructors of
// its static objects may call the library up to the very end, so none of our objects is destroyed before (see
// __cxa_atexit below).
#include <stdlib.h>

#include <chrono>
#include <string>

#include "cudart/observe/digest.hpp"
#include "cudart/observe/host_checks.hpp"
#include "cudart/observe/host_guard.hpp"
#include "cudart/observe/recorder.hpp"
#include "cudart/state/memory_watch.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/stream.hpp"

namespace warpwright::cudart {
namespace {

/// How long a single kernel, copy or function may take once the program has ended, in seconds, unless --timeout says
/// otherwise. A kernel that waits for the program would wait for ever.
constexpr double kMostSeconds = 10;

/// Lets queued work finish. Work that does not finish is stopped, and the rest is dropped.
void drain() {
    auto& runtime = Runtime::get();
    if (runtime.forked() || runtime.ending()) return;
    const double limit = runtime.settings.timeout;
    // A launch beyond its limit ends with an error by itself, and a little later.
    const auto each = std::chrono::duration<double>(limit > 0 ? limit * 1.5 + 1 : kMostSeconds);
    const bool done = Scheduler::get().drain(each);
    runtime.flush_print();
    if (done) return;
    runtime.say("the program ended while work was queued that did not end within " +
                std::to_string(static_cast<int>(each.count())) +
                " s: it was stopped, and what came behind it was dropped (a longer --timeout lets it run)");
    runtime.end();
    Scheduler::get().end();
}

/// The program's queued work runs before its own objects are destroyed: called when main() has returned, before the
/// handlers and destructors that the program had registered when it first used the device.
void leave(int, void*) {
    const HostClock::Call call;
    drain();
    if (Runtime::get().forked()) return;
    Scheduler::get().settle();
    Recorder::get().write();
    Checks::get().end(false);
}

/// After all that the program itself does at its end: its handlers may have queued more work, its destructors freed
/// memory.
__attribute__((destructor)) void leave_last() {
    auto& runtime = Runtime::get();
    if (runtime.forked()) return;
    const HostClock::Call call;
    drain();
    runtime.end();
    Scheduler::get().end();
    Scheduler::get().settle();
    Recorder::get().write();
    Checks::get().end(true);
}

}  // namespace

void device_started() {
    ::on_exit(leave, nullptr);
    MemoryWatch::get().before_end([] { Recorder::get().write(); });
    start_digest();
    if (Checks::on()) HostGuard::hear_of_calls();
}

}  // namespace warpwright::cudart

/// Replaces the C library's function, for this shared library alone: the destructors of our static objects are not
/// registered. Otherwise a program's exit handlers would find objects destroyed that were made after the handler was
/// registered. (The library is never unloaded: -z nodelete.)
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }

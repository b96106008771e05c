// What every entry point of a drop-in library does around its work.
#pragma once

#include "cudart/observe/recorder.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::libraries {

/// A library's own names for what happened before or during a call.
template <class Status>
struct Statuses {
    Status success, not_initialized, failed;
};

/// Does the work of a call unless its handle is bad or the device is lost, and tells the profile. `number` is that of
/// cudart::add_api_names. A call that `destroys` its handle works on a lost device too.
template <class Status, class Work>
Status enter(const Statuses<Status>& statuses, unsigned number, bool handle_is_good, bool destroys, Work work) {
    auto& runtime = cudart::Runtime::get();
    const cudart::HostClock::Call call;
    const auto started = cudart::Recorder::now();
    cudart::thread_state().uses_device = true;
    const auto lost = [&] { return !destroys && runtime.known_error() != cudaSuccess; };
    Status status = statuses.success;
    const cudart::activity::Call told(number, &status);
    if (!handle_is_good || runtime.forked() || runtime.ending())
        status = statuses.not_initialized;
    else if (lost())
        status = statuses.failed;
    else
        status = work();
    // The work that the call waited for may have failed meanwhile.
    if (status == statuses.success && lost()) status = statuses.failed;
    cudart::Recorder::get().api(number, started, status == statuses.success ? cudaSuccess : cudaErrorUnknown);
    return status;
}

}  // namespace warpwright::libraries

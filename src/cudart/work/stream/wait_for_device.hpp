// Waiting for all work of a device, or of all, in calls that free what it may use.
#pragma once

#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/stream.hpp"

namespace warpwright::cudart {

/// cudaErrorNotPermitted in a function that a stream runs: the work includes that very function.
inline cudaError_t wait_for_device(unsigned device) {
    if (thread_state().in_host_function) return cudaErrorNotPermitted;
    Scheduler::get().wait_device(device);
    return cudaSuccess;
}
inline cudaError_t wait_for_devices() {
    if (thread_state().in_host_function) return cudaErrorNotPermitted;
    Scheduler::get().wait_all();
    return cudaSuccess;
}

}  // namespace warpwright::cudart

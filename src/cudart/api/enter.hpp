// What all entry points of the runtime library have in common: sticky errors, the thread's last error, the profile.
#pragma once

#include <utility>

#include "cudart/api/names.hpp"
#include "cudart/observe/host_checks.hpp"
#include "cudart/observe/recorder.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {

/// True for calls that ask about errors, or about state that a faulty kernel does not change. They make no context
/// current.
constexpr bool works_after_fault(Api api) {
    return api == Api::cudaGetLastError || api == Api::cudaPeekAtLastError || api == Api::cudaDeviceReset ||
           api == Api::cudaGetDevice || api == Api::cudaGetDeviceCount || api == Api::cudaDriverGetVersion ||
           api == Api::cudaRuntimeGetVersion || api == Api::cudaGetDeviceProperties ||
           api == Api::cudaDeviceGetAttribute || api == Api::cudaProfilerStop;
}

template <class F>
cudaError_t enter(Api api, F work) {
    auto& runtime = Runtime::get();
    const bool asks = api == Api::cudaGetLastError || api == Api::cudaPeekAtLastError;
    const auto started = Recorder::now();
    cudaError_t result = cudaSuccess;
    if (!works_after_fault(api)) thread_state().uses_device = true;
    if (runtime.forked())
        result = cudaErrorInitializationError;
    else if (runtime.ending())
        result = cudaErrorCudartUnloading;
    else if (const auto stuck = runtime.sticky(); stuck != cudaSuccess && !works_after_fault(api))
        result = stuck;
    else
        result = work();
    // The work that the call waited for may have failed meanwhile.
    if (result == cudaSuccess && !works_after_fault(api)) result = runtime.sticky();
    if (!asks && result != cudaSuccess && result != cudaErrorNotReady) thread_state().last = result;
    if (Checks::on()) {
        const bool stub = std::exchange(thread_state().in_stub, false) && api == Api::cudaLaunchKernel;
        if (asks)
            Checks::get().asked();
        else if (result != cudaSuccess)
            Checks::get().failed(static_cast<unsigned>(api), result, stub);
    }
    Recorder::get().api(static_cast<unsigned>(api), started, result);
    return result;
}

}  // namespace warpwright::cudart

// What all entry points of the runtime library have in common: sticky errors, the thread's last error, the profile.
#pragma once

#include <utility>

#include "cudart/observe/host_checks.hpp"
#include "cudart/observe/recorder.hpp"
#include "cudart/state/names.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/capture_rules.hpp"

namespace warpwright::cudart {

/// True for calls that ask about errors, or about state that a faulty kernel does not change. They make no context
/// current.
constexpr bool works_after_fault(Api api) {
    return api == Api::cudaGetLastError || api == Api::cudaPeekAtLastError || api == Api::cudaDeviceReset ||
           api == Api::cudaGetDevice || api == Api::cudaGetDeviceCount || api == Api::cudaDriverGetVersion ||
           api == Api::cudaRuntimeGetVersion || api == Api::cudaGetDeviceProperties ||
           api == Api::cudaDeviceGetAttribute || api == Api::cudaProfilerStop;
}

/// What a call is to captures of streams. The table says which work in the legacy stream.
constexpr Concern concern_of(Api api) {
    switch (api) {
#define WW_OR(value)
#define WW_API(name, parameters, arguments)
#define WW_API_STREAM WW_API
#define WW_API_LEGACY(name, parameters, arguments) case Api::name:
#include "warpwright/runtime_api.inc"
#undef WW_API
#undef WW_API_STREAM
#undef WW_API_LEGACY
#undef WW_OR
        return Concern::legacy;
        case Api::cudaDeviceSynchronize:
            return Concern::device;
        case Api::cudaMalloc:
        case Api::cudaMallocPitch:
        case Api::cudaMalloc3D:
        case Api::cudaMallocArray:
        case Api::cudaMalloc3DArray:
        case Api::cudaMallocMipmappedArray:
        case Api::cudaMallocManaged:
        case Api::cudaMallocHost:
        case Api::cudaHostAlloc:
        case Api::cudaHostRegister:
        case Api::cudaHostUnregister:
        case Api::cudaFree:
        case Api::cudaFreeArray:
        case Api::cudaFreeMipmappedArray:
        case Api::cudaFreeHost:
        case Api::cudaEventQuery:
            return Concern::unsafe;
        default:
            return Concern::none;
    }
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
    else if (const auto refused = capture_rules::check(concern_of(api)); refused != cudaSuccess)
        result = refused;
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

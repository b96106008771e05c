// What all entry points of the runtime library have in common: sticky errors, the thread's last error, the profile.
#pragma once

#include <mutex>
#include <utility>

#include "cudart/observe/host_checks.hpp"
#include "cudart/observe/recorder.hpp"
#include "cudart/state/driver_start.hpp"
#include "cudart/state/names.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/capture_rules.hpp"
#include "cudart/work/graph/graph.hpp"
#include "support/function_ref.hpp"

namespace warpwright::cudart {

/// What the row of a function says of it.
struct Rule {
    Concern concern = Concern::none;  ///< what a call is to captures of streams
    bool lasting = false;             ///< it works after a fault too, and makes no context current
};

constexpr Rule rule_of(Api api) {
    switch (api) {
#define WW_OR(value)
#define WW_API(name, parameters, arguments)
#define WW_API_STREAM WW_API
#define WW_RULE(name, concern, lasting) \
    case Api::name:                     \
        return {Concern::concern, lasting};
#define WW_API_LEGACY(name, parameters, arguments) WW_RULE(name, legacy, false)
#define WW_API_UNSAFE(name, parameters, arguments) WW_RULE(name, unsafe, false)
#define WW_API_DEVICE(name, parameters, arguments) WW_RULE(name, device, false)
#define WW_API_LASTING(name, parameters, arguments) WW_RULE(name, none, true)
#include "warpwright/runtime_api.inc"
#undef WW_API
#undef WW_API_STREAM
#undef WW_API_LEGACY
#undef WW_RULE
#undef WW_OR
        default:
            return {};
    }
}

/// By function: whether it looks at graphs, or changes one.
constexpr bool kUsesGraphs[] = {
#define WW_OR(value)
#define WW_API(name, parameters, arguments) uses_graphs(#name),
#define WW_API_STREAM WW_API
#define WW_API_LEGACY WW_API
#include "warpwright/runtime_api.inc"
#undef WW_API
#undef WW_API_STREAM
#undef WW_API_LEGACY
#undef WW_OR
};

/// Functions that ask neither for a device nor for its driver; every other one initialises the driver.
constexpr bool leaves_driver_alone(Api api) {
    return api == Api::cudaGetLastError || api == Api::cudaPeekAtLastError || api == Api::cudaDriverGetVersion ||
           api == Api::cudaRuntimeGetVersion;
}

/// The code by which this face tells a result. The runtime library of CUDA 12 tests extents itself; that of CUDA 13
/// passes on what the driver says of them (tests/cudart/refusals).
constexpr cudaError_t as_this_version_says(cudaError_t result) {
#ifdef WARPWRIGHT_CUDART_12
    return result;
#else
    return result == cudaErrorInvalidConfiguration ? cudaErrorInvalidValue : result;
#endif
}

/// `pack` gives the call's parameters to activity::Parameters. (No template: each of hundreds of functions would have a
/// copy.)
inline cudaError_t enter(Api api, FunctionRef<cudaError_t()> work,
                         FunctionRef<void(activity::Parameters&)> pack = activity::no_parameters) {
    auto& runtime = Runtime::get();
    HostClock::Call call;
    const Rule rule = rule_of(api);
    const bool asks = api == Api::cudaGetLastError || api == Api::cudaPeekAtLastError;
    const auto started = Recorder::now();
    cudaError_t result = cudaSuccess;
    const activity::Call told(static_cast<unsigned>(api), &result, pack);
    std::unique_lock graphs(graphs_in_use(), std::defer_lock);
    // (In a forked child a thread that is not there may hold it.)
    if (kUsesGraphs[static_cast<unsigned>(api)] && !runtime.forked()) graphs.lock();
    if (!rule.lasting) thread_state().uses_device = true;
    if (!leaves_driver_alone(api)) start_driver();
    if (runtime.forked()) {
        runtime.tell_forked(api_name(static_cast<unsigned>(api)));
        result = cudaErrorInitializationError;
    } else if (runtime.ending())
        result = cudaErrorCudartUnloading;
    else if (!rule.lasting && !leaves_driver_alone(api) && runtime.devices() == 0)
        result = cudaErrorNoDevice;
    else if (const auto stuck = runtime.known_error(); stuck != cudaSuccess && !rule.lasting)
        result = stuck;
    else if (const auto refused = capture_rules::check(rule.concern); refused != cudaSuccess)
        result = refused;
    else
        result = as_this_version_says(work());
    // The work that the call waited for may have failed; what it only queued says nothing yet.
    if (result == cudaSuccess && !rule.lasting) result = runtime.known_error();
    if (!asks && result != cudaSuccess && result != cudaErrorNotReady) thread_state().last = result;
    if (Checks::on()) {
        const bool stub = std::exchange(thread_state().in_stub, false) && api == Api::cudaLaunchKernel;
        if (asks)
            Checks::get().asked();
        else if (result != cudaSuccess)
            Checks::get().failed(static_cast<unsigned>(api), result, stub);
    }
    Recorder::get().api(static_cast<unsigned>(api), started, result);
    call.asked = result == cudaErrorNotReady;
    return result;
}

}  // namespace warpwright::cudart

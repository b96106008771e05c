// The driver's entry points, made from the table: what all have in common is here (initialisation, the current context,
// sticky errors, the profile).
#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/contexts.hpp"
#include "cudart/observe/host_checks.hpp"
#include "cudart/observe/recorder.hpp"
#include "cudart/state/names.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/capture_rules.hpp"

namespace warpwright::cuda_driver {
namespace {

using cudart::Recorder;
using cudart::Runtime;

enum class Function : unsigned {
#define WW_CU_ROW(kind, version, name, symbol, parameters, arguments) symbol,
#include "warpwright/driver_api.inc"
#undef WW_CU_ROW
    size_
};

constexpr const char* kNames[] = {
#define WW_CU_ROW(kind, version, name, symbol, parameters, arguments) #symbol,
#include "warpwright/driver_api.inc"
#undef WW_CU_ROW
};

/// The number of the first of them in the profile.
const unsigned first_number = cudart::add_api_names(kNames, static_cast<unsigned>(Function::size_));

enum class Kind { any, init, context, stream, legacy };

/// Functions that take things down work after a fault, as do those that only ask.
constexpr bool works_after_fault(Function f, Kind kind) {
    return kind == Kind::any || f == Function::cuCtxDestroy_v2 || f == Function::cuCtxDestroy ||
           f == Function::cuCtxDetach || f == Function::cuDevicePrimaryCtxReset ||
           f == Function::cuDevicePrimaryCtxReset_v2 || f == Function::cuDevicePrimaryCtxRelease ||
           f == Function::cuDevicePrimaryCtxRelease_v2 || f == Function::cuDevicePrimaryCtxRetain ||
           f == Function::cuCtxPopCurrent_v2 || f == Function::cuCtxPopCurrent || f == Function::cuCtxPushCurrent_v2 ||
           f == Function::cuCtxPushCurrent || f == Function::cuCtxSetCurrent || f == Function::cuCtxGetCurrent ||
           f == Function::cuDeviceGet || f == Function::cuDeviceGetCount || f == Function::cuDeviceGetAttribute ||
           f == Function::cuDeviceGetName || f == Function::cuProfilerStop;
}

/// What a call is to captures of streams.
constexpr cudart::Concern concern_of(Function f, Kind kind) {
    if (kind == Kind::legacy) return cudart::Concern::legacy;
    switch (f) {
        case Function::cuCtxSynchronize:
        case Function::cuCtxSynchronize_v2:
            return cudart::Concern::device;
        case Function::cuMemAlloc_v2:
        case Function::cuMemAllocPitch_v2:
        case Function::cuMemAllocManaged:
        case Function::cuMemAllocHost_v2:
        case Function::cuMemHostAlloc:
        case Function::cuMemHostRegister:
        case Function::cuMemHostRegister_v2:
        case Function::cuMemHostUnregister:
        case Function::cuMemFree_v2:
        case Function::cuMemFreeHost:
        case Function::cuArrayCreate_v2:
        case Function::cuArray3DCreate_v2:
        case Function::cuArrayDestroy:
        case Function::cuMipmappedArrayCreate:
        case Function::cuMipmappedArrayDestroy:
        case Function::cuEventQuery:
            return cudart::Concern::unsafe;
        default:
            return cudart::Concern::none;
    }
}

template <class F>
CUresult enter(Function function, Kind kind, F work) {
    auto& runtime = Runtime::get();
    const auto started = Recorder::now();
    const bool after = works_after_fault(function, kind);
    CUresult result = CUDA_SUCCESS;
    if (kind == Kind::any)
        result = work();
    else if (runtime.forked())
        result = CUDA_ERROR_NOT_INITIALIZED;
    else if (runtime.ending())
        result = CUDA_ERROR_DEINITIALIZED;
    else if (!initialized())
        result = CUDA_ERROR_NOT_INITIALIZED;
    else if (const auto stuck = runtime.sticky(); stuck != cudaSuccess && !after)
        result = code_of(stuck);
    else if (kind != Kind::init && !current())
        result = CUDA_ERROR_INVALID_CONTEXT;
    else if (const auto refused = cudart::capture_rules::check(concern_of(function, kind)); refused != cudaSuccess)
        result = code_of(refused);
    else
        result = work();
    // The work that the call waited for may have failed meanwhile.
    if (result == CUDA_SUCCESS && !after) result = code_of(runtime.sticky());
    const auto same = static_cast<cudaError_t>(result);
    const unsigned number = first_number + static_cast<unsigned>(function);
    if (result != CUDA_SUCCESS && cudart::Checks::on()) cudart::Checks::get().failed(number, same, false);
    Recorder::get().api(number, started, same);
    return result;
}

/// For the duration of a call, stream 0 is the thread's own.
struct PerThread {
    PerThread() { cudart::thread_state().per_thread_stream = true; }
    ~PerThread() { cudart::thread_state().per_thread_stream = false; }
};

}  // namespace
}  // namespace warpwright::cuda_driver

using namespace warpwright::cuda_driver;

#define WW_ENTRY(kind, symbol, second, parameters, arguments, guard)                        \
    extern "C" __attribute__((visibility("default"))) CUresult second parameters {          \
        guard;                                                                              \
        return enter(Function::symbol, Kind::kind, [&] { return impl::symbol arguments; }); \
    }
#define WW_CU_ROW(kind, version, name, symbol, parameters, arguments) WW_ROW_##kind(symbol, parameters, arguments)
#define WW_ROW_any(symbol, parameters, arguments) WW_ENTRY(any, symbol, symbol, parameters, arguments, )
#define WW_ROW_init(symbol, parameters, arguments) WW_ENTRY(init, symbol, symbol, parameters, arguments, )
#define WW_ROW_context(symbol, parameters, arguments) WW_ENTRY(context, symbol, symbol, parameters, arguments, )
#define WW_ROW_stream(symbol, parameters, arguments)          \
    WW_ENTRY(stream, symbol, symbol, parameters, arguments, ) \
    WW_ENTRY(stream, symbol, symbol##_ptsz, parameters, arguments, PerThread per_thread)
#define WW_ROW_legacy(symbol, parameters, arguments)          \
    WW_ENTRY(legacy, symbol, symbol, parameters, arguments, ) \
    WW_ENTRY(legacy, symbol, symbol##_ptds, parameters, arguments, PerThread per_thread)
#include "warpwright/driver_api.inc"

// The driver's entry points, made from the table: what all have in common is here (initialisation, the current context,
// sticky errors, the profile).
#include <mutex>

#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/contexts.hpp"
#include "cudart/observe/host_checks.hpp"
#include "cudart/observe/recorder.hpp"
#include "cudart/state/names.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/capture_rules.hpp"
#include "cudart/work/graph/graph.hpp"
#include "support/function_ref.hpp"

namespace warpwright::cuda_driver {
namespace {

using cudart::Recorder;
using cudart::Runtime;

enum class Function : unsigned {
#define WW_CU_ROW(kind, rule, version, name, symbol, parameters, arguments) symbol,
#include "warpwright/driver_api.inc"
#undef WW_CU_ROW
    size_
};

constexpr const char* kNames[] = {
#define WW_CU_ROW(kind, rule, version, name, symbol, parameters, arguments) #symbol,
#include "warpwright/driver_api.inc"
#undef WW_CU_ROW
};

constexpr bool kUsesGraphs[] = {
#define WW_CU_ROW(kind, rule, version, name, symbol, parameters, arguments) cudart::uses_graphs(#symbol),
#include "warpwright/driver_api.inc"
#undef WW_CU_ROW
};

/// The number of the first of them in the profile.
const unsigned first_number = cudart::add_api_names(kNames, static_cast<unsigned>(Function::size_));

enum class Kind { any, init, context, stream, legacy };

/// What else a row says.
enum class Rule { plain, unsafe, device, lasting };

/// What a call is to captures of streams.
constexpr cudart::Concern concern_of(Kind kind, Rule rule) {
    if (kind == Kind::legacy) return cudart::Concern::legacy;
    if (rule == Rule::device) return cudart::Concern::device;
    return rule == Rule::unsafe ? cudart::Concern::unsafe : cudart::Concern::none;
}

/// (No template: each of hundreds of functions would have a copy.)
CUresult enter(Function function, Kind kind, Rule rule, FunctionRef<CUresult()> work,
               FunctionRef<void(cudart::activity::Parameters&)> pack) {
    auto& runtime = Runtime::get();
    cudart::HostClock::Call call;
    const auto started = Recorder::now();
    const bool after = kind == Kind::any || rule == Rule::lasting;
    CUresult result = CUDA_SUCCESS;
    const unsigned number = first_number + static_cast<unsigned>(function);
    const cudart::activity::Call told(number, &result, pack);
    std::unique_lock graphs(cudart::graphs_in_use(), std::defer_lock);
    // (In a forked child a thread that is not there may hold it.)
    if (kUsesGraphs[static_cast<unsigned>(function)] && !runtime.forked()) graphs.lock();
    if (kind == Kind::any)
        result = work();
    else if (runtime.forked()) {
        runtime.tell_forked(cudart::api_name(number));
        result = CUDA_ERROR_NOT_INITIALIZED;
    } else if (runtime.ending())
        result = CUDA_ERROR_DEINITIALIZED;
    else if (!initialized())
        result = CUDA_ERROR_NOT_INITIALIZED;
    else if (const auto stuck = runtime.known_error(); stuck != cudaSuccess && !after)
        result = code_of(stuck);
    else if (kind != Kind::init && !current())
        result = CUDA_ERROR_INVALID_CONTEXT;
    else if (const auto refused = cudart::capture_rules::check(concern_of(kind, rule)); refused != cudaSuccess)
        result = code_of(refused);
    else
        result = work();
    // The work that the call waited for may have failed; what it only queued says nothing yet.
    if (result == CUDA_SUCCESS && !after) result = code_of(runtime.known_error());
    const auto same = static_cast<cudaError_t>(result);
    if (result != CUDA_SUCCESS && cudart::Checks::on()) cudart::Checks::get().failed(number, same, false);
    Recorder::get().api(number, started, same);
    call.asked = result == CUDA_ERROR_NOT_READY;
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

#define WW_ENTRY(kind, rule, symbol, second, parameters, arguments, guard)                    \
    extern "C" __attribute__((visibility("default"))) CUresult second parameters {            \
        guard;                                                                                \
        return enter(                                                                         \
            Function::symbol, Kind::kind, Rule::rule, [&] { return impl::symbol arguments; }, \
            [&](warpwright::cudart::activity::Parameters& pack) { pack arguments; });         \
    }
#define WW_CU_ROW(kind, rule, version, name, symbol, parameters, arguments) \
    WW_ROW_##kind(rule, symbol, parameters, arguments)
#define WW_ROW_any(rule, symbol, parameters, arguments) WW_ENTRY(any, rule, symbol, symbol, parameters, arguments, )
#define WW_ROW_init(rule, symbol, parameters, arguments) WW_ENTRY(init, rule, symbol, symbol, parameters, arguments, )
#define WW_ROW_context(rule, symbol, parameters, arguments) \
    WW_ENTRY(context, rule, symbol, symbol, parameters, arguments, )
#define WW_ROW_stream(rule, symbol, parameters, arguments)          \
    WW_ENTRY(stream, rule, symbol, symbol, parameters, arguments, ) \
    WW_ENTRY(stream, rule, symbol, symbol##_ptsz, parameters, arguments, PerThread per_thread)
#define WW_ROW_legacy(rule, symbol, parameters, arguments)          \
    WW_ENTRY(legacy, rule, symbol, symbol, parameters, arguments, ) \
    WW_ENTRY(legacy, rule, symbol, symbol##_ptds, parameters, arguments, PerThread per_thread)
#include "warpwright/driver_api.inc"

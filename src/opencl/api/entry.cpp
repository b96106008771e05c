// The entry points, made from the list: what all have in common is here (a kernel's fault, the end of the process, the
// profile).
#include <cstring>
#include <type_traits>

#include "cudart/observe/recorder.hpp"
#include "cudart/state/names.hpp"
#include "cudart/state/runtime.hpp"
#include "opencl/api/api.hpp"

namespace warpwright::opencl {
namespace {

using cudart::Recorder;
using cudart::Runtime;

enum class Function : unsigned {
#define WW_CL(kind, type, name, parameters, arguments) name,
#include "opencl/state/functions.inc"
    size_
};

constexpr const char* kNames[] = {
#define WW_CL(kind, type, name, parameters, arguments) #name,
#include "opencl/state/functions.inc"
};

/// The number of the first of them in the profile.
const unsigned first_number = cudart::add_api_names(kNames, static_cast<unsigned>(Function::size_));

enum class Kind { any, work };

bool failed(cl_int result) { return result != CL_SUCCESS; }
bool failed(const void* object) { return !object; }

/// The last argument of a function that makes an object is where its code goes.
inline void refuse(cl_int* code, cl_int why) {
    if (code) *code = why;
}
inline cl_int* last() { return nullptr; }
template <class T>
cl_int* last(T value) {
    if constexpr (std::is_same_v<T, cl_int*>) return value;
    return nullptr;
}
template <class T, class... Rest>
cl_int* last(T, Rest... rest)
    requires(sizeof...(Rest) > 0)
{
    return last(rest...);
}

/// What a call answers where it is not made at all.
cl_int refusal(Kind kind) {
    auto& runtime = Runtime::get();
    if (runtime.forked() || runtime.ending()) return CL_OUT_OF_RESOURCES;
    return kind == Kind::work && runtime.known_error() != cudaSuccess ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

template <class Result, class F, class... Arguments>
Result enter(Function function, Kind kind, F work, Arguments... arguments) {
    cudart::HostClock::Call call;
    const auto started = Recorder::now();
    const unsigned number = first_number + static_cast<unsigned>(function);
    const auto tell = [&](bool bad) { Recorder::get().api(number, started, bad ? cudaErrorUnknown : cudaSuccess); };
    if constexpr (std::is_void_v<Result>) {
        if (refusal(kind) == CL_SUCCESS) work(arguments...);
        tell(false);
    } else {
        Result result{};
        const cl_int refused = refusal(kind);
        if (refused == CL_SUCCESS)
            result = work(arguments...);
        else if constexpr (std::is_same_v<Result, cl_int>)
            result = refused;
        else
            refuse(last(arguments...), refused);
        // The work that the call waited for may have failed meanwhile.
        if constexpr (std::is_same_v<Result, cl_int>)
            if (result == CL_SUCCESS) result = refusal(kind);
        tell(failed(result));
        return result;
    }
}

#define WW_CL(kind, type, name, parameters, arguments)                                                                 \
    type entry_##name parameters {                                                                                     \
        return [](auto... given) { return enter<type>(Function::name, Kind::kind, &impl::name, given...); } arguments; \
    }
#include "opencl/state/functions.inc"

/// Of an extension that there is none of here.
cl_int not_there() { return CL_INVALID_OPERATION; }

}  // namespace

const Dispatch dispatch = {
#define WW_CL(kind, type, name, parameters, arguments) &entry_##name,
#define WW_CL_NONE(name) &not_there,
#include "opencl/state/functions.inc"
};

namespace impl {

void* clGetExtensionFunctionAddress(const char* wanted) {
    if (!wanted) return nullptr;
#define WW_CL(kind, type, name, parameters, arguments) \
    if (!std::strcmp(wanted, #name)) return reinterpret_cast<void*>(&entry_##name);
#include "opencl/state/functions.inc"
    return nullptr;
}
void* clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* name) {
    return find(platform) ? impl::clGetExtensionFunctionAddress(name) : nullptr;
}

}  // namespace impl
}  // namespace warpwright::opencl

// What the loader looks for by name.
#define WW_EXPORT extern "C" __attribute__((visibility("default")))
namespace cl = warpwright::opencl;
WW_EXPORT void* clGetExtensionFunctionAddress(const char* name) {
    return cl::impl::clGetExtensionFunctionAddress(name);
}
WW_EXPORT cl::cl_int clIcdGetPlatformIDsKHR(cl::cl_uint count, cl::cl_platform_id* list, cl::cl_uint* found) {
    return cl::impl::clIcdGetPlatformIDsKHR(count, list, found);
}
WW_EXPORT cl::cl_int clGetPlatformInfo(cl::cl_platform_id platform, cl::cl_uint what, size_t size, void* value,
                                       size_t* needed) {
    return cl::impl::clGetPlatformInfo(platform, what, size, value, needed);
}

// Functions by name and version (cuGetProcAddress), and those that are here by name only.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "cuda_driver/api/api.hpp"
#include "cudart/state/runtime.hpp"

extern "C" {
#define WW_CU_ROW(kind, rule, version, name, symbol, parameters, arguments) \
    CUresult symbol parameters;                                             \
    WW_PER_THREAD_##kind(symbol, parameters)
#define WW_PER_THREAD_any(symbol, parameters)
#define WW_PER_THREAD_init(symbol, parameters)
#define WW_PER_THREAD_context(symbol, parameters)
#define WW_PER_THREAD_stream(symbol, parameters) CUresult symbol##_ptsz parameters;
#define WW_PER_THREAD_legacy(symbol, parameters) CUresult symbol##_ptds parameters;
#include "warpwright/driver_api.inc"
#undef WW_CU_ROW
}

namespace warpwright::cuda_driver {
namespace {

using Pointer = void (*)();
template <class F>
Pointer pointer(F* function) {
    return reinterpret_cast<Pointer>(function);
}

struct Entry {
    const char* name;
    int version;  ///< the first of CUDA that has this form
    Pointer own;
    Pointer per_thread;  ///< the form whose stream 0 is the thread's own; the same where there is no other
};

const Entry kEntries[] = {
#define WW_OF_any(symbol) pointer(::symbol)
#define WW_OF_init(symbol) pointer(::symbol)
#define WW_OF_context(symbol) pointer(::symbol)
#define WW_OF_stream(symbol) pointer(::symbol##_ptsz)
#define WW_OF_legacy(symbol) pointer(::symbol##_ptds)
#define WW_CU_ROW(kind, rule, version, name, symbol, parameters, arguments) \
    {#name, version, pointer(::symbol), WW_OF_##kind(symbol)},
#include "warpwright/driver_api.inc"
#undef WW_CU_ROW
    // Since CUDA 12 this name stands for a function that has one of its own.
    {"cuGraphInstantiate", 12000, pointer(::cuGraphInstantiateWithFlags), pointer(::cuGraphInstantiateWithFlags)},
};

CUresult refuse(const char* name) {
    cudart::Runtime::get().say(std::string(name) + " is not supported by the emulated GPU's driver library");
    return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace
}  // namespace warpwright::cuda_driver

// The parameters are not used, whatever they are.
#define WW_CU_ROW(kind, rule, version, name, symbol, parameters, arguments)
#define WW_CU_MISSING(name) \
    extern "C" __attribute__((visibility("default"))) CUresult name() { return warpwright::cuda_driver::refuse(#name); }
#include "warpwright/driver_api.inc"

namespace warpwright::cuda_driver {
namespace {

struct Missing {
    const char* name;
    Pointer function;
};
const Missing kMissing[] = {
#define WW_CU_MISSING(name) {#name, pointer(::name)},
#include "warpwright/driver_api.inc"
#undef WW_CU_ROW
};

}  // namespace

namespace impl {

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
    if (!symbol || !function || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
    *function = nullptr;
    const Entry* best = nullptr;
    bool known = false;
    for (const auto& e : kEntries) {
        if (std::strcmp(e.name, symbol) != 0) continue;
        known = true;
        if (e.version <= version && (!best || e.version > best->version)) best = &e;
    }
    if (best) {
        const bool per_thread = flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
        *function = reinterpret_cast<void*>(per_thread ? best->per_thread : best->own);
    } else if (!known) {
        for (const auto& m : kMissing)
            if (std::strcmp(m.name, symbol) == 0) *function = reinterpret_cast<void*>(m.function);
    }
    if (status)
        *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS
                  : known   ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                            : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
    return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

}  // namespace impl
}  // namespace warpwright::cuda_driver

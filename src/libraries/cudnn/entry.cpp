// The entry points of libcudnn. A handle opens and tells its version, without which XLA compiles nothing; what would
// compute is there by name, and refused: frameworks then go another way (docs/libraries.md).
#include <cstdio>
#include <memory>

#include "cudart/state/runtime.hpp"
#include "driver_types.h"
#include "library_types.h"
#include "support/handle_table.hpp"

#define WW_ENTRY extern "C" __attribute__((visibility("default")))

namespace {

/// cudnnStatus_t of version 9, as far as we give it.
enum Status : int { kSuccess = 0, kNotInitialized = 1001, kBadParameter = 2000, kNotSupported = 3000 };
constexpr int kVersion[] = {9, 28, 1};

struct Context {
    cudaStream_t stream = nullptr;
};
using Handle = struct cudnnContext*;

warpwright::HandleTable<Handle, Context>& contexts() {
    static auto* all = new warpwright::HandleTable<Handle, Context>;
    return *all;
}

}  // namespace

WW_ENTRY size_t cudnnGetVersion() { return kVersion[0] * 10000 + kVersion[1] * 100 + kVersion[2]; }
WW_ENTRY size_t cudnnGetCudartVersion() { return 13000; }
WW_ENTRY size_t cudnnGetMaxDeviceVersion() { return 1210; }
WW_ENTRY int cudnnGetProperty(libraryPropertyType type, int* value) {
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL) return kBadParameter;
    *value = kVersion[type];
    return kSuccess;
}
WW_ENTRY const char* cudnnGetErrorString(int status) {
    switch (status) {
        case kSuccess:
            return "CUDNN_STATUS_SUCCESS";
        case kNotInitialized:
            return "CUDNN_STATUS_NOT_INITIALIZED";
        case kBadParameter:
            return "CUDNN_STATUS_BAD_PARAM";
        case kNotSupported:
            return "CUDNN_STATUS_NOT_SUPPORTED";
        default:
            return "CUDNN_STATUS_INTERNAL_ERROR";
    }
}
WW_ENTRY void cudnnGetLastErrorString(char* message, size_t size) {
    if (message && size) std::snprintf(message, size, "the emulated GPU's cuDNN library computes nothing");
}

WW_ENTRY int cudnnCreate(Handle* handle) {
    if (!handle) return kBadParameter;
    *handle = contexts().add(std::make_shared<Context>());
    return kSuccess;
}
WW_ENTRY int cudnnDestroy(Handle handle) { return contexts().take(handle) ? kSuccess : kNotInitialized; }
WW_ENTRY int cudnnSetStream(Handle handle, cudaStream_t stream) {
    const auto context = contexts().find(handle);
    if (!context) return kNotInitialized;
    context->stream = stream;
    return kSuccess;
}
WW_ENTRY int cudnnGetStream(Handle handle, cudaStream_t* stream) {
    const auto context = contexts().find(handle);
    if (!context) return kNotInitialized;
    if (!stream) return kBadParameter;
    *stream = context->stream;
    return kSuccess;
}
/// No error comes later than its call.
WW_ENTRY int cudnnQueryRuntimeError(Handle, int* status, int, void*) {
    if (status) *status = kSuccess;
    return kSuccess;
}
WW_ENTRY int cudnnSetCallback(unsigned, void*, void*) { return kSuccess; }
WW_ENTRY int cudnnGetCallback(unsigned* mask, void** data, void** function) {
    if (mask) *mask = 0;
    if (data) *data = nullptr;
    if (function) *function = nullptr;
    return kSuccess;
}
WW_ENTRY int cudnnGraphVersionCheck() { return kSuccess; }
WW_ENTRY int cudnnOpsVersionCheck() { return kSuccess; }
WW_ENTRY int cudnnCnnVersionCheck() { return kSuccess; }
WW_ENTRY int cudnnAdvVersionCheck() { return kSuccess; }

#define WW_CUDNN_MISSING(name)                                                                                 \
    WW_ENTRY int name() {                                                                                      \
        warpwright::cudart::Runtime::get().say(#name " is not supported by the emulated GPU's cuDNN library"); \
        return kNotSupported;                                                                                  \
    }
#include "warpwright/cudnn_missing.inc"

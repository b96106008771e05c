// The entry points of libcudnn, made from the table.
#include <cstdio>

#include "libraries/common/enter.hpp"
#include "libraries/cudnn/backend.hpp"

namespace warpwright::libraries {
constexpr Statuses<cudnnStatus_t> kStatuses{CUDNN_STATUS_SUCCESS, CUDNN_STATUS_NOT_INITIALIZED,
                                            CUDNN_STATUS_EXECUTION_FAILED};
using namespace dnn;
}  // namespace warpwright::libraries

#define WW_CUDNN(name, parameters, call) WW_FUNCTION(name, parameters, call)
#define WW_CUDNN_MISSING(name) WW_FUNCTION_MISSING(name)
#define WW_TABLE "warpwright/cudnn_api.inc"
#define WW_STATUS cudnnStatus_t
#define WW_DESTROY cudnnDestroy
#define WW_TITLE "cuDNN"
#define WW_NOT_THERE CUDNN_STATUS_NOT_SUPPORTED
#include "libraries/common/entry_points.inc"

WW_ENTRY size_t cudnnGetVersion() { return CUDNN_VERSION; }
WW_ENTRY size_t cudnnGetCudartVersion() { return 13000; }
WW_ENTRY size_t cudnnGetMaxDeviceVersion() { return 1210; }
WW_ENTRY const char* cudnnGetErrorString(cudnnStatus_t status) {
    switch (status) {
#define WW_NAME(name) \
    case name:        \
        return #name;
        WW_NAME(CUDNN_STATUS_SUCCESS)
        WW_NAME(CUDNN_STATUS_NOT_INITIALIZED)
        WW_NAME(CUDNN_STATUS_BAD_PARAM)
        WW_NAME(CUDNN_STATUS_BAD_PARAM_NULL_POINTER)
        WW_NAME(CUDNN_STATUS_NOT_SUPPORTED)
        WW_NAME(CUDNN_STATUS_ALLOC_FAILED)
        WW_NAME(CUDNN_STATUS_EXECUTION_FAILED)
#undef WW_NAME
        default:
            return "CUDNN_STATUS_INTERNAL_ERROR";
    }
}
WW_ENTRY void cudnnGetLastErrorString(char* message, size_t size) {
    if (message && size) std::snprintf(message, size, "%s", warpwright::cudart::Runtime::last_said().c_str());
}

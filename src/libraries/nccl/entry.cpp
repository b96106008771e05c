// The entry points of libnccl, made from the table.
#include "libraries/common/enter.hpp"
#include "libraries/nccl/functions.hpp"

namespace warpwright::libraries {
constexpr Statuses<ncclResult_t> kStatuses{ncclSuccess, ncclSystemError, ncclUnhandledCudaError};
}

#define WW_NCCL(name, parameters, arguments) WW_FUNCTION(name, parameters, nccl_impl::name arguments)
#define WW_NCCL_MISSING(name) WW_FUNCTION_MISSING(name)
#define WW_TABLE "warpwright/nccl_api.inc"
#define WW_STATUS ncclResult_t
#define WW_DESTROY ncclCommDestroy
#define WW_TITLE "NCCL"
#define WW_NOT_THERE ncclInvalidUsage
#include "libraries/common/entry_points.inc"

WW_ENTRY const char* ncclGetErrorString(ncclResult_t result) {
    constexpr const char* kTexts[] = {"no error",
                                      "unhandled cuda error",
                                      "unhandled system error",
                                      "internal error",
                                      "invalid argument",
                                      "invalid usage",
                                      "remote process exited or there was a network error",
                                      "NCCL operation in progress"};
    return result >= 0 && result < ncclNumResults ? kTexts[result] : "unknown result code";
}

WW_ENTRY const char* ncclGetLastError(ncclComm_t) { return warpwright::cudart::Runtime::last_said().c_str(); }

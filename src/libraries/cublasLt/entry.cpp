// The entry points of libcublasLt, made from the table.
#include "libraries/common/cublas_status.hpp"
#include "libraries/common/enter.hpp"
#include "libraries/cublasLt/functions.hpp"

namespace warpwright::libraries {
constexpr Statuses<cublasStatus_t> kStatuses{CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_INITIALIZED,
                                             CUBLAS_STATUS_EXECUTION_FAILED};
}

#define WW_CUBLASLT(name, parameters, arguments) WW_FUNCTION(name, parameters, lt_impl::name arguments)
#define WW_CUBLASLT_MISSING(name) WW_FUNCTION_MISSING(name)
#define WW_TABLE "warpwright/cublaslt_api.inc"
#define WW_STATUS cublasStatus_t
#define WW_DESTROY cublasLtDestroy
#define WW_TITLE "cublasLt"
#define WW_NOT_THERE CUBLAS_STATUS_NOT_SUPPORTED
#include "libraries/common/entry_points.inc"

WW_ENTRY const char* cublasLtGetStatusName(cublasStatus_t status) { return status_name(status); }
WW_ENTRY const char* cublasLtGetStatusString(cublasStatus_t status) { return status_name(status); }
WW_ENTRY size_t cublasLtGetVersion() { return WARPWRIGHT_LIBRARY_MAJOR == 13 ? 130000 : 120900; }
WW_ENTRY size_t cublasLtGetCudartVersion() { return WARPWRIGHT_LIBRARY_MAJOR * 1000; }
// No instruction of the host's is chosen by it.
WW_ENTRY unsigned cublasLtDisableCpuInstructionsSetMask(unsigned) { return 0; }

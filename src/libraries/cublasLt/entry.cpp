// The entry points of libcublasLt, made from the table.
#include "cudart/state/names.hpp"
#include "libraries/common/cublas_status.hpp"
#include "libraries/common/enter.hpp"
#include "libraries/cublasLt/functions.hpp"

namespace warpwright::libraries {
namespace {

enum class Function : unsigned {
#define WW_CUBLASLT(name, parameters, arguments) name,
#include "warpwright/cublaslt_api.inc"
#undef WW_CUBLASLT
    size_
};
constexpr const char* kNames[] = {
#define WW_CUBLASLT(name, parameters, arguments) #name,
#include "warpwright/cublaslt_api.inc"
#undef WW_CUBLASLT
};
const unsigned first_number = cudart::add_api_names(kNames, static_cast<unsigned>(Function::size_));

constexpr Statuses<cublasStatus_t> kStatuses{CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_INITIALIZED,
                                             CUBLAS_STATUS_EXECUTION_FAILED};

template <class Work>
cublasStatus_t enter(Function function, Work work) {
    return enter(kStatuses, first_number + static_cast<unsigned>(function), true, function == Function::cublasLtDestroy,
                 work);
}

}  // namespace
}  // namespace warpwright::libraries

using namespace warpwright::libraries;

#define WW_ENTRY extern "C" __attribute__((visibility("default")))
#define WW_CUBLASLT(name, parameters, arguments)                               \
    WW_ENTRY cublasStatus_t name parameters {                                  \
        return enter(Function::name, [&] { return lt_impl::name arguments; }); \
    }
// Functions that are not implemented report it: once on standard error, and each time with a status.
#define WW_CUBLASLT_MISSING(name)                                                                                 \
    WW_ENTRY cublasStatus_t name() {                                                                              \
        warpwright::cudart::Runtime::get().say(#name " is not supported by the emulated GPU's cublasLt library"); \
        return CUBLAS_STATUS_NOT_SUPPORTED;                                                                       \
    }
#include "warpwright/cublaslt_api.inc"

WW_ENTRY const char* cublasLtGetStatusName(cublasStatus_t status) { return status_name(status); }
WW_ENTRY const char* cublasLtGetStatusString(cublasStatus_t status) { return status_name(status); }
WW_ENTRY size_t cublasLtGetVersion() { return WARPWRIGHT_LIBRARY_MAJOR == 13 ? 130000 : 120900; }
WW_ENTRY size_t cublasLtGetCudartVersion() { return WARPWRIGHT_LIBRARY_MAJOR * 1000; }
// No instruction of the host's is chosen by it.
WW_ENTRY unsigned cublasLtDisableCpuInstructionsSetMask(unsigned) { return 0; }

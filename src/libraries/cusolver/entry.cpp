// The entry points of libcusolver, made from the table.
#include "libraries/common/enter.hpp"
#include "libraries/cusolver/functions.hpp"

namespace warpwright::libraries {
constexpr Statuses<cusolverStatus_t> kStatuses{CUSOLVER_STATUS_SUCCESS, CUSOLVER_STATUS_NOT_INITIALIZED,
                                               CUSOLVER_STATUS_EXECUTION_FAILED};
}

#define WW_CUSOLVER(name, parameters, call) WW_FUNCTION(name, parameters, solver_impl::call)
#define WW_CUSOLVER_MISSING(name) WW_FUNCTION_MISSING(name)
#define WW_TABLE "warpwright/cusolver_api.inc"
#define WW_STATUS cusolverStatus_t
#define WW_DESTROY cusolverDnDestroy
#define WW_TITLE "cuSOLVER"
#define WW_NOT_THERE CUSOLVER_STATUS_NOT_SUPPORTED
#include "libraries/common/entry_points.inc"

// The entry points of libcufft, made from the table.
#include "libraries/common/enter.hpp"
#include "libraries/cufft/functions.hpp"

namespace warpwright::libraries {
constexpr Statuses<cufftResult> kStatuses{CUFFT_SUCCESS, CUFFT_SETUP_FAILED, CUFFT_EXEC_FAILED};
}

#define WW_CUFFT(name, parameters, arguments) WW_FUNCTION(name, parameters, fft_impl::name arguments)
#define WW_CUFFT_MISSING(name) WW_FUNCTION_MISSING(name)
#define WW_TABLE "warpwright/cufft_api.inc"
#define WW_STATUS cufftResult
#define WW_DESTROY cufftDestroy
#define WW_TITLE "cuFFT"
#define WW_NOT_THERE CUFFT_NOT_IMPLEMENTED
#include "libraries/common/entry_points.inc"

// The entry points of libcufft, made from the table.
#include "cudart/state/names.hpp"
#include "libraries/common/enter.hpp"
#include "libraries/cufft/functions.hpp"

namespace warpwright::libraries {
namespace {

enum class Function : unsigned {
#define WW_CUFFT(name, parameters, arguments) name,
#include "warpwright/cufft_api.inc"
#undef WW_CUFFT
    size_
};
constexpr const char* kNames[] = {
#define WW_CUFFT(name, parameters, arguments) #name,
#include "warpwright/cufft_api.inc"
#undef WW_CUFFT
};
const unsigned first_number = cudart::add_api_names(kNames, static_cast<unsigned>(Function::size_));

constexpr Statuses<cufftResult> kStatuses{CUFFT_SUCCESS, CUFFT_SETUP_FAILED, CUFFT_EXEC_FAILED};

template <class Work>
cufftResult enter(Function function, Work work) {
    return enter(kStatuses, first_number + static_cast<unsigned>(function), true, function == Function::cufftDestroy,
                 work);
}

}  // namespace
}  // namespace warpwright::libraries

using namespace warpwright::libraries;

#define WW_ENTRY extern "C" __attribute__((visibility("default")))
#define WW_CUFFT(name, parameters, arguments)                                   \
    WW_ENTRY cufftResult name parameters {                                      \
        return enter(Function::name, [&] { return fft_impl::name arguments; }); \
    }
// Functions that are not implemented report it: once on standard error, and each time with a status.
#define WW_CUFFT_MISSING(name)                                                                                 \
    WW_ENTRY cufftResult name() {                                                                              \
        warpwright::cudart::Runtime::get().say(#name " is not supported by the emulated GPU's cuFFT library"); \
        return CUFFT_NOT_IMPLEMENTED;                                                                          \
    }
#include "warpwright/cufft_api.inc"

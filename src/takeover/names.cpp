// The names are the entry points of the runtime library, taken from its own list with a few more beside it, and sorted
// at the first search.
#include "takeover/names.hpp"

#include <algorithm>
#include <iterator>

namespace warpwright::takeover {
namespace {

const char* kNames[] = {
#define WW_OR(value)
#define WW_API(name, parameters, arguments) #name,
#define WW_API_STREAM(name, parameters, arguments) #name, #name "_ptsz",
#define WW_API_LEGACY(name, parameters, arguments) #name, #name "_ptds",
#define WW_API_MISSING(name) #name,
#include "warpwright/runtime_api.inc"
#undef WW_API
#undef WW_API_STREAM
#undef WW_API_LEGACY
#undef WW_OR
    // What libcudart.so.12 has besides; what gives no error; and what the compiler's code calls.
    "cudaGetDeviceProperties_v2",
    "cudaStreamGetCaptureInfo_v2",
    "cudaGetErrorName",
    "cudaGetErrorString",
    "cudaCreateChannelDesc",
    "__cudaRegisterFatBinary",
    "__cudaRegisterFatBinaryEnd",
    "__cudaUnregisterFatBinary",
    "__cudaRegisterFunction",
    "__cudaRegisterVar",
    "__cudaRegisterHostVar",
    "__cudaRegisterManagedVar",
    "__cudaRegisterTexture",
    "__cudaRegisterSurface",
    "__cudaRegisterUnifiedTable",
    "__cudaInitModule",
    "__cudaPushCallConfiguration",
    "__cudaPopCallConfiguration",
    "__cudaGetKernel",
    "__cudaLaunchKernel",
    "__cudaLaunchKernel_ptsz",
};

}  // namespace

const char* known_name(std::string_view name) {
    static const bool sorted = [] {
        std::sort(std::begin(kNames), std::end(kNames),
                  [](const char* a, const char* b) { return std::string_view(a) < std::string_view(b); });
        return true;
    }();
    (void)sorted;
    const auto found = std::lower_bound(std::begin(kNames), std::end(kNames), name,
                                        [](const char* a, std::string_view b) { return std::string_view(a) < b; });
    return found != std::end(kNames) && *found == name ? *found : nullptr;
}

}  // namespace warpwright::takeover

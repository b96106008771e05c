// The entry points of libcupti. Packages ask it for its version when they start, and go on without a profiler where the
// rest answers that there is none: `run` is the profiler of emulated devices.
#include <chrono>
#include <cstdint>

#include "cudart/state/runtime.hpp"

#define WW_ENTRY extern "C" __attribute__((visibility("default")))

namespace {

/// CUptiResult, as far as we give it.
enum Result : int { kSuccess = 0, kInvalidParameter = 1, kNotSupported = 27 };

const char* name_of(int result) {
    switch (result) {
        case kSuccess:
            return "CUPTI_SUCCESS";
        case kInvalidParameter:
            return "CUPTI_ERROR_INVALID_PARAMETER";
        case kNotSupported:
            return "CUPTI_ERROR_NOT_SUPPORTED";
        default:
            return nullptr;
    }
}

}  // namespace

WW_ENTRY int cuptiGetVersion(std::uint32_t* version) {
    if (!version) return kInvalidParameter;
    *version = WARPWRIGHT_LIBRARY_MAJOR == 13 ? 130000 : 28;
    return kSuccess;
}

WW_ENTRY int cuptiGetResultString(int result, const char** text) {
    const char* name = name_of(result);
    if (!text || !name) return kInvalidParameter;
    *text = name;
    return kSuccess;
}
WW_ENTRY int cuptiGetErrorMessage(int result, const char** text) { return cuptiGetResultString(result, text); }

WW_ENTRY int cuptiGetTimestamp(std::uint64_t* nanoseconds) {
    if (!nanoseconds) return kInvalidParameter;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    *nanoseconds = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    return kSuccess;
}

#define WW_CUPTI_MISSING(name)                                                                            \
    WW_ENTRY int name() {                                                                                 \
        warpwright::cudart::Runtime::get().say(#name                                                      \
                                               " is not supported by the emulated GPU's CUPTI: there is " \
                                               "no profiler in the program; warpwright run is one");      \
        return kNotSupported;                                                                             \
    }
#include "warpwright/cupti_api.inc"

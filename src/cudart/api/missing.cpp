// Functions that are not implemented report it: once on standard error, and each time with cudaErrorNotSupported.
#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {
namespace {

cudaError_t refuse(const char* name) {
    Runtime::get().say(std::string(name) + " is not supported by the emulated GPU's runtime library");
    thread_state().last = cudaErrorNotSupported;
    return cudaErrorNotSupported;
}

}  // namespace
}  // namespace warpwright::cudart

// The parameters are not used, whatever they are.
#define WW_API(name, parameters, arguments)
#define WW_API_STREAM(name, parameters, arguments)
#define WW_API_LEGACY(name, parameters, arguments)
#define WW_API_MISSING(name) \
    extern "C" __attribute__((visibility("default"))) cudaError_t name() { return warpwright::cudart::refuse(#name); }
#include "warpwright/runtime_api.inc"

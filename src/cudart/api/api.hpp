// The functions behind the entry points, declared from the one table; the files of api/ define them. The entry points
// themselves (entry.cpp) add what all have in common: sticky errors, the thread's last error, the profile.
#pragma once

#include "driver_types.h"

namespace warpwright::cudart::impl {

#define WW_OR(value)
#define WW_API(name, parameters, arguments) cudaError_t name parameters;
#define WW_API_STREAM WW_API
#define WW_API_LEGACY WW_API
#include "warpwright/runtime_api.inc"
#undef WW_API
#undef WW_API_STREAM
#undef WW_API_LEGACY
#undef WW_OR

/// True for a value of the enumeration, which comes from a program.
constexpr bool is_cache_config(cudaFuncCache config) {
    return config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual;
}

}  // namespace warpwright::cudart::impl

// The functions of the runtime library by number and name, and those of other faces of the same state (the driver
// library, cuBLAS), whose numbers follow: the profile and the findings name calls by them.
#pragma once

namespace warpwright::cudart {

enum class Api : unsigned {
#define WW_OR(value)
#define WW_API(name, parameters, arguments) name,
#define WW_API_STREAM WW_API
#define WW_API_LEGACY WW_API
#include "warpwright/runtime_api.inc"
#undef WW_API
#undef WW_API_STREAM
#undef WW_API_LEGACY
#undef WW_OR
    size_
};

const char* api_name(unsigned index);
unsigned api_count();
/// Adds the names of another face, which must last as long as the process; returns the number of the first. A face
/// calls this once, when it is loaded.
unsigned add_api_names(const char* const* names, unsigned count);

}  // namespace warpwright::cudart

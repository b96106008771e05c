// The runtime library's functions and types. In a kernel's file the header that the compile room includes first has brought
// them, and all that kernels need, already; in plain C++ they come from here.
#pragma once

#include "warpwright/include_guards.h"

#include "cuda_runtime_api.h"
#include "vector_functions.h"

// What the parts of the driver's program share.
#pragma once

#include <cuda.h>

#include "program_checks.hpp"

#define OK(call) SAME(call, CUDA_SUCCESS)

enum { kN = 100 };

/// The variable that the module's kernel `add` adds to each element's number.
static inline CUdeviceptr bias_of(CUmodule module) {
    CUdeviceptr bias = 0;
    OK(cuModuleGetGlobal(&bias, 0, module, "bias"));
    return bias;
}

/// Nodes of graphs, and graphs that kernels launch. Returns 1 where something does not hold.
int graphs(CUmodule module);
/// References of modules, captures of streams, shared memory. Likewise.
int references(void);

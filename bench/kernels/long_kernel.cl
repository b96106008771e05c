// The same kernel as long_kernel.cu.
#include "long_kernel.h"

__kernel void long_kernel(__global const uint* in, __global uint* out) {
    uint at = get_global_id(0), x = in[at], y = at;
    LONG_KERNEL
    out[at] = x ^ y;
}

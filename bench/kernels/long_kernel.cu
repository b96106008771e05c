// The kernel of long_kernel.h, an element a thread. Blocks of 256.
#include "long_kernel.h"

extern "C" __global__ void long_kernel(const unsigned* in, unsigned* out) {
    unsigned at = blockIdx.x * 256 + threadIdx.x, x = in[at], y = at;
    LONG_KERNEL
    out[at] = x ^ y;
}

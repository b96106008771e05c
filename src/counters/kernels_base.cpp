// The counters' inner loops for any CPU.
#define WARPWRIGHT_KERNELS base
#include "counters/kernels.inc"

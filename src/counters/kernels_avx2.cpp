// The counters' inner loops for CPUs with AVX2 (this file alone is compiled for them; see CMakeLists.txt).
#define WARPWRIGHT_KERNELS avx2
#include "counters/kernels.inc"

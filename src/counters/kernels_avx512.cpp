// The counters' inner loops for CPUs with AVX-512 (this file alone is compiled for them; see CMakeLists.txt).
#define WARPWRIGHT_KERNELS avx512
#include "counters/kernels.inc"

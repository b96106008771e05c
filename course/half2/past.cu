#include <cuda_fp16.h>
__global__ void axpy(const half* x, half* y, int n) {
    const int pair = blockIdx.x * 256 + threadIdx.x;
    const half2* from = (const half2*)x;
    half2* to = (half2*)y;
    to[pair] = __hfma2(__float2half2_rn(2.0f), from[pair], to[pair]);
}

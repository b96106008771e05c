#include <cuda_fp16.h>
__global__ void axpy(const half* x, half* y, int n) {
    const int pair = blockIdx.x * 256 + threadIdx.x;
    const half2 a = __float2half2_rn(2.0f);
    if (2 * pair + 1 < n) {
        const half2* from = (const half2*)x;
        half2* to = (half2*)y;
        to[pair] = __hfma2(a, from[pair], to[pair]);
    } else if (2 * pair < n) {
        y[n - 1] = __hfma(__float2half(2.0f), x[n - 1], y[n - 1]);
    }
}

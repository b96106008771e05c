// PTX: cp.async.cg.shared.global  cp.async.ca.shared.global  cp.async.commit_group  cp.async.wait_group
#include <cuda_pipeline.h>
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    __shared__ alignas(16) unsigned buffer[2][256 * 4];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    int from = (i * 4) % (n - 3) & ~3;
    __pipeline_memcpy_async(&buffer[0][t * 4], in + from, 16);
    __pipeline_commit();
    __pipeline_memcpy_async(&buffer[1][t * 4], in + (i % n), 4);
    __pipeline_memcpy_async(&buffer[1][t * 4 + 2], in + from, 8, 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    unsigned r = buffer[0][t * 4 + 3];
    __pipeline_wait_prior(0);
    r += buffer[1][t * 4] * 3 + buffer[1][t * 4 + 2] + buffer[1][t * 4 + 3] * 7;
    if (i < n) out[i] = r;
}

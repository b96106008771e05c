// Four loads of 16 bytes per thread before the first store, hinted as data that is touched once. A block copies
// 4 x 256 x 16 bytes = 16 KiB; the last block also copies what is left of a whole 16 bytes.
#include "../common/stream.cuh"

extern "C" __global__ void __launch_bounds__(256) copy_unrolled(const unsigned char* in, unsigned char* out, unsigned long long bytes) {
    const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * 16384 + threadIdx.x * 16;
    stream::Chunk v[4];
#pragma unroll
    for (unsigned j = 0; j < 4; ++j)
        if (first + j * 4096 + 16 <= bytes) v[j] = stream::load(in + first + j * 4096);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j)
        if (first + j * 4096 + 16 <= bytes) stream::store(out + first + j * 4096, v[j]);
    const unsigned long long rest = bytes / 16 * 16 + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && rest < bytes) out[rest] = in[rest];
}

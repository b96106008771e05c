// The tile without padding: element (r, c) lies at column c ^ r of row r. A row is a permutation of the banks, and so is a
// column, since r runs over all values when c stands still.
#include "../common/bits.cuh"

extern "C" __global__ void transpose_swizzled(const Element* in, Element* out, unsigned M, unsigned N) {
    __shared__ Element tile[32][32];
    const unsigned x = threadIdx.x, row0 = blockIdx.y * 32, column0 = blockIdx.x * 32;
#pragma unroll
    for (unsigned y = threadIdx.y; y < 32; y += 8)
        if (row0 + y < M && column0 + x < N) tile[y][x ^ y] = in[static_cast<unsigned long long>(row0 + y) * N + column0 + x];
    __syncthreads();
#pragma unroll
    for (unsigned y = threadIdx.y; y < 32; y += 8)
        if (column0 + y < N && row0 + x < M) out[static_cast<unsigned long long>(column0 + y) * M + row0 + x] = tile[x][y ^ x];
}

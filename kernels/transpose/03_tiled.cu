// A block reads a tile of 32 x 32 row by row into shared memory and writes it row by row of the output: the turn happens
// in shared memory. PITCH is the length of a tile's row there: 32 puts a column into one bank, 33 into all of them.
#include "../common/bits.cuh"

#ifndef PITCH
#define PITCH 32
#endif

extern "C" __global__ void transpose_tiled(const Element* in, Element* out, unsigned M, unsigned N) {
    __shared__ Element tile[32][PITCH];
    const unsigned x = threadIdx.x, row0 = blockIdx.y * 32, column0 = blockIdx.x * 32;
#pragma unroll
    for (unsigned y = threadIdx.y; y < 32; y += 8)
        if (row0 + y < M && column0 + x < N) tile[y][x] = in[static_cast<unsigned long long>(row0 + y) * N + column0 + x];
    __syncthreads();
#pragma unroll
    for (unsigned y = threadIdx.y; y < 32; y += 8)
        if (column0 + y < N && row0 + x < M) out[static_cast<unsigned long long>(column0 + y) * M + row0 + x] = tile[x][y];
}

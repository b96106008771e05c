// One element per thread; a warp reads 32 neighbours of a row and writes them down a column.
#include "../common/bits.cuh"

extern "C" __global__ void transpose_naive_read(const Element* in, Element* out, unsigned M, unsigned N) {
    const unsigned column = blockIdx.x * 32 + threadIdx.x;
    const unsigned long long row = static_cast<unsigned long long>(blockIdx.y) * 8 + threadIdx.y;
    if (row < M && column < N) out[static_cast<unsigned long long>(column) * M + row] = in[row * N + column];
}

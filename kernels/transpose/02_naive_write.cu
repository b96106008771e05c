// The other way round: a warp writes 32 neighbours and reads them down a column of the input.
#include "../common/bits.cuh"

extern "C" __global__ void transpose_naive_write(const Element* in, Element* out, unsigned M, unsigned N) {
    const unsigned row = blockIdx.x * 32 + threadIdx.x;  // of the input: a column of the output
    const unsigned long long column = static_cast<unsigned long long>(blockIdx.y) * 8 + threadIdx.y;
    if (row < M && column < N) out[column * M + row] = in[static_cast<unsigned long long>(row) * N + column];
}

// The operand that lies the wrong way is turned first. A, M x K, must be transposed on its way to shared memory, 4 bytes a copy, and those copies
// are a third of what the multiprocessor's load and store unit does in the rung before. One pass over M K elements makes it K x M; then
// both operands are copied 16 bytes at a time, tiles may be smaller (64 x 128, 8 x 8 sums per thread), and four blocks on a
// multiprocessor hide each other's barriers. The pass costs 1 to 2 % from 2048 on.
//   transpose_vectorised   of the transposition's ladder, where M and K are multiples of four
//   matmul_turn            for any M and K: rows of the result are filled up with zeros to a multiple of four (PADDED)
//   matmul_fill            B, K x N, with its rows filled up likewise: rows of any length then start on 16 bytes
//   matmul_warp_tiles      as before, with TRANS_A
#include "../transpose/05_vectorised.cu"
#undef ROWS
#undef COLUMNS
#undef THREADS
// The transposition may begin while the launch before ends. The product must not: it would take places as they become free and
// leave other multiprocessors with fewer blocks.
#undef PROGRAMMATIC
#define TRANS_A 1
#include "12_warp_tiles.cu"

extern "C" __global__ void __launch_bounds__(256) matmul_turn(const float* __restrict__ A, float* __restrict__ turned, int M, int K) {
    __shared__ float tile[64][65];
    const int across = (K + 63) / 64, row0 = blockIdx.x / across * 64, k0 = blockIdx.x % across * 64, pitch = (M + 3) / 4 * 4;
    const int t = threadIdx.x % 64, first = threadIdx.x / 64;
#pragma unroll
    for (int r = first; r < 64; r += 4)
        if (k0 + t < K) tile[r][t] = row0 + r < M ? A[(long long)(row0 + r) * K + k0 + t] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = first; k < 64; k += 4)
        if (k0 + k < K && row0 + t < pitch) turned[(long long)(k0 + k) * pitch + row0 + t] = tile[t][k];
}

extern "C" __global__ void __launch_bounds__(256) matmul_fill(const float* __restrict__ B, float* __restrict__ filled, int N, int K) {
    const int pitch = (N + 3) / 4 * 4;
    const long long all = (long long)K * pitch;
#pragma unroll
    for (int j = 0; j < 1024; j += 256) {
        const long long at = (long long)blockIdx.x * 1024 + threadIdx.x + j;
        if (at >= all) return;
        const int k = static_cast<int>(at / pitch), n = static_cast<int>(at - (long long)k * pitch);
        filled[at] = n < N ? B[(long long)k * N + n] : 0.0f;
    }
}

#include <mma.h>
// C = A B for n x n matrices, n a multiple of 16; A and B have halves, C has floats. A block is one warp and makes a tile of
// 16 x 16 elements. Here each lane makes 8 elements of the tile with ordinary arithmetic.
__global__ void product(const half* A, const half* B, float* C, int n) {
    const int row = blockIdx.y * 16, column = blockIdx.x * 16;
    for (int e = threadIdx.x; e < 256; e += 32) {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += __half2float(A[(row + e / 16) * n + k]) * __half2float(B[k * n + column + e % 16]);
        C[(row + e / 16) * n + column + e % 16] = sum;
    }
}

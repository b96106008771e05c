// c = a * b, n x n bf16 elements (b by columns), float sums: a warp makes a tile of 16 x 16 by wmma, straight from global
// memory. Blocks of 4 warps, which share rows of a; n a multiple of 64.
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void wmma_product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n) {
    int row = blockIdx.y * 16, column = blockIdx.x * 64 + threadIdx.x / 32 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(left, a + row * n + k, n);
        wmma::load_matrix_sync(right, b + column * n + k, n);
        wmma::mma_sync(sums, left, right, sums);
    }
    wmma::store_matrix_sync(c + row * n + column, sums, n, wmma::mem_row_major);
}

#include <mma.h>
using namespace nvcuda;
__global__ void product(const half* A, const half* B, float* C, int n) {
    const int row = blockIdx.y * 16, column = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    wmma::load_matrix_sync(a, A + row * n, n);
    wmma::load_matrix_sync(b, B + column, n);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(C + row * n + column, c, n, wmma::mem_row_major);
}

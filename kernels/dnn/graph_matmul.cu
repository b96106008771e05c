// Products of matrices of any types and strides, each place of a batch one product, in tiles as kernels/blas does.
#include "graph_numbers.cuh"

using namespace ww_dnn;

constexpr int kDepth = 16, kColumns = 64;  ///< of a tile

/// The lesser of a size and what a place of the batch says of it.
static __device__ int there(const Operand& o, i64 at, int size) {
    if (!o.at) return size;
    const i64 n = o.type == kInt64 ? ((const i64*)o.at)[at] : ((const int*)o.at)[at];
    return n < 0 ? 0 : n < size ? (int)n : size;
}

/// PER rows of 16 threads' by 4 columns are one thread's.
template <int PER, class A>
static __device__ void matmul(const Matmul& m) {
    constexpr int ROWS = 16 * PER;
    __shared__ A tile_a[kDepth][ROWS + 1], tile_b[kDepth][kColumns + 1];
    const Operand* const operands[] = {&m.a, &m.b, &m.c, &m.rows_there, &m.columns_there, &m.depth_there};
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * ROWS, column0 = blockIdx.x * kColumns;
#pragma unroll 1
    for (unsigned batch = blockIdx.z; batch < m.batch.count; batch += gridDim.z) {
        i64 at[6] = {};
        place(m.batch, 0, batch, operands, at);
        const int rows = there(m.rows_there, at[3], m.rows), columns = there(m.columns_there, at[4], m.columns);
        const int depth = there(m.depth_there, at[5], m.depth);
        A sum[PER][4] = {};
#pragma unroll 1
        for (int l0 = 0; l0 < depth; l0 += kDepth) {
#pragma unroll 1
            for (int e = t; e < ROWS * kDepth; e += kThreads) {
                const int i = e / kDepth, l = e % kDepth;
                A v{};
                if (row0 + i < rows && l0 + l < depth) v = load<A>(m.a, at[0] + (row0 + i) * m.a_row + (l0 + l) * m.a_depth);
                tile_a[l][i] = v;
            }
#pragma unroll 1
            for (int l = t / kColumns; l < kDepth; l += kThreads / kColumns) {
                const int j = t % kColumns;
                A v{};
                if (column0 + j < columns && l0 + l < depth) v = load<A>(m.b, at[1] + (l0 + l) * m.b_depth + (column0 + j) * m.b_column);
                tile_b[l][j] = v;
            }
            __syncthreads();
#pragma unroll 4
            for (int l = 0; l < kDepth; ++l) {
                A x[PER], y[4];
#pragma unroll
                for (int i = 0; i < PER; ++i) x[i] = tile_a[l][ty + 16 * i];
#pragma unroll
                for (int j = 0; j < 4; ++j) y[j] = tile_b[l][tx + 16 * j];
#pragma unroll
                for (int i = 0; i < PER; ++i)
#pragma unroll
                    for (int j = 0; j < 4; ++j) sum[i][j] += x[i] * y[j];
            }
            __syncthreads();
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int column = column0 + tx + 16 * j;
#pragma unroll
            for (int i = 0; i < PER; ++i) {
                const int row = row0 + ty + 16 * i;
                if (row >= m.rows || column >= m.columns) continue;
                const A x = row < rows && column < columns ? (A)m.alpha * sum[i][j] : (A)m.otherwise;
                store(m.c, at[2] + row * m.c_row + column * m.c_column, x);
            }
        }
    }
}
extern "C" __global__ void __launch_bounds__(kThreads) dnn_matmul_few_f32(Matmul m) { matmul<1, float>(m); }
extern "C" __global__ void __launch_bounds__(kThreads) dnn_matmul_many_f32(Matmul m) { matmul<4, float>(m); }
extern "C" __global__ void __launch_bounds__(kThreads) dnn_matmul_few_f64(Matmul m) { matmul<1, double>(m); }
extern "C" __global__ void __launch_bounds__(kThreads) dnn_matmul_many_f64(Matmul m) { matmul<4, double>(m); }

// A product of cublasLt and a change of a matrix's form, as the host describes them and the kernels compute them.
#pragma once

namespace ww_lt {

using i64 = long long;

/// A matrix: element (row, column) of matrix z of a batch lies at `row * rows_apart + column * columns_apart + z *
/// batch_apart`. `type` is a cudaDataType.
struct Matrix {
    void* at;
    int type, conjugate;
    i64 rows_apart, columns_apart, batch_apart;
};

/// A factor of the result. By value, or in device memory: one for all, or one for each row. `apart` is between matrices
/// of a batch.
struct Factor {
    double value[2];    ///< real and imaginary part
    const void* at;     ///< nullptr: by value
    int type, per_row;  ///< of what is at `at`
    i64 apart;
};

/// What is done to a sum before it is stored (cublasLtEpilogue_t).
enum Activation : int { kNone, kRelu, kGelu, kReluGradient, kGeluGradient };

struct Product {
    int m, n, k, batches;
    Matrix a, b, c, d;
    Factor alpha, beta;
    const float* scale_a;  ///< nullptr: none. FP8's factors
    const float* scale_b;
    const float* scale_c;
    const float* scale_d;
    int scale_a_per_row, scale_b_per_column;
    float* largest;  ///< of |D| before its factor, nullptr: not wanted
    const void* bias;
    int bias_type;
    i64 bias_apart;
    int activation;
    void*
        aux;  ///< what the gradient needs: a bit for each element (relu), or the elements before the activation (gelu)
    int aux_type;  ///< of gelu's elements
    i64 aux_ld, aux_apart;
    int aux_written;
};

/// C = alpha A + beta B, with the types and orders of each.
struct Change {
    i64 rows, columns;
    int batches;
    Matrix a, b, c;
    Factor alpha, beta;
};

/// out[row] = the sum over columns.
struct RowSums {
    i64 rows, columns;
    int batches;
    Matrix in;
    void* out;
    int out_type;
    i64 out_apart;
};

constexpr int kThreads = 256;
constexpr int kTile = 64;  ///< rows and columns of a block's part of D

}  // namespace ww_lt

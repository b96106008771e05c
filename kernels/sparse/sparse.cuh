// Sparse matrices and the work on them, as the host describes them and the kernels do it.
#pragma once

#include "../lt/product.cuh"

namespace ww_sparse {

using i64 = long long;

/// Whole numbers of 32 or 64 bits in device memory, counted from `base`.
struct Indices {
    void* at;
    int wide, base;
};

/// A sparse matrix by its lines: rows of CSR and COO, columns of CSC. Compressed, `starts` has lines + 1 numbers, of
/// each line the place of its first entry; else it has the line of each entry. `places` says where in its line an entry
/// is. `type` is a cudaDataType.
struct Matrix {
    i64 lines, across, entries;
    int compressed, type, conjugate;
    Indices starts, places;
    void* values;
    i64 starts_apart, entries_apart;  ///< between matrices of a batch
};

/// C = alpha A B + beta C. `by_lines`: a line of A makes a row of C; else an entry of it is at the column `line`.
struct Product {
    Matrix a;
    int by_lines, batches;
    i64 rows, columns;  ///< of C
    ww_lt::Matrix b, c;
    ww_lt::Factor alpha, beta;
    void* sums;  ///< of the kernel's own type, for products that are not by lines
};

/// The entries of C: alpha (A B) + beta C, where A B has `k` products each.
struct Sampled {
    Matrix c;
    int by_lines, batches;
    i64 k;
    ww_lt::Matrix a, b;
    ww_lt::Factor alpha, beta;
};

/// X with A X = alpha B, where A is triangular.
struct Solve {
    Matrix a;
    int by_lines, lower, unit;
    i64 columns;  ///< of X
    ww_lt::Matrix b, x;
    ww_lt::Factor alpha;
};

/// A vector of which `entries` elements are there.
struct Vector {
    i64 entries;
    Indices places;
    void* values;
    int type;
};
struct WithVector {
    Vector x;
    void* y;
    int y_type, conjugate;
    i64 size;  ///< of y
    ww_lt::Factor alpha, beta;
    void* result;
    int result_type;
};

/// Between a dense matrix and a sparse one, whose lines are rows or columns of it. `counts` has lines + 1 numbers.
struct Change {
    Matrix sparse;
    ww_lt::Matrix dense;  ///< by lines and places of the sparse one
    i64* counts;
};

/// Sums of entries that have the same place. Each comes from A or behind A's from B, or is a product of an entry of A
/// with one of B: `first[e]` is the number of the first product of A's entry e.
struct Merge {
    Matrix a, b, c;
    int products;
    const i64* first;
    const unsigned* order;  ///< what is summed, in the order of its place
    const i64* heads;       ///< where in `order` an entry of C begins
    ww_lt::Factor alpha, beta;
};

/// Systems of m equations with three diagonals, which follow each other `matrix_apart` and `x_apart` elements apart.
struct Tridiagonal {
    int m, systems;
    i64 matrix_apart, x_apart;
    const void *lower, *diagonal, *upper;
    void *x, *room;  ///< room: three times m elements for each system
};

/// Incomplete factors in the place of a matrix by rows. A pivot whose size is at most `tolerance` becomes `boost`, where it `boosts`;
/// `zero`: the first row, as the program numbers them, whose pivot is zero or missing.
struct Factors {
    Matrix a;
    int boosts;
    double tolerance, boost[2];
    i64* zero;
};

/// What is larger than `least` stays.
struct Compress {
    Matrix a;
    double least[2];
    int* counts;  ///< of each line
    i64* first;   ///< of each line, in C
    Indices starts, places;
    void* values;
};

constexpr int kThreads = 256;
constexpr int kTile = 2048;  ///< elements of a block that scans or sorts
constexpr int kDigit = 8;    ///< bits of a pass of the sort

}  // namespace ww_sparse

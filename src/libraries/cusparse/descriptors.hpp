// What cuSPARSE's handles and descriptors hold.
#pragma once

#include <cusparse.h>

#include <cstdint>
#include <memory>
#include <string>

#include "cudart/api/api.hpp"
#include "sparse/sparse.cuh"

namespace warpwright::libraries::sparse {

using Status = cusparseStatus_t;
using Handle = cusparseHandle_t;

struct Context {
    cudaStream_t stream = nullptr;
    cusparsePointerMode_t mode = CUSPARSE_POINTER_MODE_HOST;
};

/// The descriptor of the functions that take arrays.
struct PlainDescr {
    int type = CUSPARSE_MATRIX_TYPE_GENERAL, fill = CUSPARSE_FILL_MODE_LOWER, diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT,
        base = CUSPARSE_INDEX_BASE_ZERO;
};

struct SpVec {
    std::int64_t size, nnz;
    void *indices, *values;
    cusparseIndexType_t index;
    cusparseIndexBase_t base;
    cudaDataType type;
};
struct DnVec {
    std::int64_t size;
    void* values;
    cudaDataType type;
};
struct DnMat {
    std::int64_t rows, cols, ld;
    void* values;
    cudaDataType type;
    cusparseOrder_t order;
    int batches = 1;
    std::int64_t apart = 0;
};
struct SpMat {
    cusparseFormat_t format;
    std::int64_t rows, cols, nnz;
    void *lines, *places, *values;  ///< lines: offsets of CSR and CSC, rows of COO
    cusparseIndexType_t line, place;
    cusparseIndexBase_t base;
    cudaDataType type;
    int batches = 1;
    std::int64_t lines_apart = 0, entries_apart = 0;
    int fill = CUSPARSE_FILL_MODE_LOWER, diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
};

/// Null where there is none.
std::shared_ptr<Context> find(Handle handle);
std::shared_ptr<PlainDescr> find(cusparseMatDescr_t descr);
std::shared_ptr<SpVec> find(cusparseConstSpVecDescr_t descr);
std::shared_ptr<DnVec> find(cusparseConstDnVecDescr_t descr);
std::shared_ptr<SpMat> find(cusparseConstSpMatDescr_t descr);
std::shared_ptr<DnMat> find(cusparseConstDnMatDescr_t descr);

/// Whether a number of this type may be a value of a matrix or vector, and its bytes; 0: it may not.
std::size_t bytes_of(int type);
bool is_complex(int type);

}  // namespace warpwright::libraries::sparse

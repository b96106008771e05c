// The functions behind the entry points.
#pragma once

#include <cstdint>
#include <type_traits>

#include "libraries/cusparse/descriptors.hpp"

namespace warpwright::libraries::sparse {

inline Status nothing() { return CUSPARSE_STATUS_SUCCESS; }
Status create(Handle* handle);
Status destroy(Handle handle);
Status get_version(Handle handle, int* version);
Status get_property(libraryPropertyType type, int* value);
Status set_stream(Handle handle, cudaStream_t stream);
Status get_stream(Handle handle, cudaStream_t* stream);
Status set_pointer_mode(Handle handle, cusparsePointerMode_t mode);
Status get_pointer_mode(Handle handle, cusparsePointerMode_t* mode);
Status create_plain(cusparseMatDescr_t* descr);
Status destroy_plain(cusparseMatDescr_t descr);
/// Sets what is at most `most`.
Status set_plain(cusparseMatDescr_t descr, int PlainDescr::* member, int value, int most);

// Descriptors. Those of memory that is only read are the same.
Status create_vector(cusparseConstSpVecDescr_t* d, std::int64_t size, std::int64_t nnz, const void* indices,
                     const void* values, cusparseIndexType_t index, cusparseIndexBase_t base, cudaDataType type);
Status get_vector(cusparseConstSpVecDescr_t d, std::int64_t* size, std::int64_t* nnz, const void** indices,
                  const void** values, cusparseIndexType_t* index, cusparseIndexBase_t* base, cudaDataType* type);
Status create_dense(cusparseConstDnVecDescr_t* d, std::int64_t size, const void* values, cudaDataType type);
Status get_dense(cusparseConstDnVecDescr_t d, std::int64_t* size, const void** values, cudaDataType* type);
Status create_dense(cusparseConstDnMatDescr_t* d, std::int64_t rows, std::int64_t cols, std::int64_t ld,
                    const void* values, cudaDataType type, cusparseOrder_t order);
Status get_dense(cusparseConstDnMatDescr_t d, std::int64_t* rows, std::int64_t* cols, std::int64_t* ld,
                 const void** values, cudaDataType* type, cusparseOrder_t* order);
Status create_matrix(cusparseConstSpMatDescr_t* d, cusparseFormat_t format, std::int64_t rows, std::int64_t cols,
                     std::int64_t nnz, const void* lines, const void* places, const void* values,
                     cusparseIndexType_t line, cusparseIndexType_t place, cusparseIndexBase_t base, cudaDataType type);
Status get_matrix(cusparseConstSpMatDescr_t d, cusparseFormat_t format, std::int64_t* rows, std::int64_t* cols,
                  std::int64_t* nnz, const void** lines, const void** places, const void** values,
                  cusparseIndexType_t* line, cusparseIndexType_t* place, cusparseIndexBase_t* base, cudaDataType* type);
Status get_values(cusparseConstSpVecDescr_t d, const void** values);
Status get_values(cusparseConstDnVecDescr_t d, const void** values);
Status get_values(cusparseConstDnMatDescr_t d, const void** values);
Status get_values(cusparseConstSpMatDescr_t d, const void** values);
Status set_values(cusparseSpVecDescr_t d, void* values);
Status set_values(cusparseDnVecDescr_t d, void* values);
Status set_values(cusparseDnMatDescr_t d, void* values);
Status set_values(cusparseSpMatDescr_t d, void* values);
Status destroy(cusparseConstSpVecDescr_t d);
Status destroy(cusparseConstDnVecDescr_t d);
Status destroy(cusparseConstDnMatDescr_t d);
Status destroy(cusparseConstSpMatDescr_t d);
Status get_base(cusparseConstSpVecDescr_t d, cusparseIndexBase_t* base);
Status get_base(cusparseConstSpMatDescr_t d, cusparseIndexBase_t* base);
Status get_format(cusparseConstSpMatDescr_t d, cusparseFormat_t* format);
Status get_size(cusparseConstSpMatDescr_t d, std::int64_t* rows, std::int64_t* cols, std::int64_t* nnz);
Status set_batch(cusparseDnMatDescr_t d, int count, std::int64_t apart);
Status get_batch(cusparseConstDnMatDescr_t d, int* count, std::int64_t* apart);
Status set_batch(cusparseSpMatDescr_t d, cusparseFormat_t format, int count, std::int64_t lines, std::int64_t entries);
Status get_batch(cusparseConstSpMatDescr_t d, int* count);
Status set_pointers(cusparseSpMatDescr_t d, cusparseFormat_t format, void* lines, void* places, void* values);
Status get_attribute(cusparseConstSpMatDescr_t d, cusparseSpMatAttribute_t which, void* data, std::size_t bytes);
Status set_attribute(cusparseSpMatDescr_t d, cusparseSpMatAttribute_t which, const void* data, std::size_t bytes);
// The same where the program's pointers are not constant.
template <class Descr, class... A>
    requires(!std::is_const_v<Descr>)
Status create_vector(Descr** d, A... a) {
    return create_vector(const_cast<const Descr**>(d), a...);
}
template <class Descr, class... A>
    requires(!std::is_const_v<Descr>)
Status create_dense(Descr** d, A... a) {
    return create_dense(const_cast<const Descr**>(d), a...);
}
template <class Descr, class... A>
    requires(!std::is_const_v<Descr>)
Status create_matrix(Descr** d, A... a) {
    return create_matrix(const_cast<const Descr**>(d), a...);
}
template <class Descr>
Status get_values(Descr* d, void** values) {
    return get_values(const_cast<const Descr*>(d), const_cast<const void**>(values));
}
inline Status get_vector(cusparseSpVecDescr_t d, std::int64_t* size, std::int64_t* nnz, void** indices, void** values,
                         cusparseIndexType_t* index, cusparseIndexBase_t* base, cudaDataType* type) {
    return get_vector(d, size, nnz, const_cast<const void**>(indices), const_cast<const void**>(values), index, base,
                      type);
}
inline Status get_dense(cusparseDnVecDescr_t d, std::int64_t* size, void** values, cudaDataType* type) {
    return get_dense(d, size, const_cast<const void**>(values), type);
}
inline Status get_dense(cusparseDnMatDescr_t d, std::int64_t* rows, std::int64_t* cols, std::int64_t* ld, void** values,
                        cudaDataType* type, cusparseOrder_t* order) {
    return get_dense(d, rows, cols, ld, const_cast<const void**>(values), type, order);
}
inline Status get_matrix(cusparseSpMatDescr_t d, cusparseFormat_t format, std::int64_t* rows, std::int64_t* cols,
                         std::int64_t* nnz, void** lines, void** places, void** values, cusparseIndexType_t* line,
                         cusparseIndexType_t* place, cusparseIndexBase_t* base, cudaDataType* type) {
    return get_matrix(d, format, rows, cols, nnz, const_cast<const void**>(lines), const_cast<const void**>(places),
                      const_cast<const void**>(values), line, place, base, type);
}

// Vectors (vectors.cpp).
Status axpby(Handle h, const void* alpha, cusparseConstSpVecDescr_t x, const void* beta, cusparseDnVecDescr_t y);
Status gather(Handle h, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x);
Status scatter(Handle h, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y);
Status rotate(Handle h, const void* c, const void* s, cusparseSpVecDescr_t x, cusparseDnVecDescr_t y);
Status dot_room(Handle h, cusparseOperation_t op, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                cudaDataType compute, std::size_t* bytes);
Status dot(Handle h, cusparseOperation_t op, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y, void* result,
           cudaDataType compute, void* room);

// Between dense and sparse matrices (change.cpp).
Status to_dense_room(Handle h, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b, std::size_t* bytes);
Status to_dense(Handle h, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b);
Status from_dense_room(Handle h, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b, std::size_t* bytes);
Status from_dense_count(Handle h, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b, void* room);
Status from_dense(Handle h, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b, void* room);
Status count_dense(Handle h, cusparseDirection_t direction, int m, int n, cusparseMatDescr_t descr, cudaDataType type,
                   const void* a, int lda, int* counts, int* total);

/// What a call of three that take the same arguments does. `room` is the program's memory, or where its size goes.
enum class Step { size, analyse, compute };
// Products (products.cpp) and triangular systems (solve.cpp); a vector is a matrix of one column.
Status product(Handle h, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
               cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, const void* beta, cusparseConstDnMatDescr_t c,
               cudaDataType compute, void* room, Step step);
Status product(Handle h, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
               cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t b, const void* beta, cusparseConstDnVecDescr_t c,
               cudaDataType compute, void* room, Step step);
Status sampled(Handle h, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
               cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b, const void* beta, cusparseSpMatDescr_t c,
               cudaDataType compute, void* room, Step step);
Status create_solve(cusparseSpSVDescr_t* d);
Status create_solve(cusparseSpSMDescr_t* d);
Status destroy_solve(cusparseSpSVDescr_t d);
Status destroy_solve(cusparseSpSMDescr_t d);
Status solve(Handle h, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
             cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, cusparseConstDnMatDescr_t x,
             cudaDataType compute, cusparseSpSMDescr_t d, void* room, Step step);
Status solve(Handle h, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
             cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t b, cusparseConstDnVecDescr_t x,
             cudaDataType compute, cusparseSpSVDescr_t d, void* room, Step step);
Status update_solve(Handle h, cusparseSpSVDescr_t d, void* values, cusparseSpSVUpdate_t part);
Status update_solve(Handle h, cusparseSpSMDescr_t d, void* values, cusparseSpSMUpdate_t part);
Status tridiagonal_room(Handle h, cudaDataType type, int m, int systems, int apart, std::size_t* bytes);
Status tridiagonal(Handle h, cudaDataType type, int m, int systems, int matrix_apart, const void* lower,
                   const void* diagonal, const void* upper, void* x, int x_apart, void* room);

// Products of two sparse matrices, in the three steps of the interface (merge.cpp).
struct SparseProduct {
    cusparseOperation_t op_a, op_b;
    cusparseConstSpMatDescr_t a, b, c;
    cudaDataType compute;
};
Status create_merge(cusparseSpGEMMDescr_t* d);
Status destroy_merge(cusparseSpGEMMDescr_t d);
Status merge_count(const SparseProduct& p, Handle h, cusparseSpGEMMDescr_t d, std::size_t* bytes, void* room);
Status merge_products(cusparseSpGEMMDescr_t d, std::int64_t* products);
Status merge_order(const SparseProduct& p, Handle h, cusparseSpGEMMDescr_t d, std::size_t* bytes, void* room);
Status merge_sum(const SparseProduct& p, Handle h, cusparseSpGEMMDescr_t d, const void* alpha, const void* beta);

/// A matrix of rows as arrays.
struct Rows {
    cusparseMatDescr_t descr;
    int nnz;
    const void* values;
    const int *starts, *places;
};
// Incomplete factors, in the place of the matrix (factors.cpp).
Status create_factors(csrilu02Info_t* info);
Status create_factors(csric02Info_t* info);
Status destroy_factors(csrilu02Info_t info);
Status destroy_factors(csric02Info_t info);
Status factors_room(Handle h, int m, const Rows& a, csrilu02Info_t info, int* bytes);
Status factors_room(Handle h, int m, const Rows& a, csric02Info_t info, int* bytes);
Status analyse_factors(Handle h, int m, const Rows& a, csrilu02Info_t info);
Status analyse_factors(Handle h, int m, const Rows& a, csric02Info_t info);
Status factor_rows(Handle h, int m, const Rows& a, cudaDataType type, csrilu02Info_t info);
Status factor_rows(Handle h, int m, const Rows& a, cudaDataType type, csric02Info_t info);
/// The row of the first pivot that is zero; -1: none.
Status zero_pivot(Handle h, csrilu02Info_t info, int* to);
Status zero_pivot(Handle h, csric02Info_t info, int* to);
/// Pivots that are at most `tolerance` become `boost`.
Status boost_pivots(Handle h, csrilu02Info_t info, cudaDataType type, int wanted, const double* tolerance,
                    const void* boost);
Status sum_room(Handle h, int m, int n, const Rows& a, const Rows& b, std::size_t* bytes);
Status sum_count(Handle h, int m, int n, const Rows& a, const Rows& b, cusparseMatDescr_t c, int* c_starts, int* total,
                 void* room);
Status sum(Handle h, int m, int n, cudaDataType type, const void* alpha, const Rows& a, const void* beta, const Rows& b,
           cusparseMatDescr_t c, void* c_values, int* c_starts, int* c_places, void* room);
Status count_large(Handle h, int m, cusparseMatDescr_t descr, cudaDataType type, const void* values, const int* starts,
                   int* counts, int* total, const void* least);
Status keep_large(Handle h, int m, int n, const Rows& a, cudaDataType type, const int* counts, void* c_values,
                  int* c_starts, int* c_places, const void* least);

// Sorts and changes of whole numbers (sorts.cpp).
Status count_up(Handle h, int n, int* p);
Status starts_of(Handle h, const int* lines, int nnz, int m, int* starts, cusparseIndexBase_t base);
Status lines_of(Handle h, const int* starts, int nnz, int m, int* lines, cusparseIndexBase_t base);
Status sort_room(Handle h, int m, int n, int nnz, std::size_t* bytes);
Status sort_entries(Handle h, int m, int n, int nnz, int* lines, int* places, int* p, void* room);
Status sort_lines(Handle h, int m, int n, int nnz, cusparseMatDescr_t descr, const int* starts, int* places, int* p,
                  void* room);
struct Transposition {
    int m, n, nnz;
    const void* values;
    const int *starts, *places;
    void* to_values;
    int *to_starts, *to_places;
    cudaDataType type;
    cusparseAction_t action;
    cusparseIndexBase_t base;
};
Status transpose_room(Handle h, const Transposition& t, std::size_t* bytes);
Status transpose(Handle h, const Transposition& t, void* room);

}  // namespace warpwright::libraries::sparse

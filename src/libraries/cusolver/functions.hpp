// What the functions of cuSOLVER do: LAPACK of the host computes, in the handle's stream.
#pragma once

#include <cusolver_common.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "libraries/common/touched.hpp"

namespace warpwright::libraries::solver_impl {

using Status = cusolverStatus_t;
using Handle = cusolverDnHandle_t;

Status create(Handle* handle);
Status destroy(Handle handle);
Status set_stream(Handle handle, cudaStream_t stream);
Status get_stream(Handle handle, cudaStream_t* stream);
Status get_version(int* version);
Status get_property(libraryPropertyType type, int* value);
/// Tolerances and numbers of sweeps: LAPACK needs none.
inline Status set_nothing() { return CUSOLVER_STATUS_SUCCESS; }

/// Objects that hold such settings are numbers that nothing looks at.
template <class Object>
Status create_object(Object* object) {
    if (!object) return CUSOLVER_STATUS_INVALID_VALUE;
    *object = reinterpret_cast<Object>(std::uintptr_t{16});
    return CUSOLVER_STATUS_SUCCESS;
}
template <class Object>
Status destroy_object(Object) {
    return CUSOLVER_STATUS_SUCCESS;
}

/// The program's own memory for the work is not needed: what LAPACK needs is allocated when it runs.
Status room(Handle h, std::int64_t m, std::int64_t n, std::int64_t lda, int* size);
Status rooms(Handle h, std::int64_t m, std::int64_t n, std::int64_t lda, size_t* device, size_t* host);

// T: float, double, cuComplex, cuDoubleComplex; R: that of its magnitudes. functions.cpp makes them for these four.
template <class T>
Status getrf(Handle h, int m, int n, T* a, int lda, int* pivots, int* info);
template <class T>
Status getrs(Handle h, cublasOperation_t op, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb,
             int* info);
template <class T>
Status potrf(Handle h, cublasFillMode_t fill, int n, T* a, int lda, int* info);
template <class T>
Status potrs(Handle h, cublasFillMode_t fill, int n, int columns, const T* a, int lda, T* b, int ldb, int* info);
template <class T>
Status potri(Handle h, cublasFillMode_t fill, int n, T* a, int lda, int* info);
template <class T>
Status potrf_batched(Handle h, cublasFillMode_t fill, int n, T** a, int lda, int* info, int count);
template <class T>
Status potrs_batched(Handle h, cublasFillMode_t fill, int n, int columns, T** a, int lda, T** b, int ldb, int* info,
                     int count);
template <class T>
Status geqrf(Handle h, int m, int n, T* a, int lda, T* tau, int* info);
template <class T>
Status orgqr(Handle h, const char* name, int m, int n, int k, T* a, int lda, const T* tau, int* info);
template <class T>
Status ormqr(Handle h, const char* name, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k, const T* a,
             int lda, const T* tau, T* c, int ldc, int* info);
template <class T, class R>
Status sytrd(Handle h, const char* name, cublasFillMode_t fill, int n, T* a, int lda, R* d, R* e, T* tau, int* info);
/// To two diagonals, by Q and P.
template <class T, class R>
Status gebrd(Handle h, int m, int n, T* a, int lda, R* d, R* e, T* tau_q, T* tau_p, int* info);
/// Q, or P conjugate and transposed, of that.
template <class T>
Status orgbr(Handle h, const char* name, cublasSideMode_t side, int m, int n, int k, T* a, int lda, const T* tau,
             int* info);
/// Q of sytrd, and its products.
template <class T>
Status orgtr(Handle h, const char* name, cublasFillMode_t fill, int n, T* a, int lda, const T* tau, int* info);
template <class T>
Status ormtr(Handle h, const char* name, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op, int m,
             int n, T* a, int lda, T* tau, T* c, int ldc, int* info);
/// Symmetric matrices (not conjugate) that are not positive: factors by Bunch and Kaufman, and the inverse.
template <class T>
Status sytrf(Handle h, cublasFillMode_t fill, int n, T* a, int lda, int* pivots, int* info);
template <class T>
Status sytri(Handle h, cublasFillMode_t fill, int n, T* a, int lda, const int* pivots, int* info);
/// `rounds`, in the host's memory: of refinement, of which there are none, since factors are as exact as the system.
template <class T>
Status gesv(Handle h, int n, int columns, T* a, int lda, int* pivots, T* b, int ldb, T* x, int ldx, int* rounds,
            int* info);
template <class T>
Status gels(Handle h, int m, int n, int columns, T* a, int lda, T* b, int ldb, T* x, int ldx, int* rounds, int* info);
Status refined_room(Handle h, int m, int n, int columns, int lda, int ldb, int ldx, size_t* bytes);
template <class T, class R>
Status syev(Handle h, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T* a, int lda, R* w, int* info, int count);
/// Of A x = w B x and the like; B becomes its Cholesky factor.
template <class T, class R>
Status sygv(Handle h, cusolverEigType_t kind, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T* a, int lda, T* b,
            int ldb, R* w, int* info);
/// Which eigenvalues are wanted: all, those in (least, most], or the first to the last in order, from 1.
template <class R>
struct Range {
    cusolverEigRange_t kind;
    R least, most;
    int first, last;
};
/// `found`: how many there are, in the host's memory. Their vectors take the place of the matrix.
template <class T, class R>
Status syevx(Handle h, cusolverEigMode_t mode, Range<R> range, cublasFillMode_t fill, int n, T* a, int lda, int* found,
             R* w, int* info);
template <class T, class R>
Status gesvd(Handle h, signed char u_job, signed char v_job, int m, int n, T* a, int lda, R* s, T* u, int ldu, T* vt,
             int ldvt, int* info);
/// V itself, not its conjugate transpose.
template <class T, class R>
Status gesvdj(Handle h, cusolverEigMode_t mode, int econ, int m, int n, T* a, int lda, R* s, T* u, int ldu, T* v,
              int ldv, int* info, int count);

// The same with types as arguments (typed.cpp).
Status x_getrf(Handle h, std::int64_t m, std::int64_t n, cudaDataType type, void* a, std::int64_t lda,
               std::int64_t* pivots, int* info);
Status x_getrs(Handle h, cublasOperation_t op, std::int64_t n, std::int64_t columns, cudaDataType type, const void* a,
               std::int64_t lda, const std::int64_t* pivots, void* b, std::int64_t ldb, int* info);
Status x_potrf(Handle h, cublasFillMode_t fill, std::int64_t n, cudaDataType type, void* a, std::int64_t lda,
               int* info);
Status x_potrs(Handle h, cublasFillMode_t fill, std::int64_t n, std::int64_t columns, cudaDataType type, const void* a,
               std::int64_t lda, void* b, std::int64_t ldb, int* info);
Status x_geqrf(Handle h, std::int64_t m, std::int64_t n, cudaDataType type, void* a, std::int64_t lda, void* tau,
               int* info);
Status x_syev(Handle h, cusolverEigMode_t mode, cublasFillMode_t fill, std::int64_t n, cudaDataType type, void* a,
              std::int64_t lda, void* w, int* info, std::int64_t count);
Status x_gesvd(Handle h, signed char u_job, signed char v_job, std::int64_t m, std::int64_t n, cudaDataType type,
               void* a, std::int64_t lda, void* s, void* u, std::int64_t ldu, void* vt, std::int64_t ldvt, int* info);
/// One side's vectors of a general matrix: whether they are wanted, their type and where they go.
struct Vectors {
    cusolverEigMode_t mode;
    cudaDataType type;
    void* at;
    std::int64_t ld;
};
/// Eigenvalues of a general matrix. Of a real one they are complex numbers, or, where `type_w` is real, n real parts
/// and then n imaginary ones; its vectors are complex, or real as LAPACK packs those of pairs.
Status x_geev(Handle h, std::int64_t n, cudaDataType type, void* a, std::int64_t lda, cudaDataType type_w, void* w,
              Vectors left, Vectors right, int* info);
Status x_trtri(Handle h, cublasFillMode_t fill, cublasDiagType_t diagonal, std::int64_t n, cudaDataType type, void* a,
               std::int64_t lda, int* info);
Status x_gesvdp(Handle h, cusolverEigMode_t mode, int econ, std::int64_t m, std::int64_t n, cudaDataType type, void* a,
                std::int64_t lda, void* s, void* u, std::int64_t ldu, void* v, std::int64_t ldv, int* info,
                double* error);

/// The answer to a factorisation that is to change no rows.
Status without_pivots();
/// Work of the host in the handle's stream; `function` is named once. It is done only where the device has all that it
/// touches.
Status queue(Handle h, const char* function, std::vector<Touched> touched, std::function<void()> work);
/// By whom the work is asked for, as lines say it.
inline std::string who(const char* function) { return std::string("cuSOLVER: ") + function; }

}  // namespace warpwright::libraries::solver_impl

// cuSOLVER's newer interface: types are arguments. LAPACK's sizes have 32 bits, and so have its pivots.
#include <vector>

#include "libraries/cusolver/functions.hpp"
#include "libraries/cusolver/lapack.hpp"
#include "libraries/cusolver/types.hpp"

namespace warpwright::libraries::solver_impl {
Status x_getrf(Handle h, std::int64_t m, std::int64_t n, cudaDataType type, void* a, std::int64_t lda,
               std::int64_t* pivots, int* info) {
    if (!small(m, n, lda) || !fits(m, n, lda) || !info) return CUSOLVER_STATUS_INVALID_VALUE;
    if (!pivots) return without_pivots();
    return of_type(type, [&]<class T, class R>(T*, R*) -> Status {
        void* const f = routine<T>("getrf");
        if (!f) return CUSOLVER_STATUS_INTERNAL_ERROR;
        return queue(h, "getrf",
                     {matrix_of("A", static_cast<T*>(a), m, n, lda), vector_of("ipiv", pivots, std::min(m, n)),
                      vector_of("info", info, 1)},
                     [=, m = as_int(m), n = as_int(n), lda = as_int(lda)] {
                         std::vector<int> narrow(static_cast<std::size_t>(std::max(1, std::min(m, n))));
                         fortran(f, m, n, static_cast<T*>(a), lda, narrow.data(), info);
                         for (int k = 0; k < std::min(m, n); ++k) pivots[k] = narrow[static_cast<std::size_t>(k)];
                     });
    });
}

Status x_getrs(Handle h, cublasOperation_t op, std::int64_t n, std::int64_t columns, cudaDataType type, const void* a,
               std::int64_t lda, const std::int64_t* pivots, void* b, std::int64_t ldb, int* info) {
    if (!small(n, columns, lda, ldb) || !fits(n, n, lda) || !fits(n, columns, ldb) || !pivots || !info)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return of_type(type, [&]<class T, class R>(T*, R*) -> Status {
        void* const f = routine<T>("getrs");
        if (!f) return CUSOLVER_STATUS_INTERNAL_ERROR;
        return queue(h, "getrs",
                     {matrix_of("A", static_cast<const T*>(a), n, n, lda), vector_of("ipiv", pivots, n),
                      matrix_of("B", static_cast<T*>(b), n, columns, ldb), vector_of("info", info, 1)},
                     [=, n = as_int(n), columns = as_int(columns), lda = as_int(lda), ldb = as_int(ldb)] {
                         if (!pivots_fit(who("getrs"), pivots, n, n)) return;
                         const std::vector<int> narrow(pivots, pivots + n);
                         fortran(f, letter(op), n, columns, static_cast<const T*>(a), lda, narrow.data(),
                                 static_cast<T*>(b), ldb, info);
                     });
    });
}

Status x_potrf(Handle h, cublasFillMode_t fill, std::int64_t n, cudaDataType type, void* a, std::int64_t lda,
               int* info) {
    if (!small(n, lda)) return CUSOLVER_STATUS_INVALID_VALUE;
    return of_type(type, [&]<class T, class R>(T*, R*) {
        return potrf(h, fill, as_int(n), static_cast<T*>(a), as_int(lda), info);
    });
}

Status x_potrs(Handle h, cublasFillMode_t fill, std::int64_t n, std::int64_t columns, cudaDataType type, const void* a,
               std::int64_t lda, void* b, std::int64_t ldb, int* info) {
    if (!small(n, columns, lda, ldb)) return CUSOLVER_STATUS_INVALID_VALUE;
    return of_type(type, [&]<class T, class R>(T*, R*) {
        return potrs(h, fill, as_int(n), as_int(columns), static_cast<const T*>(a), as_int(lda), static_cast<T*>(b),
                     as_int(ldb), info);
    });
}

Status x_geqrf(Handle h, std::int64_t m, std::int64_t n, cudaDataType type, void* a, std::int64_t lda, void* tau,
               int* info) {
    if (!small(m, n, lda)) return CUSOLVER_STATUS_INVALID_VALUE;
    return of_type(type, [&]<class T, class R>(T*, R*) {
        return geqrf(h, as_int(m), as_int(n), static_cast<T*>(a), as_int(lda), static_cast<T*>(tau), info);
    });
}

Status x_syev(Handle h, cusolverEigMode_t mode, cublasFillMode_t fill, std::int64_t n, cudaDataType type, void* a,
              std::int64_t lda, void* w, int* info, std::int64_t count) {
    if (!small(n, lda, count)) return CUSOLVER_STATUS_INVALID_VALUE;
    return of_type(type, [&]<class T, class R>(T*, R*) {
        return syev(h, mode, fill, as_int(n), static_cast<T*>(a), as_int(lda), static_cast<R*>(w), info, as_int(count));
    });
}

Status x_gesvd(Handle h, signed char u_job, signed char v_job, std::int64_t m, std::int64_t n, cudaDataType type,
               void* a, std::int64_t lda, void* s, void* u, std::int64_t ldu, void* vt, std::int64_t ldvt, int* info) {
    if (!small(m, n, lda, ldu, ldvt)) return CUSOLVER_STATUS_INVALID_VALUE;
    return of_type(type, [&]<class T, class R>(T*, R*) {
        return gesvd(h, u_job, v_job, as_int(m), as_int(n), static_cast<T*>(a), as_int(lda), static_cast<R*>(s),
                     static_cast<T*>(u), as_int(ldu), static_cast<T*>(vt), as_int(ldvt), info);
    });
}

Status x_gesvdp(Handle h, cusolverEigMode_t mode, int econ, std::int64_t m, std::int64_t n, cudaDataType type, void* a,
                std::int64_t lda, void* s, void* u, std::int64_t ldu, void* v, std::int64_t ldv, int* info,
                double* error) {
    if (!small(m, n, lda, ldu, ldv)) return CUSOLVER_STATUS_INVALID_VALUE;
    if (error) *error = 0;
    return of_type(type, [&]<class T, class R>(T*, R*) {
        return gesvdj(h, mode, econ, as_int(m), as_int(n), static_cast<T*>(a), as_int(lda), static_cast<R*>(s),
                      static_cast<T*>(u), as_int(ldu), static_cast<T*>(v), as_int(ldv), info, 1);
    });
}

}  // namespace warpwright::libraries::solver_impl

// Factorisations and what solves with them.
#include "libraries/cusolver/functions.hpp"

#include "cudart/state/runtime.hpp"
#include "libraries/cusolver/lapack.hpp"

namespace warpwright::libraries::solver_impl {

/// LAPACK has no such function, and one that changes rows would be wrong.
Status without_pivots() {
    cudart::Runtime::get().say("cuSOLVER: getrf without pivots is not supported by the emulated GPU's library");
    return CUSOLVER_STATUS_NOT_SUPPORTED;
}

namespace {

constexpr auto kWrong = CUSOLVER_STATUS_INVALID_VALUE;
constexpr auto kMissing = CUSOLVER_STATUS_INTERNAL_ERROR;

}  // namespace

template <class T>
Status getrf(Handle h, int m, int n, T* a, int lda, int* pivots, int* info) {
    if (!fits(m, n, lda) || !info) return kWrong;
    void* const f = routine<T>("getrf");
    if (!f) return kMissing;
    if (!pivots) return without_pivots();
    return queue(
        h, "getrf",
        {matrix_of("A", a, m, n, lda), vector_of("devIpiv", pivots, std::min(m, n)), vector_of("devInfo", info, 1)},
        [=] { fortran(f, m, n, a, lda, pivots, info); });
}

template <class T>
Status getrs(Handle h, cublasOperation_t op, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb,
             int* info) {
    if (!fits(n, n, lda) || !fits(n, columns, ldb) || !pivots || !info) return kWrong;
    void* const f = routine<T>("getrs");
    if (!f) return kMissing;
    return queue(h, "getrs",
                 {matrix_of("A", a, n, n, lda), vector_of("devIpiv", pivots, n), matrix_of("B", b, n, columns, ldb),
                  vector_of("devInfo", info, 1)},
                 [=] {
                     if (pivots_fit(who("getrs"), pivots, n, n))
                         fortran(f, letter(op), n, columns, a, lda, pivots, b, ldb, info);
                 });
}

template <class T>
Status potrf(Handle h, cublasFillMode_t fill, int n, T* a, int lda, int* info) {
    if (!fits(n, n, lda) || !info) return kWrong;
    void* const f = routine<T>("potrf");
    if (!f) return kMissing;
    return queue(h, "potrf", {matrix_of("A", a, n, n, lda), vector_of("devInfo", info, 1)},
                 [=] { fortran(f, letter(fill), n, a, lda, info); });
}

template <class T>
Status potrs(Handle h, cublasFillMode_t fill, int n, int columns, const T* a, int lda, T* b, int ldb, int* info) {
    if (!fits(n, n, lda) || !fits(n, columns, ldb) || !info) return kWrong;
    void* const f = routine<T>("potrs");
    if (!f) return kMissing;
    return queue(h, "potrs",
                 {matrix_of("A", a, n, n, lda), matrix_of("B", b, n, columns, ldb), vector_of("devInfo", info, 1)},
                 [=] { fortran(f, letter(fill), n, columns, a, lda, b, ldb, info); });
}

template <class T>
Status potri(Handle h, cublasFillMode_t fill, int n, T* a, int lda, int* info) {
    if (!fits(n, n, lda) || !info) return kWrong;
    void* const f = routine<T>("potri");
    if (!f) return kMissing;
    return queue(h, "potri", {matrix_of("A", a, n, n, lda), vector_of("devInfo", info, 1)},
                 [=] { fortran(f, letter(fill), n, a, lda, info); });
}

template <class T>
Status potrf_batched(Handle h, cublasFillMode_t fill, int n, T** a, int lda, int* info, int count) {
    if (!fits(n, n, lda) || count < 0 || !info) return kWrong;
    void* const f = routine<T>("potrf");
    if (!f) return kMissing;
    T* const* const all = a;
    return queue(h, "potrfBatched", {vector_of("Aarray", all, count), vector_of("infoArray", info, count)}, [=] {
        for (int k = 0; k < count && may_touch(who("potrfBatched"), {matrix_of("A", a[k], n, n, lda)}); ++k)
            fortran(f, letter(fill), n, a[k], lda, info + k);
    });
}

template <class T>
Status potrs_batched(Handle h, cublasFillMode_t fill, int n, int columns, T** a, int lda, T** b, int ldb, int* info,
                     int count) {
    if (!fits(n, n, lda) || !fits(n, columns, ldb) || count < 0 || !info) return kWrong;
    void* const f = routine<T>("potrs");
    if (!f) return kMissing;
    T *const *const all_a = a, *const *const all_b = b;
    return queue(h, "potrsBatched",
                 {vector_of("Aarray", all_a, count), vector_of("Barray", all_b, count), vector_of("info", info, 1)},
                 [=] {
                     const auto there = [&](int k) {
                         return may_touch(who("potrsBatched"),
                                          {matrix_of("A", a[k], n, n, lda), matrix_of("B", b[k], n, columns, ldb)});
                     };
                     for (int k = 0; k < count && there(k); ++k)
                         fortran(f, letter(fill), n, columns, a[k], lda, b[k], ldb, info);
                 });
}

template <class T>
Status geqrf(Handle h, int m, int n, T* a, int lda, T* tau, int* info) {
    if (!fits(m, n, lda) || !info) return kWrong;
    void* const f = routine<T>("geqrf");
    if (!f) return kMissing;
    return queue(
        h, "geqrf",
        {matrix_of("A", a, m, n, lda), vector_of("TAU", tau, std::min(m, n)), vector_of("devInfo", info, 1)},
        [=] { with_workspace<T>([&](T* work, int size) { fortran(f, m, n, a, lda, tau, work, size, info); }); });
}

template <class T>
Status orgqr(Handle h, const char* name, int m, int n, int k, T* a, int lda, const T* tau, int* info) {
    if (!fits(m, n, lda) || k < 0 || k > n || n > m || !info) return kWrong;
    void* const f = routine<T>(name);
    if (!f) return kMissing;
    return queue(h, name, {matrix_of("A", a, m, n, lda), vector_of("tau", tau, k), vector_of("devInfo", info, 1)}, [=] {
        with_workspace<T>([&](T* work, int size) { fortran(f, m, n, k, a, lda, tau, work, size, info); });
    });
}

template <class T>
Status ormqr(Handle h, const char* name, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k, const T* a,
             int lda, const T* tau, T* c, int ldc, int* info) {
    const int rows = side == CUBLAS_SIDE_LEFT ? m : n;
    if (!fits(rows, k, lda) || !fits(m, n, ldc) || k > rows || !info) return kWrong;
    void* const f = routine<T>(name);
    if (!f) return kMissing;
    return queue(h, name,
                 {matrix_of("A", a, rows, k, lda), vector_of("tau", tau, k), matrix_of("C", c, m, n, ldc),
                  vector_of("devInfo", info, 1)},
                 [=] {
                     with_workspace<T>([&](T* work, int size) {
                         fortran(f, letter(side), letter(op), m, n, k, a, lda, tau, c, ldc, work, size, info);
                     });
                 });
}

#define WW_MAKE(T)                                                                                                \
    template Status getrf(Handle, int, int, T*, int, int*, int*);                                                 \
    template Status getrs(Handle, cublasOperation_t, int, int, const T*, int, const int*, T*, int, int*);         \
    template Status potrf(Handle, cublasFillMode_t, int, T*, int, int*);                                          \
    template Status potrs(Handle, cublasFillMode_t, int, int, const T*, int, T*, int, int*);                      \
    template Status potri(Handle, cublasFillMode_t, int, T*, int, int*);                                          \
    template Status potrf_batched(Handle, cublasFillMode_t, int, T**, int, int*, int);                            \
    template Status potrs_batched(Handle, cublasFillMode_t, int, int, T**, int, T**, int, int*, int);             \
    template Status geqrf(Handle, int, int, T*, int, T*, int*);                                                   \
    template Status orgqr(Handle, const char*, int, int, int, T*, int, const T*, int*);                           \
    template Status ormqr(Handle, const char*, cublasSideMode_t, cublasOperation_t, int, int, int, const T*, int, \
                          const T*, T*, int, int*);
WW_MAKE(float)
WW_MAKE(double)
WW_MAKE(cuComplex)
WW_MAKE(cuDoubleComplex)

}  // namespace warpwright::libraries::solver_impl

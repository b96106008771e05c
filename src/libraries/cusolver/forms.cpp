// Matrices brought to two or three diagonals, symmetric ones that are not positive, and systems solved at once.
#include <cstring>

#include "libraries/cusolver/functions.hpp"
#include "libraries/cusolver/lapack.hpp"

namespace warpwright::libraries::solver_impl {
namespace {

constexpr auto kWrong = CUSOLVER_STATUS_INVALID_VALUE;
constexpr auto kMissing = CUSOLVER_STATUS_INTERNAL_ERROR;

/// Pivots by Bunch and Kaufman: a row, or, of a block of two, less than 0, twice. Otherwise the device has failed.
bool blocks_fit(const char* function, const int* pivots, int n) {
    for (int k = 0; k < n; ++k) {
        const std::int64_t row = pivots[k] < 0 ? -std::int64_t{pivots[k]} : pivots[k];
        const auto wrong = [&](const std::string& why) {
            tell_wrong_value(who(function), "pivot " + std::to_string(k) + " is " + std::to_string(pivots[k]) + why);
            return false;
        };
        if (row < 1 || row > n) return wrong(", and the matrix has rows 1 to " + std::to_string(n));
        if (pivots[k] > 0) continue;
        // LAPACK takes the row behind or before it as the block's other one, whatever its pivot.
        if (k + 1 == n || pivots[k + 1] != pivots[k]) return wrong(", and its block has no second row");
        ++k;
    }
    return true;
}

template <class T>
void copy_columns(const T* from, int ld_from, T* to, int ld_to, int rows, int columns) {
    for (std::int64_t j = 0; j < columns; ++j)
        std::memmove(to + j * ld_to, from + j * ld_from, static_cast<std::size_t>(rows) * sizeof(T));
}

}  // namespace

template <class T, class R>
Status gebrd(Handle h, int m, int n, T* a, int lda, R* d, R* e, T* tau_q, T* tau_p, int* info) {
    if (!fits(m, n, lda) || !info) return kWrong;
    void* const f = routine<T>("gebrd");
    if (!f) return kMissing;
    const int least = std::min(m, n);
    return queue(h, "gebrd",
                 {matrix_of("A", a, m, n, lda), vector_of("D", d, least), vector_of("E", e, least - 1),
                  vector_of("TAUQ", tau_q, least), vector_of("TAUP", tau_p, least), vector_of("devInfo", info, 1)},
                 [=] {
                     with_workspace<T>(
                         [&](T* work, int size) { fortran(f, m, n, a, lda, d, e, tau_q, tau_p, work, size, info); });
                 });
}

template <class T>
Status orgbr(Handle h, const char* name, cublasSideMode_t side, int m, int n, int k, T* a, int lda, const T* tau,
             int* info) {
    const bool left = side == CUBLAS_SIDE_LEFT;
    // As LAPACK has it: of Q fewer columns than rows, of P fewer rows than columns.
    const bool goes = left ? m >= n && n >= std::min(m, k) : n >= m && m >= std::min(n, k);
    if (!fits(m, n, lda) || k < 0 || !goes || !info) return kWrong;
    void* const f = routine<T>(name);
    if (!f) return kMissing;
    const char which = left ? 'Q' : 'P';
    return queue(
        h, name,
        {matrix_of("A", a, m, n, lda), vector_of("tau", tau, std::min(left ? m : n, k)), vector_of("devInfo", info, 1)},
        [=] {
            with_workspace<T>([&](T* work, int size) { fortran(f, which, m, n, k, a, lda, tau, work, size, info); });
        });
}

template <class T>
Status orgtr(Handle h, const char* name, cublasFillMode_t fill, int n, T* a, int lda, const T* tau, int* info) {
    if (!fits(n, n, lda) || !info) return kWrong;
    void* const f = routine<T>(name);
    if (!f) return kMissing;
    return queue(
        h, name, {matrix_of("A", a, n, n, lda), vector_of("tau", tau, n - 1), vector_of("devInfo", info, 1)}, [=] {
            with_workspace<T>([&](T* work, int size) { fortran(f, letter(fill), n, a, lda, tau, work, size, info); });
        });
}

template <class T>
Status ormtr(Handle h, const char* name, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op, int m,
             int n, T* a, int lda, T* tau, T* c, int ldc, int* info) {
    const int rows = side == CUBLAS_SIDE_LEFT ? m : n;
    if (!fits(rows, rows, lda) || !fits(m, n, ldc) || !info) return kWrong;
    void* const f = routine<T>(name);
    if (!f) return kMissing;
    return queue(h, name,
                 {matrix_of("A", a, rows, rows, lda), vector_of("tau", tau, rows - 1), matrix_of("C", c, m, n, ldc),
                  vector_of("devInfo", info, 1)},
                 [=] {
                     with_workspace<T>([&](T* work, int size) {
                         fortran(f, letter(side), letter(fill), letter(op), m, n, a, lda, tau, c, ldc, work, size,
                                 info);
                     });
                 });
}

template <class T>
Status sytrf(Handle h, cublasFillMode_t fill, int n, T* a, int lda, int* pivots, int* info) {
    if (!fits(n, n, lda) || !info) return kWrong;
    void* const f = routine<T>("sytrf");
    if (!f) return kMissing;
    return queue(h, "sytrf",
                 {matrix_of("A", a, n, n, lda), vector_of("devIpiv", pivots, n), vector_of("devInfo", info, 1)}, [=] {
                     with_workspace<T>(
                         [&](T* work, int size) { fortran(f, letter(fill), n, a, lda, pivots, work, size, info); });
                 });
}

template <class T>
Status sytri(Handle h, cublasFillMode_t fill, int n, T* a, int lda, const int* pivots, int* info) {
    if (!fits(n, n, lda) || !info) return kWrong;
    void* const f = routine<T>("sytri");
    if (!f) return kMissing;
    return queue(h, "sytri",
                 {matrix_of("A", a, n, n, lda), vector_of("ipiv", pivots, n), vector_of("devInfo", info, 1)}, [=] {
                     std::vector<T> work(2 * static_cast<std::size_t>(std::max(1, n)));
                     if (blocks_fit("sytri", pivots, n)) fortran(f, letter(fill), n, a, lda, pivots, work.data(), info);
                 });
}

template <class T>
Status gesv(Handle h, int n, int columns, T* a, int lda, int* pivots, T* b, int ldb, T* x, int ldx, int* rounds,
            int* info) {
    if (!fits(n, n, lda) || !fits(n, columns, ldb) || !fits(n, columns, ldx) || !rounds || !info) return kWrong;
    void* const f = routine<T>("gesv");
    if (!f) return kMissing;
    *rounds = 0;
    const T* const right = b;
    return queue(h, "gesv",
                 {matrix_of("dA", a, n, n, lda), vector_of("dipiv", pivots, n), matrix_of("dB", right, n, columns, ldb),
                  matrix_of("dX", x, n, columns, ldx), vector_of("d_info", info, 1)},
                 [=] {
                     copy_columns(right, ldb, x, ldx, n, columns);
                     fortran(f, n, columns, a, lda, pivots, x, ldx, info);
                 });
}

template <class T>
Status gels(Handle h, int m, int n, int columns, T* a, int lda, T* b, int ldb, T* x, int ldx, int* rounds, int* info) {
    // More unknowns than equations are not solved.
    if (!fits(m, n, lda) || n > m || !fits(m, columns, ldb) || !fits(n, columns, ldx) || !rounds || !info)
        return kWrong;
    void* const f = routine<T>("gels");
    if (!f) return kMissing;
    *rounds = 0;
    const T* const right = b;
    return queue(h, "gels",
                 {matrix_of("dA", a, m, n, lda), matrix_of("dB", right, m, columns, ldb),
                  matrix_of("dX", x, n, columns, ldx), vector_of("d_info", info, 1)},
                 [=] {
                     const int ld = std::max(1, m);
                     std::vector<T> both(static_cast<std::size_t>(ld) * static_cast<std::size_t>(std::max(1, columns)));
                     copy_columns(right, ldb, both.data(), ld, m, columns);
                     with_workspace<T>([&](T* work, int size) {
                         fortran(f, 'N', m, n, columns, a, lda, both.data(), ld, work, size, info);
                     });
                     copy_columns(static_cast<const T*>(both.data()), ld, x, ldx, n, columns);
                 });
}

Status refined_room(Handle h, int m, int n, int columns, int lda, int ldb, int ldx, size_t* bytes) {
    if (!bytes || !fits(m, columns, ldb) || !fits(n, columns, ldx)) return kWrong;
    int size = 0;
    const auto s = room(h, m, n, lda, &size);
    *bytes = static_cast<size_t>(size);
    return s;
}

#define WW_MAKE(T, R)                                                                                               \
    template Status gebrd(Handle, int, int, T*, int, R*, R*, T*, T*, int*);                                         \
    template Status orgbr(Handle, const char*, cublasSideMode_t, int, int, int, T*, int, const T*, int*);           \
    template Status orgtr(Handle, const char*, cublasFillMode_t, int, T*, int, const T*, int*);                     \
    template Status ormtr(Handle, const char*, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, int, int, T*, \
                          int, T*, T*, int, int*);                                                                  \
    template Status sytrf(Handle, cublasFillMode_t, int, T*, int, int*, int*);                                      \
    template Status sytri(Handle, cublasFillMode_t, int, T*, int, const int*, int*);                                \
    template Status gesv(Handle, int, int, T*, int, int*, T*, int, T*, int, int*, int*);                            \
    template Status gels(Handle, int, int, int, T*, int, T*, int, T*, int, int*, int*);
WW_MAKE(float, float)
WW_MAKE(double, double)
WW_MAKE(cuComplex, float)
WW_MAKE(cuDoubleComplex, double)

}  // namespace warpwright::libraries::solver_impl

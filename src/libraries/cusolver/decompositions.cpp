// Eigenvalues of symmetric matrices, and singular values.
#include "libraries/cusolver/functions.hpp"
#include "libraries/cusolver/lapack.hpp"

namespace warpwright::libraries::solver_impl {
namespace {

constexpr auto kWrong = CUSOLVER_STATUS_INVALID_VALUE;
constexpr auto kMissing = CUSOLVER_STATUS_INTERNAL_ERROR;

float conjugate(float x) { return x; }
double conjugate(double x) { return x; }
cuComplex conjugate(cuComplex x) { return {x.x, -x.y}; }
cuDoubleComplex conjugate(cuDoubleComplex x) { return {x.x, -x.y}; }

/// One decomposition by LAPACK's gesvd, which has one array more for complex numbers.
template <class T, class R>
void one_gesvd(void* f, char u_job, char v_job, int m, int n, T* a, int lda, R* s, T* u, int ldu, T* vt, int ldvt,
               int* info) {
    std::vector<R> more(static_cast<std::size_t>(5) * std::max(1, std::min(m, n)));
    with_workspace<T>([&](T* work, int size) {
        if constexpr (kComplex<T>)
            fortran(f, u_job, v_job, m, n, a, lda, s, u, ldu, vt, ldvt, work, size, more.data(), info);
        else
            fortran(f, u_job, v_job, m, n, a, lda, s, u, ldu, vt, ldvt, work, size, info);
    });
}

}  // namespace

template <class T, class R>
Status sytrd(Handle h, const char* name, cublasFillMode_t fill, int n, T* a, int lda, R* d, R* e, T* tau, int* info) {
    if (!fits(n, n, lda) || !info) return kWrong;
    void* const f = routine<T>(name);
    if (!f) return kMissing;
    return queue(h, name,
                 {matrix_of("A", a, n, n, lda), vector_of("D", d, n), vector_of("E", e, n - 1),
                  vector_of("tau", tau, n - 1), vector_of("devInfo", info, 1)},
                 [=] {
                     with_workspace<T>(
                         [&](T* work, int size) { fortran(f, letter(fill), n, a, lda, d, e, tau, work, size, info); });
                 });
}

template <class T, class R>
Status syev(Handle h, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T* a, int lda, R* w, int* info, int count) {
    if (!fits(n, n, lda) || count < 0 || !info) return kWrong;
    void* const f = routine<T>(kComplex<T> ? "heev" : "syev");
    if (!f) return kMissing;
    const std::int64_t columns = std::int64_t{n} * count;
    return queue(
        h, "syevd", {matrix_of("A", a, n, columns, lda), vector_of("W", w, columns), vector_of("devInfo", info, count)},
        [=] {
            std::vector<R> more(static_cast<std::size_t>(3) * std::max(1, n));
            for (std::int64_t k = 0; k < count; ++k) {
                T* const matrix = a + k * lda * n;
                with_workspace<T>([&](T* work, int size) {
                    if constexpr (kComplex<T>)
                        fortran(f, letter(mode), letter(fill), n, matrix, lda, w + k * n, work, size, more.data(),
                                info + k);
                    else
                        fortran(f, letter(mode), letter(fill), n, matrix, lda, w + k * n, work, size, info + k);
                });
            }
        });
}

template <class T, class R>
Status gesvd(Handle h, signed char u_job, signed char v_job, int m, int n, T* a, int lda, R* s, T* u, int ldu, T* vt,
             int ldvt, int* info) {
    const auto known = [](signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; };
    if (!fits(m, n, lda) || !known(u_job) || !known(v_job) || ldu < 1 || ldvt < 1 || !info) return kWrong;
    void* const f = routine<T>("gesvd");
    if (!f) return kMissing;
    const std::int64_t least = std::min(m, n);
    const auto of_job = [&](signed char job, std::int64_t all) { return job == 'A' ? all : job == 'S' ? least : 0; };
    const std::int64_t rows_vt = of_job(v_job, n);
    if ((of_job(u_job, m) && ldu < m) || ldvt < rows_vt || (u_job == 'O' && v_job == 'O')) return kWrong;
    return queue(h, "gesvd",
                 {matrix_of("A", a, m, n, lda), vector_of("S", s, least), matrix_of("U", u, m, of_job(u_job, m), ldu),
                  matrix_of("VT", vt, rows_vt, rows_vt ? n : 0, ldvt), vector_of("devInfo", info, 1)},
                 [=] {
                     one_gesvd(f, static_cast<char>(u_job), static_cast<char>(v_job), m, n, a, lda, s, u, ldu, vt, ldvt,
                               info);
                 });
}

template <class T, class R>
Status gesvdj(Handle h, cusolverEigMode_t mode, int econ, int m, int n, T* a, int lda, R* s, T* u, int ldu, T* v,
              int ldv, int* info, int count) {
    const bool vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
    const int least = std::min(m, n), columns_u = econ ? least : m, columns_v = econ ? least : n;
    if (!fits(m, n, lda) || count < 0 || !info || (vectors && (ldu < std::max(1, m) || ldv < std::max(1, n))))
        return kWrong;
    void* const f = routine<T>("gesvd");
    if (!f) return kMissing;
    const std::int64_t of_u = vectors ? std::int64_t{columns_u} * count : 0,
                       of_v = vectors ? std::int64_t{columns_v} * count : 0;
    return queue(h, "gesvd",
                 {matrix_of("A", a, m, std::int64_t{n} * count, lda), vector_of("S", s, std::int64_t{least} * count),
                  matrix_of("U", u, m, of_u, ldu), matrix_of("V", v, n, of_v, ldv), vector_of("info", info, count)},
                 [=] {
                     const char job = !vectors ? 'N' : econ ? 'S' : 'A';
                     std::vector<T> vt(vectors ? static_cast<std::size_t>(columns_v) * static_cast<std::size_t>(n) : 1);
                     const int ldvt = vectors ? std::max(1, columns_v) : 1;
                     for (std::int64_t k = 0; k < count; ++k) {
                         one_gesvd(f, job, job, m, n, a + k * lda * n, lda, s + k * least,
                                   vectors ? u + k * ldu * columns_u : u, std::max(1, ldu), vt.data(), ldvt, info + k);
                         if (!vectors) continue;
                         T* const to = v + k * ldv * columns_v;
                         for (std::int64_t i = 0; i < n; ++i)
                             for (std::int64_t j = 0; j < columns_v; ++j) to[i + j * ldv] = conjugate(vt[j + i * ldvt]);
                     }
                 });
}

#define WW_MAKE(T, R)                                                                                       \
    template Status sytrd(Handle, const char*, cublasFillMode_t, int, T*, int, R*, R*, T*, int*);           \
    template Status syev(Handle, cusolverEigMode_t, cublasFillMode_t, int, T*, int, R*, int*, int);         \
    template Status gesvd(Handle, signed char, signed char, int, int, T*, int, R*, T*, int, T*, int, int*); \
    template Status gesvdj(Handle, cusolverEigMode_t, int, int, int, T*, int, R*, T*, int, T*, int, int*, int);
WW_MAKE(float, float)
WW_MAKE(double, double)
WW_MAKE(cuComplex, float)
WW_MAKE(cuDoubleComplex, double)

}  // namespace warpwright::libraries::solver_impl

// Eigenvalues of symmetric matrices: of pairs of matrices, and a part of them.
#include <cstring>

#include "cudart/api/api.hpp"
#include "libraries/cusolver/functions.hpp"
#include "libraries/cusolver/lapack.hpp"

namespace warpwright::libraries::solver_impl {
namespace {

constexpr auto kWrong = CUSOLVER_STATUS_INVALID_VALUE;
constexpr auto kMissing = CUSOLVER_STATUS_INTERNAL_ERROR;

/// What one call of LAPACK's syevx gives.
template <class T, class R>
struct Part {
    int count = 0;
    std::vector<R> values;
    std::vector<T> vectors;  ///< n for each
};

template <class T, class R>
Part<T, R> part_of(void* f, cusolverEigMode_t mode, const Range<R>& range, cublasFillMode_t fill, int n, T* a, int lda,
                   int* info) {
    const auto size = static_cast<std::size_t>(std::max(1, n));
    Part<T, R> out;
    out.values.resize(size);
    out.vectors.resize(mode == CUSOLVER_EIG_MODE_VECTOR ? size * size : 1);
    std::vector<R> more(7 * size);
    std::vector<int> numbers(5 * size), failed(size);
    const char which = range.kind == CUSOLVER_EIG_RANGE_ALL ? 'A' : range.kind == CUSOLVER_EIG_RANGE_V ? 'V' : 'I';
    const R exact = 0;  // as good as LAPACK can
    const int ld = static_cast<int>(size);
    with_workspace<T>([&](T* work, int room) {
        if constexpr (kComplex<T>)
            fortran(f, letter(mode), which, letter(fill), n, a, lda, range.least, range.most, range.first, range.last,
                    exact, &out.count, out.values.data(), out.vectors.data(), ld, work, room, more.data(),
                    numbers.data(), failed.data(), info);
        else
            fortran(f, letter(mode), which, letter(fill), n, a, lda, range.least, range.most, range.first, range.last,
                    exact, &out.count, out.values.data(), out.vectors.data(), ld, work, room, numbers.data(),
                    failed.data(), info);
    });
    return out;
}

template <class R>
bool valid(const Range<R>& range, int n) {
    if (range.kind == CUSOLVER_EIG_RANGE_V) return range.least < range.most;
    if (range.kind == CUSOLVER_EIG_RANGE_I)
        return n == 0 || (1 <= range.first && range.first <= range.last && range.last <= n);
    return range.kind == CUSOLVER_EIG_RANGE_ALL;
}

}  // namespace

template <class T, class R>
Status sygv(Handle h, cusolverEigType_t kind, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T* a, int lda, T* b,
            int ldb, R* w, int* info) {
    if (!fits(n, n, lda) || !fits(n, n, ldb) || !info || kind < CUSOLVER_EIG_TYPE_1 || kind > CUSOLVER_EIG_TYPE_3)
        return kWrong;
    void* const f = routine<T>(kComplex<T> ? "hegv" : "sygv");
    if (!f) return kMissing;
    const int type = kind;
    return queue(h, "sygvd",
                 {matrix_of("A", a, n, n, lda), matrix_of("B", b, n, n, ldb), vector_of("W", w, n),
                  vector_of("devInfo", info, 1)},
                 [=] {
                     std::vector<R> more(static_cast<std::size_t>(3) * std::max(1, n));
                     with_workspace<T>([&](T* work, int size) {
                         if constexpr (kComplex<T>)
                             fortran(f, type, letter(mode), letter(fill), n, a, lda, b, ldb, w, work, size, more.data(),
                                     info);
                         else
                             fortran(f, type, letter(mode), letter(fill), n, a, lda, b, ldb, w, work, size, info);
                     });
                 });
}

template <class T, class R>
Status syevx(Handle h, cusolverEigMode_t mode, Range<R> range, cublasFillMode_t fill, int n, T* a, int lda, int* found,
             R* w, int* info) {
    if (!fits(n, n, lda) || !info || !found || !valid(range, n)) return kWrong;
    void* const f = routine<T>(kComplex<T> ? "heevx" : "syevx");
    if (!f) return kMissing;
    const auto s =
        queue(h, "syevdx", {matrix_of("A", a, n, n, lda), vector_of("W", w, n), vector_of("devInfo", info, 1)}, [=] {
            const auto part = part_of<T, R>(f, mode, range, fill, n, a, lda, info);
            std::copy_n(part.values.begin(), part.count, w);
            if (mode == CUSOLVER_EIG_MODE_VECTOR)
                for (std::int64_t k = 0; k < part.count; ++k)
                    std::memcpy(a + k * lda, part.vectors.data() + k * n, static_cast<std::size_t>(n) * sizeof(T));
            *found = part.count;
        });
    if (s != CUSOLVER_STATUS_SUCCESS) return s;
    // How many there are is the host's to know when the call returns.
    cudaStream_t stream = nullptr;
    if (const auto e = get_stream(h, &stream); e != CUSOLVER_STATUS_SUCCESS) return e;
    return cudart::impl::cudaStreamSynchronize(stream) == cudaSuccess ? CUSOLVER_STATUS_SUCCESS
                                                                      : CUSOLVER_STATUS_EXECUTION_FAILED;
}

#define WW_MAKE(T, R)                                                                                               \
    template Status sygv(Handle, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, int, T*, int, T*, int, R*, \
                         int*);                                                                                     \
    template Status syevx(Handle, cusolverEigMode_t, Range<R>, cublasFillMode_t, int, T*, int, int*, R*, int*);
WW_MAKE(float, float)
WW_MAKE(double, double)
WW_MAKE(cuComplex, float)
WW_MAKE(cuDoubleComplex, double)

}  // namespace warpwright::libraries::solver_impl

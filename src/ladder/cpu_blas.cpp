// The library that a CPU programmer would call.
#include <cblas.h>

#include <algorithm>

#include "ladder/cpu.hpp"

namespace warpwright::ladder {
namespace {

void use_threads(unsigned threads) {
    openblas_set_num_threads(threads == 0 ? openblas_get_num_procs() : static_cast<int>(threads));
}

blasint stride(std::int64_t n) { return static_cast<blasint>(std::max<std::int64_t>(n, 1)); }

}  // namespace

void matmul_blas(const float* a, const float* b, float* c, std::int64_t m, std::int64_t n, std::int64_t k,
                 unsigned threads) {
    use_threads(threads);
    if (k == 0) std::fill(c, c + m * n, 0.0f);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<blasint>(m), static_cast<blasint>(n),
                static_cast<blasint>(k), 1.0f, a, stride(k), b, stride(n), 0.0f, c, stride(n));
}

void matmul_blas(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n, std::int64_t k,
                 unsigned threads) {
    use_threads(threads);
    if (k == 0) std::fill(c, c + m * n, 0.0);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<blasint>(m), static_cast<blasint>(n),
                static_cast<blasint>(k), 1.0, a, stride(k), b, stride(n), 0.0, c, stride(n));
}

}  // namespace warpwright::ladder

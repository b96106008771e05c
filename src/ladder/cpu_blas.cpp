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

CBLAS_TRANSPOSE transposed(bool yes) { return yes ? CblasTrans : CblasNoTrans; }

}  // namespace

void gemm(bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t a_stride,
          const double* b, std::int64_t b_stride, double* c, std::int64_t c_stride) {
    if (m == 0 || n == 0 || k == 0) return;
    use_threads(0);
    cblas_dgemm(CblasRowMajor, transposed(ta), transposed(tb), static_cast<blasint>(m), static_cast<blasint>(n),
                static_cast<blasint>(k), 1.0, a, stride(a_stride), b, stride(b_stride), 1.0, c, stride(c_stride));
}

void matmul_blas(const float* a, const float* b, float* c, std::int64_t m, std::int64_t n, std::int64_t k,
                 Layout layout, unsigned threads) {
    use_threads(threads);
    if (k == 0) std::fill(c, c + m * n, 0.0f);
    cblas_sgemm(CblasRowMajor, transposed(layout.a_transposed), transposed(layout.b_transposed),
                static_cast<blasint>(m), static_cast<blasint>(n), static_cast<blasint>(k), 1.0f, a,
                stride(layout.a_transposed ? m : k), b, stride(layout.b_transposed ? k : n), 0.0f, c, stride(n));
}

void matmul_blas(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n, std::int64_t k,
                 Layout layout, unsigned threads) {
    use_threads(threads);
    if (k == 0) std::fill(c, c + m * n, 0.0);
    cblas_dgemm(CblasRowMajor, transposed(layout.a_transposed), transposed(layout.b_transposed),
                static_cast<blasint>(m), static_cast<blasint>(n), static_cast<blasint>(k), 1.0, a,
                stride(layout.a_transposed ? m : k), b, stride(layout.b_transposed ? k : n), 0.0, c, stride(n));
}

}  // namespace warpwright::ladder

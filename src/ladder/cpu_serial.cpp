// The plain loops, one thread, as a person would write them first.
#include "ladder/cpu.hpp"
#include "support/clones.hpp"

namespace warpwright::ladder {
namespace {

template <class T>
__attribute__((always_inline)) inline void triple_loop(const T* a, const T* b, T* c, std::int64_t m, std::int64_t n,
                                                       std::int64_t k, Layout layout) {
    // The strides along the product's own indices, for either orientation of a matrix.
    const std::int64_t ai = layout.a_transposed ? 1 : k, al = layout.a_transposed ? m : 1;
    const std::int64_t bl = layout.b_transposed ? 1 : n, bj = layout.b_transposed ? k : 1;
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            T sum = 0;
            for (std::int64_t l = 0; l < k; ++l) sum += a[i * ai + l * al] * b[l * bl + j * bj];
            c[i * n + j] = sum;
        }
}

template <class T>
__attribute__((always_inline)) inline T plain_sum(const T* in, std::int64_t n) {
    T sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += in[i];
    return sum;
}

}  // namespace

WARPWRIGHT_CLONES
void matmul_serial(const float* a, const float* b, float* c, std::int64_t m, std::int64_t n, std::int64_t k,
                   Layout layout) {
    triple_loop(a, b, c, m, n, k, layout);
}
WARPWRIGHT_CLONES
void matmul_serial(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n, std::int64_t k,
                   Layout layout) {
    triple_loop(a, b, c, m, n, k, layout);
}

// Unsigned, so that a sum beyond the type wraps as the kernels' does.
WARPWRIGHT_CLONES
static std::uint32_t sum_wrapping(const std::uint32_t* in, std::int64_t n) { return plain_sum(in, n); }
WARPWRIGHT_CLONES
static std::uint64_t sum_wrapping(const std::uint64_t* in, std::int64_t n) { return plain_sum(in, n); }
std::int32_t sum_serial(const std::int32_t* in, std::int64_t n) {
    return static_cast<std::int32_t>(sum_wrapping(reinterpret_cast<const std::uint32_t*>(in), n));
}
std::int64_t sum_serial(const std::int64_t* in, std::int64_t n) {
    return static_cast<std::int64_t>(sum_wrapping(reinterpret_cast<const std::uint64_t*>(in), n));
}
float sum_serial(const float* in, std::int64_t n) { return plain_sum(in, n); }
double sum_serial(const double* in, std::int64_t n) { return plain_sum(in, n); }

}  // namespace warpwright::ladder

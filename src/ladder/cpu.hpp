// Rungs that run on the host, with which kernels are compared. Each is compiled with full optimisation and, on x86-64,
// for several instruction sets between which the program chooses when it starts.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ladder/reference.hpp"

namespace warpwright::ladder {

/// Work that may run many times; each run writes the whole output, or the requested rows.
using CpuWork = std::function<void()>;

/// The rows of a product that a CPU rung computes when it is timed.
struct CpuRows {
    std::int64_t timed = 0, all = 0;  ///< both 0 for problems that are no product
    bool part() const { return timed < all; }
    double share() const { return part() ? static_cast<double>(timed) / static_cast<double>(all) : 1; }
};
/// All rows if their work is within a budget, else as many as are enough to time: work of part of a second for a plain
/// loop, more for the faster ways. It is a budget of work and not of time, so that a busy machine times the same rows.
/// Sizes that cannot be evaluated give all rows, and an error where the work is made.
CpuRows cpu_rows(const Reference& reference, const std::string& cpu, const Variables& variables,
                 const Variant& variant = {});

/// The CPU rung `cpu` ("serial", "openmp", "blas") of the problem that `reference` describes. `buffers` holds inputs
/// and output and must outlive the work. `threads`: for openmp and blas; 0 = all cores. ErrorKind::limit if there is no
/// such rung: blas only multiplies f32 and f64 matrices; serial and openmp do matmul (f32, f64) and sum (i32, i64, f32,
/// f64). `variant` gives the reference's layout and operation if they are axes. With `rows` only the first rows of a
/// product are computed.
Result<CpuWork> make_cpu_work(const Reference& reference, const std::string& cpu, HostBuffers& buffers,
                              const Variables& variables, unsigned threads, const Variant& variant = {},
                              std::optional<std::int64_t> rows = {});

/// The machine's name for its processor ("Intel(R) Xeon(R) ..."), for records.
std::string cpu_name();

// The loops themselves (cpu_serial.cpp, cpu_openmp.cpp, cpu_blas.cpp). Row-major; sizes in elements.
void matmul_serial(const float* a, const float* b, float* c, std::int64_t m, std::int64_t n, std::int64_t k,
                   Layout layout);
void matmul_serial(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n, std::int64_t k,
                   Layout layout);
void matmul_openmp(const float* a, const float* b, float* c, std::int64_t m, std::int64_t n, std::int64_t k,
                   Layout layout, unsigned threads);
void matmul_openmp(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n, std::int64_t k,
                   Layout layout, unsigned threads);
void matmul_blas(const float* a, const float* b, float* c, std::int64_t m, std::int64_t n, std::int64_t k,
                 Layout layout, unsigned threads);
void matmul_blas(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n, std::int64_t k,
                 Layout layout, unsigned threads);
/// c += op(a) op(b), m x k times k x n, where ta and tb transpose; the strides are those of the stored rows. All cores.
void gemm(bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t a_stride,
          const double* b, std::int64_t b_stride, double* c, std::int64_t c_stride);
std::int32_t sum_serial(const std::int32_t* in, std::int64_t n);
std::int64_t sum_serial(const std::int64_t* in, std::int64_t n);
float sum_serial(const float* in, std::int64_t n);
double sum_serial(const double* in, std::int64_t n);
std::int32_t sum_openmp(const std::int32_t* in, std::int64_t n, unsigned threads);
std::int64_t sum_openmp(const std::int64_t* in, std::int64_t n, unsigned threads);
float sum_openmp(const float* in, std::int64_t n, unsigned threads);
double sum_openmp(const double* in, std::int64_t n, unsigned threads);

}  // namespace warpwright::ladder

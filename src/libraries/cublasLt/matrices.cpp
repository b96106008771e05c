// What a program says of its matrices is checked here, before any of it is multiplied: sides fit 31 bits, and steps
// between elements cannot wrap in the kernels' 64-bit arithmetic.
#include "libraries/cublasLt/matrices.hpp"

#include <limits>

#include "cudart/state/runtime.hpp"
#include "libraries/common/cublas_status.hpp"
#include "libraries/common/factor.hpp"
#include "libraries/common/kernels.hpp"

// Made by the build (CMakeLists.txt).
extern "C" const char ww_lt_products[];

namespace warpwright::libraries::lt {
namespace {

constexpr std::int64_t kMostApart = std::int64_t{1} << 44;

bool fits(std::uint64_t side) { return side <= std::numeric_limits<int>::max(); }
bool fits_apart(std::int64_t step) { return step > -kMostApart && step < kMostApart; }

}  // namespace

bool is_complex(int type) { return type == CUDA_C_32F || type == CUDA_C_64F; }

bool is_plain(int type) {
    return type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_R_32I;
}

bool is_known(int type) {
    return is_plain(type) || is_complex(type) || type == CUDA_R_8I || type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

std::optional<Operand> operand(const Layout& l, const void* at, int op) {
    const bool by_rows = l.order == CUBLASLT_ORDER_ROW;
    if (!fits(l.rows) || !fits(l.cols) || op < CUBLAS_OP_N || op > CUBLAS_OP_CONJG) return std::nullopt;
    const auto least = static_cast<std::int64_t>(by_rows ? l.cols : l.rows);
    if (l.ld < least || !fits_apart(l.ld) || l.batch_count < 1 || !fits_apart(l.batch_offset)) return std::nullopt;
    Operand o{l.rows, l.cols, {}};
    auto& m = o.matrix;
    m.at = const_cast<void*>(at);
    m.type = static_cast<int>(l.type);
    m.conjugate = op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG;
    m.rows_apart = by_rows ? l.ld : 1;
    m.columns_apart = by_rows ? 1 : l.ld;
    m.batch_apart = l.batch_offset;
    if (op == CUBLAS_OP_T || op == CUBLAS_OP_C) {
        std::swap(o.rows, o.columns);
        std::swap(m.rows_apart, m.columns_apart);
    }
    return o;
}

ww_lt::Factor factor(const void* at, int type, bool on_device, bool per_row, std::int64_t apart) {
    return factor_of(at, type, on_device, per_row, apart);
}

ww_lt::Factor no_factor() { return {}; }

cublasStatus_t launch(const std::string& kernel, dim3 grid, void* argument, cudaStream_t stream) {
    static auto* const kernels = new Kernels{ww_lt_products};
    void* arguments[] = {argument};
    return status_of(kernels->launch(kernel, grid, arguments, stream));
}

cublasStatus_t not_supported(const std::string& what) {
    cudart::Runtime::get().say("cublasLt: " + what + " is not supported by the emulated GPU's library");
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // namespace warpwright::libraries::lt

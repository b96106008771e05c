// Arguments are checked before the work is queued, because cuBLAS returns a status for wrong ones and routines of BLAS
// return none.
#include "libraries/cublas/host.hpp"

#include <algorithm>
#include <initializer_list>

#include "libraries/common/host_work.hpp"

namespace warpwright::libraries {
namespace impl {

bool HostArguments::valid(std::string_view routine) const {
    for (const std::int64_t size : sizes_)
        if (size < 0) return false;
    for (std::size_t k = 0; k < strides_.size(); ++k) {
        const std::int64_t least = least_stride(routine, k);
        if (least ? strides_[k] < least : strides_[k] == 0) return false;
    }
    return true;
}

/// Of a leading dimension: the least that it may be (the argument checks of the reference BLAS). Of an increment: 0.
std::int64_t HostArguments::least_stride(std::string_view routine, std::size_t which) const {
    const auto size = [&](std::size_t k) { return k < sizes_.size() ? sizes_[k] : 0; };
    const auto is = [&](std::initializer_list<std::string_view> names) {
        return std::find(names.begin(), names.end(), routine) != names.end();
    };
    const auto rows = [](std::int64_t n) { return std::max<std::int64_t>(1, n); };
    // Matrices and vectors: the matrix comes first, but where it is the result.
    if (is({"trmv", "trsv", "symv", "hemv"})) return which == 0 ? rows(size(0)) : 0;
    if (is({"tbmv", "tbsv", "sbmv", "hbmv"})) return which == 0 ? size(1) + 1 : 0;
    if (is({"gbmv"})) return which == 0 ? size(2) + size(3) + 1 : 0;
    if (is({"syr", "her"})) return which == 1 ? rows(size(0)) : 0;
    if (is({"syr2", "her2"})) return which == 2 ? rows(size(0)) : 0;
    // Matrices alone.
    if (is({"symm", "hemm", "trsm", "trmm"}))
        return rows(which == 0 ? square_side(letters_[0], size(0), size(1)) : size(0));
    const bool by_columns = letters_.size() > 1 && letters_[1] != 'N';
    if (is({"syrk", "herk"})) return rows(which == 1 || !by_columns ? size(0) : size(1));
    if (is({"syr2k", "her2k"})) return rows(which == 2 || !by_columns ? size(0) : size(1));
    return 0;
}

}  // namespace impl

void* host_routine(const std::string& name) { return host_routine("cuBLAS", name); }

cublasStatus_t on_host(const cublasContext& context, const char* function, std::function<void()> work) {
    return status_of(on_host("cuBLAS", function, context.stream, std::move(work)));
}

}  // namespace warpwright::libraries

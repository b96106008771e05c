// Arguments are checked before the work is queued, because cuBLAS returns a status for wrong ones and routines of BLAS
// return none.
#include "libraries/cublas/host.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "libraries/common/host_work.hpp"

namespace warpwright::libraries {
namespace impl {

bool HostArguments::is(std::initializer_list<std::string_view> routines) const {
    return std::find(routines.begin(), routines.end(), routine_) != routines.end();
}

/// As the reference BLAS has its arguments.
HostArguments::Shape HostArguments::shape(std::size_t array) const {
    const auto n = size(0);
    // Matrices and vectors: the matrix comes first, but where it is the result.
    const bool first = array == 0;
    if (is({"trmv", "trsv", "symv", "hemv"})) return first ? Shape{Shape::matrix, n, n} : Shape{Shape::vector, n};
    if (is({"tbmv", "tbsv", "sbmv", "hbmv"}))
        return first ? Shape{Shape::band, size(1) + 1, n} : Shape{Shape::vector, n};
    if (is({"tpmv", "tpsv", "spmv", "hpmv"})) return first ? Shape{Shape::packed, n} : Shape{Shape::vector, n};
    if (is({"gbmv"})) {
        const bool across = letters_[0] != 'N';
        return first ? Shape{Shape::band, size(2) + size(3) + 1, size(1)}
                     : Shape{Shape::vector, (array == 1) == across ? size(0) : size(1)};
    }
    const bool one = is({"syr", "her", "spr", "hpr"}), two = is({"syr2", "her2", "spr2", "hpr2"});
    if (one || two) {
        if (array < (two ? 2 : 1)) return {Shape::vector, n};
        return routine_[1] == 'p' ? Shape{Shape::packed, n} : Shape{Shape::matrix, n, n};
    }
    // Matrices alone.
    if (is({"symm", "hemm", "trsm", "trmm"})) {
        const auto side = square_side(letters_[0], size(0), size(1));
        return first ? Shape{Shape::matrix, side, side} : Shape{Shape::matrix, size(0), size(1)};
    }
    const bool result = array == (is({"syrk", "herk"}) ? 1 : is({"syr2k", "her2k"}) ? 2 : arrays_.size());
    if (result) return {Shape::matrix, n, n};
    if (is({"syrk", "herk", "syr2k", "her2k"})) {
        const bool by_columns = letters_.size() > 1 && letters_[1] != 'N';
        return by_columns ? Shape{Shape::matrix, size(1), n} : Shape{Shape::matrix, n, size(1)};
    }
    return {Shape::vector, n};
}

bool HostArguments::valid() const {
    for (const std::int64_t size : sizes_)
        if (size < 0) return false;
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
        const auto& stride = arrays_[k].stride;
        const Shape s = shape(k);
        if (!stride) continue;
        if (s.kind == Shape::vector ? *stride == 0 : *stride < std::max<std::int64_t>(1, s.rows)) return false;
    }
    return true;
}

/// From the first element to the last one that is touched.
std::int64_t HostArguments::elements(std::size_t array) const {
    const Shape s = shape(array);
    const std::int64_t stride = arrays_[array].stride.value_or(1);
    if (s.rows <= 0 || s.columns <= 0) return 0;
    switch (s.kind) {
        case Shape::vector:
            return 1 + (s.rows - 1) * std::abs(stride);
        case Shape::matrix:
            return (s.columns - 1) * stride + s.rows;
        case Shape::band:
            return (s.columns - 1) * stride + 1;
        case Shape::packed:
            break;
    }
    return s.rows * (s.rows + 1) / 2;
}

std::vector<Touched> HostArguments::touched() const {
    constexpr const char* kNames[] = {"the first array", "the second array", "the third array"};
    auto all = scalars_;
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
        const bool last = k + 1 == arrays_.size() || is({"rotm"});
        all.push_back({kNames[std::min<std::size_t>(k, 2)], arrays_[k].at,
                       bytes_of_elements(elements(k), arrays_[k].element), last});
    }
    return all;
}

}  // namespace impl

void* host_routine(const std::string& name) { return host_routine("cuBLAS", name); }

cublasStatus_t on_host(const cublasContext& context, const char* function, std::vector<Touched> touched,
                       std::function<void()> work) {
    return status_of(on_host("cuBLAS", function, context.stream,
                             [who = who(function), touched = std::move(touched), work = std::move(work)] {
                                 if (may_touch(who, touched)) work();
                             }));
}

}  // namespace warpwright::libraries

// LAPACK as Fortran has it: all arguments by address. Its workspace is asked for and allocated here.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "libraries/common/host_work.hpp"
#include "libraries/cusolver/functions.hpp"

namespace warpwright::libraries::solver_impl {

template <class T>
inline constexpr char kLetter = std::is_same_v<T, float>       ? 's'
                                : std::is_same_v<T, double>    ? 'd'
                                : std::is_same_v<T, cuComplex> ? 'c'
                                                               : 'z';
template <class T>
inline constexpr bool kComplex = kLetter<T> == 'c' || kLetter<T> == 'z';

template <class T>
const void* by_address(const T& value) {
    if constexpr (std::is_pointer_v<T>)
        return value;
    else
        return &value;
}
template <class>
using Address = const void*;

template <class... A>
void fortran(void* routine, const A&... arguments) {
    reinterpret_cast<void (*)(Address<A>...)>(routine)(by_address(arguments)...);
}

/// The routine for a type, by its name without the letter; null: there is none, and a line says so.
template <class T>
void* routine(const char* name) {
    return host_routine("cuSOLVER", kLetter<T> + std::string(name) + "_");
}

/// Calls `with` twice: for the size of the workspace, and with it.
template <class T, class With>
void with_workspace(With with) {
    T asked[2] = {};
    with(asked, -1);
    double size = 0;
    if constexpr (kComplex<T>)
        size = asked[0].x;
    else
        size = asked[0];
    std::vector<T> work(std::max<std::size_t>(1, static_cast<std::size_t>(size)));
    with(work.data(), static_cast<int>(work.size()));
}

inline char letter(cublasFillMode_t fill) { return fill == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L'; }
inline char letter(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT ? 'L' : 'R'; }
inline char letter(cublasOperation_t op) { return op == CUBLAS_OP_N ? 'N' : op == CUBLAS_OP_T ? 'T' : 'C'; }
inline char letter(cusolverEigMode_t mode) { return mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N'; }

/// Whether a matrix of m by n has this leading dimension.
inline bool fits(std::int64_t m, std::int64_t n, std::int64_t lda) {
    return m >= 0 && n >= 0 && lda >= std::max<std::int64_t>(1, m);
}

}  // namespace warpwright::libraries::solver_impl

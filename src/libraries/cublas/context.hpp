// What a handle of cuBLAS holds, and what its functions share: scalars by both pointer modes, kernels of ours, routines
// of OpenBLAS.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libraries/common/cublas_status.hpp"
#include "libraries/common/touched.hpp"
#include "warpwright/cublas_types.h"

typedef float2 cuComplex;
typedef double2 cuDoubleComplex;

struct cublasContext {
    cublasHandle_t handle = nullptr;  ///< by which the program knows it: a number
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
    cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
    cublasMath_t math = CUBLAS_DEFAULT_MATH;
    int multiprocessors = 0;  ///< cublasSetSmCountTarget; 0: all
    void* parts = nullptr;    ///< device memory for partial results, kPartBytes
};

namespace warpwright::libraries {

inline constexpr std::size_t kParts = 264,
                             kPartBytes = 8192;  ///< of reductions: blocks at most; bytes, with the result

/// What a program's handle stands for; null where it stands for nothing (CUBLAS_STATUS_NOT_INITIALIZED). Behind the
/// entry points a cublasHandle_t is the context's address.
std::shared_ptr<cublasContext> context_of(cublasHandle_t handle);

/// A scalar as our kernels take it (kernels/blas/number.cuh): by value, or where it lies in device memory.
template <class T>
struct Scalar {
    T value{};
    const T* pointer = nullptr;
    Scalar() = default;
    Scalar(T v) : value(v) {}
    Scalar(const cublasContext& context, const T* p) {
        if (context.pointers == CUBLAS_POINTER_MODE_DEVICE || !p)
            pointer = p;
        else
            value = *p;
    }
};
/// Several of them.
template <class T, int count>
struct Scalars {
    T values[count]{};
    const T* pointer = nullptr;
    Scalars(const cublasContext& context, const T* p) {
        pointer = p;
        if (context.pointers == CUBLAS_POINTER_MODE_DEVICE || !p) return;
        for (int k = 0; k < count; ++k) values[k] = p[k];
        pointer = nullptr;
    }
};

/// The letter of a type in BLAS, and its name in our kernels.
template <class T>
struct Names;
template <>
struct Names<float> {
    static constexpr char letter = 's';
    static constexpr const char* type = "f32";
};
template <>
struct Names<double> {
    static constexpr char letter = 'd';
    static constexpr const char* type = "f64";
};
template <>
struct Names<cuComplex> {
    static constexpr char letter = 'c';
    static constexpr const char* type = "c32";
};
template <>
struct Names<cuDoubleComplex> {
    static constexpr char letter = 'z';
    static constexpr const char* type = "c64";
};
template <class T>
struct RealOf {
    using type = T;
};
template <>
struct RealOf<cuComplex> {
    using type = float;
};
template <>
struct RealOf<cuDoubleComplex> {
    using type = double;
};
template <class T>
using Real = typename RealOf<T>::type;

/// Queues a kernel of kernels/blas on the handle's stream, with blocks of 256 threads.
cublasStatus_t launch(const cublasContext& context, const std::string& kernel, dim3 grid, void** arguments);
template <class... A>
cublasStatus_t launch(const cublasContext& context, const std::string& kernel, dim3 grid, A... arguments) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
    return launch(context, kernel, grid, pointers);
}
/// Blocks for so many elements, one per thread, up to `most`.
inline dim3 blocks(std::int64_t elements, std::int64_t most = 1 << 20) {
    const std::int64_t needed = elements / 256 + (elements % 256 != 0);
    return dim3(static_cast<unsigned>(needed < 1 ? 1 : needed < most ? needed : most));
}

/// A routine of OpenBLAS, which is loaded when one is first needed; nullptr, and a line on standard error: there is
/// none.
void* host_routine(const std::string& name);
/// Queues work of the host on the handle's stream. A line says once that `function` is computed so. It is done only
/// where the device has all that it touches.
cublasStatus_t on_host(const cublasContext& context, const char* function, std::vector<Touched> touched,
                       std::function<void()> work);
/// By whom the work is asked for, as lines say it.
inline std::string who(const char* function) { return std::string("cuBLAS: ") + function; }

}  // namespace warpwright::libraries

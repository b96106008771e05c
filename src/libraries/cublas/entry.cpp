// The entry points of libcublas, made from the table: the handle is checked, and the profile hears of the call.
#include "cudart/state/names.hpp"
#include "libraries/common/enter.hpp"
#include "libraries/cublas/factors.hpp"
#include "libraries/cublas/host.hpp"
#include "libraries/cublas/impl.hpp"
#include "libraries/cublas/products.hpp"

namespace warpwright::libraries {
namespace {

// Names as they are exported: name, name_v2, name_64, name_v2_64.
#define WW_EXPORTED(name, width, what) WW_EXPORTED_(name, width, what)
#define WW_EXPORTED_(name, width, what) what(name##width)
#define WW_EXPORTED_V2(name, width, what) WW_EXPORTED_V2_(name, width, what)
#define WW_EXPORTED_V2_(name, width, what) what(name##_v2##width)
#define WW_CUBLAS(name, parameters, arguments) WW_EACH(name)
#define WW_CUBLAS_NO_HANDLE(name, parameters, arguments) WW_EACH(name)
#define WW_CUBLAS_V2(name, parameters, arguments) WW_EXPORTED_V2(name, , WW_EACH)
#define WW_CUBLAS_WIDE(name, parameters, arguments) WW_EXPORTED(name, WW_64, WW_EACH)
#define WW_CUBLAS_WIDE_NO_HANDLE WW_CUBLAS_WIDE
#define WW_BLAS(function, name, parameters, arguments) WW_EXPORTED_V2(name, WW_64, WW_EACH)
#define WW_BLAS_HOST WW_BLAS
#define WW_BLAS_PLAIN(function, name, parameters, arguments) WW_EXPORTED(name, WW_64, WW_EACH)
enum class Function : unsigned {
#define WW_EACH(symbol) symbol,
#include "warpwright/cublas_api.inc"
#undef WW_EACH
    size_
};
constexpr const char* kNames[] = {
#define WW_EACH(symbol) #symbol,
#include "warpwright/cublas_api.inc"
#undef WW_EACH
};
#undef WW_CUBLAS
#undef WW_CUBLAS_NO_HANDLE
#undef WW_CUBLAS_V2
#undef WW_CUBLAS_WIDE
#undef WW_CUBLAS_WIDE_NO_HANDLE
#undef WW_BLAS
#undef WW_BLAS_HOST
#undef WW_BLAS_PLAIN

/// The number of the first of them in the profile.
const unsigned first_number = cudart::add_api_names(kNames, static_cast<unsigned>(Function::size_));

constexpr Statuses<cublasStatus_t> kStatuses{CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_INITIALIZED,
                                             CUBLAS_STATUS_EXECUTION_FAILED};

template <class Work>
cublasStatus_t enter(Function function, bool handle_is_good, Work work) {
    return enter(kStatuses, first_number + static_cast<unsigned>(function), handle_is_good,
                 function == Function::cublasDestroy_v2, work);
}

}  // namespace
}  // namespace warpwright::libraries

using namespace warpwright::libraries;

#define WW_S(pointer) Scalar(*handle, pointer)
#define WW_ARRAY(pointer, count) \
    Scalars<std::remove_const_t<std::remove_pointer_t<decltype(pointer)>>, count>(*handle, pointer)
#define WW_ENTRY(symbol, parameters, check, ...)                                         \
    extern "C" __attribute__((visibility("default"))) cublasStatus_t symbol parameters { \
        check return enter(Function::symbol, good, [&] { return __VA_ARGS__; });         \
    }
// The context is kept while the function works on it, whoever destroys the handle meanwhile.
#define WW_KNOWN_HANDLE                      \
    const auto context = context_of(handle); \
    const bool good = context != nullptr;    \
    handle = context.get();
#define WW_NO_HANDLE const bool good = true;
#define WW_ENTRY_OF(name, width, parameters, check, ...) WW_ENTRY_OF_(name, width, parameters, check, __VA_ARGS__)
#define WW_ENTRY_OF_(name, width, parameters, check, ...) WW_ENTRY(name##width, parameters, check, __VA_ARGS__)
#define WW_ENTRY_V2(name, width, parameters, check, ...) WW_ENTRY_V2_(name, width, parameters, check, __VA_ARGS__)
#define WW_ENTRY_V2_(name, width, parameters, check, ...) WW_ENTRY(name##_v2##width, parameters, check, __VA_ARGS__)
#define WW_LIST(...) __VA_ARGS__

#define WW_CUBLAS(name, parameters, arguments) WW_ENTRY(name, parameters, WW_KNOWN_HANDLE, impl::name arguments)
#define WW_CUBLAS_V2(name, parameters, arguments) WW_ENTRY_V2(name, , parameters, WW_KNOWN_HANDLE, impl::name arguments)
#define WW_CUBLAS_NO_HANDLE(name, parameters, arguments) WW_ENTRY(name, parameters, WW_NO_HANDLE, impl::name arguments)
#define WW_CUBLAS_WIDE(name, parameters, arguments) \
    WW_ENTRY_OF(name, WW_64, parameters, WW_KNOWN_HANDLE, impl::name arguments)
#define WW_CUBLAS_WIDE_NO_HANDLE(name, parameters, arguments) \
    WW_ENTRY_OF(name, WW_64, parameters, WW_NO_HANDLE, impl::name arguments)
#define WW_BLAS(function, name, parameters, arguments) \
    WW_ENTRY_V2(name, WW_64, parameters, WW_KNOWN_HANDLE, impl::function arguments)
#define WW_BLAS_PLAIN(function, name, parameters, arguments) \
    WW_ENTRY_OF(name, WW_64, parameters, WW_KNOWN_HANDLE, impl::function arguments)
#define WW_BLAS_HOST(function, name, parameters, arguments) \
    WW_ENTRY_V2(name, WW_64, parameters, WW_KNOWN_HANDLE, WW_CALL_HOST(function, WW_LIST arguments))
#define WW_CALL_HOST(function, ...) WW_CALL_HOST_(function, __VA_ARGS__)
#define WW_CALL_HOST_(function, handle, ...) impl::on_host<WW_T>(handle, #function, #function, __VA_ARGS__)
#include "warpwright/cublas_api.inc"

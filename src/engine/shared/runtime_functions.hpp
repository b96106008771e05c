// The C++ functions that generated code calls. They are declared here from runtime_functions.inc, so that a definition
// that differs from the list does not compile, and described for the code generator, so that a call with another number
// of arguments does not compile either. No LLVM here: codegen/runtime_types.hpp has LLVM's view of them.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

#include "engine/shared/abi.hpp"

namespace warpwright::engine {

extern "C" {
#define WW_RUNTIME(name, result, ...) result name(__VA_ARGS__);
#include "engine/shared/runtime_functions.inc"
#undef WW_RUNTIME
}

/// The type of a parameter or a result in generated code.
enum class HostType : std::uint8_t { none, i32, i64, f64, pointer };

template <class T>
consteval HostType host_type() {
    if constexpr (std::is_void_v<T>)
        return HostType::none;
    else if constexpr (std::is_pointer_v<T>)
        return HostType::pointer;
    else if constexpr (std::same_as<T, double>)
        return HostType::f64;
    else if constexpr (std::same_as<T, std::uint32_t> || std::same_as<T, std::int32_t>)
        return HostType::i32;
    else {
        static_assert(std::same_as<T, std::uint64_t> || std::same_as<T, std::int64_t>,
                      "a runtime function takes 32- and 64-bit integers, double and pointers");
        return HostType::i64;
    }
}

/// A listed function, for code that writes a call to it or links with it.
struct RuntimeFunction {
    const char* name;
    HostType result;
    std::span<const HostType> parameters;
    bool context, frame;  ///< it begins with a BlockContext*, with a WarpFrame*
};

/// Facts about a function that follow from its C++ type.
template <class F>
struct RuntimeSignature;
template <class R, class... A>
struct RuntimeSignature<R (*)(A...)> {
    static constexpr HostType result = host_type<R>();
    static constexpr std::array<HostType, sizeof...(A)> parameters{host_type<A>()...};
    static constexpr bool context = (std::same_as<A, BlockContext*> || ...);
    static constexpr bool frame = (std::same_as<A, WarpFrame*> || ...);
    using Parameters = std::tuple<A...>;
    /// Arguments that a call names.
    static constexpr std::size_t named = sizeof...(A) - context - frame;
};

template <auto* F>
consteval RuntimeFunction unlisted_runtime_function() {
    static_assert(F == nullptr, "generated code calls the functions of runtime_functions.inc only");
    return {};
}
template <auto* F>
inline constexpr RuntimeFunction runtime_function = unlisted_runtime_function<F>();
#define WW_RUNTIME(name, ...)                                                                            \
    template <>                                                                                          \
    inline constexpr RuntimeFunction runtime_function<name> = {                                          \
        #name, RuntimeSignature<decltype(&name)>::result, RuntimeSignature<decltype(&name)>::parameters, \
        RuntimeSignature<decltype(&name)>::context, RuntimeSignature<decltype(&name)>::frame};
#include "engine/shared/runtime_functions.inc"
#undef WW_RUNTIME

/// A name that compiled code refers to, and its address.
struct RuntimeSymbol {
    const char* name;
    void* address;
};
/// All functions of the list.
std::span<const RuntimeSymbol> runtime_symbols();

}  // namespace warpwright::engine

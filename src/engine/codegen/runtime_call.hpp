// Calls of the runtime functions of runtime_functions.inc. The number of arguments is checked when this compiles; their
// types are those of the C++ declaration, and LLVM's verifier refuses a call with others.
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include "engine/codegen/function_state.hpp"
#include "engine/codegen/runtime_types.hpp"

namespace warpwright::engine::codegen {

/// Used by call() and call_rarely(), which check the number of arguments.
V write_call(FunctionState& fn, const RuntimeFunction& function, llvm::ArrayRef<V> arguments);
V write_rare_call(FunctionState& fn, const RuntimeFunction& function, llvm::ArrayRef<V> arguments);

/// Calls F with the block's context and the warp's frame, where it takes them, followed by `arguments`.
template <auto* F, std::size_t N>
V call(FunctionState& fn, const V (&arguments)[N]) {
    static_assert(N == RuntimeSignature<decltype(F)>::named, "the function has another number of parameters");
    return write_call(fn, runtime_function<F>, arguments);
}
template <auto* F>
V call(FunctionState& fn) {
    static_assert(RuntimeSignature<decltype(F)>::named == 0, "the function has parameters");
    return write_call(fn, runtime_function<F>, {});
}
/// A call that hardly ever happens, through a function that saves every register itself: values that are live around
/// it, whole vectors above all, then stay in registers on the common path.
template <auto* F, std::size_t N>
V call_rarely(FunctionState& fn, const V (&arguments)[N]) {
    static_assert(N == RuntimeSignature<decltype(F)>::named, "the function has another number of parameters");
    return write_rare_call(fn, runtime_function<F>, arguments);
}

/// Ends the warp with Status::error if a call has returned 0: it has then recorded a fault.
void fail_if_zero(FunctionState& fn, V ok);

}  // namespace warpwright::engine::codegen

// Listed runtime functions (runtime_functions.inc) as LLVM sees them: their types and declarations.
#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Module.h>

#include "engine/shared/runtime_functions.hpp"

namespace warpwright::engine {

llvm::Type* host_llvm_type(HostType type, llvm::LLVMContext& context);
llvm::FunctionType* runtime_function_type(const RuntimeFunction& function, llvm::LLVMContext& context);
/// The declaration of the function in a module.
llvm::FunctionCallee declare_runtime_function(llvm::Module& module, const RuntimeFunction& function);

}  // namespace warpwright::engine

// LLVM's view of the functions is separate from their list, because the list is included where there is no LLVM.
#include "engine/codegen/runtime_types.hpp"

namespace warpwright::engine {

llvm::Type* host_llvm_type(HostType type, llvm::LLVMContext& context) {
    switch (type) {
        case HostType::none:
            return llvm::Type::getVoidTy(context);
        case HostType::i32:
            return llvm::Type::getInt32Ty(context);
        case HostType::i64:
            return llvm::Type::getInt64Ty(context);
        case HostType::f64:
            return llvm::Type::getDoubleTy(context);
        case HostType::pointer:
            break;
    }
    return llvm::PointerType::get(context, 0);
}

llvm::FunctionType* runtime_function_type(const RuntimeFunction& function, llvm::LLVMContext& context) {
    llvm::SmallVector<llvm::Type*, 8> parameters;
    for (auto p : function.parameters) parameters.push_back(host_llvm_type(p, context));
    return llvm::FunctionType::get(host_llvm_type(function.result, context), parameters, false);
}

llvm::FunctionCallee declare_runtime_function(llvm::Module& module, const RuntimeFunction& function) {
    return module.getOrInsertFunction(function.name, runtime_function_type(function, module.getContext()));
}

}  // namespace warpwright::engine

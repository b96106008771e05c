// A rare call goes through a wrapper with LLVM's convention preserve_all, which each module has once for a function.
// The context and the frame are added to the arguments of functions that take them.
#include "engine/codegen/runtime_call.hpp"

namespace warpwright::engine::codegen {

namespace {

llvm::SmallVector<V, 10> all_arguments(const FunctionState& fn, const RuntimeFunction& function,
                                       llvm::ArrayRef<V> arguments) {
    llvm::SmallVector<V, 10> all;
    if (function.context) all.push_back(fn.ctx);
    if (function.frame) all.push_back(fn.frame);
    all.append(arguments.begin(), arguments.end());
    return all;
}

/// A function that calls `function` and preserves every register.
llvm::Function* rare_wrapper(FunctionState& fn, const RuntimeFunction& function) {
    const auto name = std::string(function.name) + "_rare";
    if (auto known = fn.module.getFunction(name)) return known;
    auto type = runtime_function_type(function, fn.context);
    auto wrapper = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, fn.module);
    wrapper->setCallingConv(llvm::CallingConv::PreserveAll);
    wrapper->addFnAttr(llvm::Attribute::NoInline);
    wrapper->addFnAttr(llvm::Attribute::Cold);
    wrapper->setDoesNotThrow();
    llvm::IRBuilder<> at(llvm::BasicBlock::Create(fn.context, "entry", wrapper));
    std::vector<V> in;
    for (auto& a : wrapper->args()) in.push_back(&a);
    auto call = at.CreateCall(declare_runtime_function(fn.module, function), in);
    if (type->getReturnType()->isVoidTy())
        at.CreateRetVoid();
    else
        at.CreateRet(call);
    return wrapper;
}

}  // namespace

V write_call(FunctionState& fn, const RuntimeFunction& function, llvm::ArrayRef<V> arguments) {
    auto call = fn.b.CreateCall(declare_runtime_function(fn.module, function), all_arguments(fn, function, arguments));
    call->setDoesNotThrow();
    return call;
}

V write_rare_call(FunctionState& fn, const RuntimeFunction& function, llvm::ArrayRef<V> arguments) {
    auto call = fn.b.CreateCall(rare_wrapper(fn, function), all_arguments(fn, function, arguments));
    call->setCallingConv(llvm::CallingConv::PreserveAll);
    call->setDoesNotThrow();
    return call;
}

void fail_if_zero(FunctionState& fn, V ok) {
    auto fine = fn.new_block("fine");
    fn.b.CreateCondBr(fn.b.CreateICmpNE(ok, llvm::ConstantInt::get(ok->getType(), 0)), fine, fn.flow.error,
                      fn.weights(true));
    fn.b.SetInsertPoint(fine);
}

}  // namespace warpwright::engine::codegen

// A pass for clang, loaded into it as a plugin: a multiply-add that the source asks for by name takes its constants
// from registers, as in nvcc's code.
//
// nvcc's fmaf() is an instruction of its own to its back end, which knows no constants of it; what it makes of `a * b +
// c` is another one, which may have them. clang has one for both, so the first becomes NVIDIA's intrinsic again, once
// nothing computes with it any more.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "passes.hpp"

namespace {

struct MultiplyAddsByName : llvm::PassInfoMixin<MultiplyAddsByName> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        llvm::SmallVector<llvm::IntrinsicInst*, 16> found;
        for (auto& block : function)
            for (auto& instruction : block)
                if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
                    call && call->getIntrinsicID() == llvm::Intrinsic::fma && number_of(*call) != 0 &&
                    llvm::any_of(call->args(), [](const llvm::Use& use) { return llvm::isa<llvm::ConstantFP>(use); }))
                    found.push_back(call);
        for (auto* call : found) {
            auto* named = llvm::Intrinsic::getDeclaration(function.getParent(), number_of(*call));
            llvm::IRBuilder<> builder(call);
            auto* made =
                builder.CreateCall(named, {call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2)});
            made->takeName(call);
            call->replaceAllUsesWith(made);
            call->eraseFromParent();
        }
        if (found.empty()) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    /// NVIDIA's intrinsic; 0 where there is none.
    static llvm::Intrinsic::ID number_of(const llvm::IntrinsicInst& call) {
        if (call.getType()->isDoubleTy()) return llvm::Intrinsic::nvvm_fma_rn_d;
        if (!call.getType()->isFloatTy()) return 0;
        const auto mode = call.getFunction()->getDenormalMode(llvm::APFloat::IEEEsingle());
        return mode.Output == llvm::DenormalMode::PreserveSign ? llvm::Intrinsic::nvvm_fma_rn_ftz_f
                                                               : llvm::Intrinsic::nvvm_fma_rn_f;
    }
};

}  // namespace

void add_constants(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 0) passes.addPass(llvm::createModuleToFunctionPassAdaptor(MultiplyAddsByName()));
    });
}

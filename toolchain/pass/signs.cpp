// A pass for clang, loaded into it as a plugin: a signed index that cannot be negative is widened as a signed one.
//
// clang's optimiser makes an unsigned widening of it, and the back end, which takes constants out of indices and lets
// accesses share an address (`a[i - 1]`, `a[i]`, `a[i + 1]`), looks for sums that cannot overflow only behind a signed
// one. The nvcc of today widens by sign.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include "passes.hpp"

namespace {

struct WidenBySign : llvm::PassInfoMixin<WidenBySign> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        llvm::SmallVector<llvm::ZExtInst*, 16> found;
        for (auto& block : function)
            for (auto& instruction : block)
                if (auto* wide = llvm::dyn_cast<llvm::ZExtInst>(&instruction);
                    wide && wide->hasNonNeg() && wide->getSrcTy()->isIntegerTy(32) && wide->getType()->isIntegerTy(64))
                    found.push_back(wide);
        for (auto* wide : found) {
            llvm::IRBuilder<> builder(wide);
            auto* as_signed = builder.CreateSExt(wide->getOperand(0), wide->getType());
            as_signed->takeName(wide);
            wide->replaceAllUsesWith(as_signed);
            wide->eraseFromParent();
        }
        if (found.empty()) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }
};

}  // namespace

void add_signs(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() == 0) return;
        llvm::FunctionPassManager last;
        last.addPass(WidenBySign());
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
    });
}

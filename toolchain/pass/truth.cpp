// A pass for clang, loaded into it as a plugin: a `bool` that was read from memory is compared with zero, as by nvcc,
// where clang takes its lowest bit first.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include "passes.hpp"

namespace {

struct CompareTruth : llvm::PassInfoMixin<CompareTruth> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        llvm::SmallVector<llvm::TruncInst*, 8> found;
        for (auto& block : function)
            for (auto& instruction : block)
                if (auto* bit = llvm::dyn_cast<llvm::TruncInst>(&instruction); bit && is_of_bool(*bit))
                    found.push_back(bit);
        for (auto* bit : found) {
            llvm::IRBuilder<> builder(bit);
            auto* byte = bit->getOperand(0);
            bit->replaceAllUsesWith(builder.CreateICmpNE(byte, llvm::ConstantInt::get(byte->getType(), 0)));
            bit->eraseFromParent();
        }
        if (found.empty()) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    /// Whether it is the bit of a byte that the type of what was read says to be zero or one.
    static bool is_of_bool(const llvm::TruncInst& bit) {
        const auto* load = llvm::dyn_cast<llvm::LoadInst>(bit.getOperand(0));
        if (!load || !bit.getType()->isIntegerTy(1) || !load->getType()->isIntegerTy(8)) return false;
        const auto* range = load->getMetadata(llvm::LLVMContext::MD_range);
        return range && llvm::getConstantRangeFromMetadata(*range).getUnsignedMax().ule(1);
    }
};

}  // namespace

void add_truth(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 1) passes.addPass(llvm::createModuleToFunctionPassAdaptor(CompareTruth()));
    });
}

// A pass for clang, loaded into it as a plugin: constant parts of addresses in arrays come last.
//
// clang writes `tile[3][x]` as element x of what lies 192 bytes behind the start of `tile`, so each row has an address
// of its own, which is computed before a loop and held in a register. Here it is what lies 192 bytes behind tile[0][x]:
// one register for all rows, and the constant is part of the access, as with nvcc.
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>

#include "passes.hpp"

namespace {

struct OffsetsLast : llvm::PassInfoMixin<OffsetsLast> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        const auto& layout = function.getParent()->getDataLayout();
        llvm::SmallVector<llvm::GetElementPtrInst*, 16> found;
        for (auto& block : function)
            for (auto& instruction : block)
                if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
                    address && !address->getType()->isVectorTy() &&
                    llvm::isa<llvm::ConstantExpr>(address->getPointerOperand()) && !address->hasAllConstantIndices())
                    found.push_back(address);
        bool changed = false;
        for (auto* address : found) changed |= split(*address, layout);
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    static bool split(llvm::GetElementPtrInst& address, const llvm::DataLayout& layout) {
        auto* pointer = address.getPointerOperand();
        llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
        auto* variable = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
        if (!llvm::isa<llvm::GlobalVariable>(variable) || variable->getType() != pointer->getType() || offset.isZero())
            return false;
        llvm::IRBuilder<> builder(&address);
        llvm::SmallVector<llvm::Value*, 4> indices(address.indices());
        auto* first = builder.CreateGEP(address.getSourceElementType(), variable, indices);
        auto* whole = builder.CreateGEP(builder.getInt8Ty(), first, builder.getInt(offset));
        address.replaceAllUsesWith(whole);
        address.eraseFromParent();
        return true;
    }
};

}  // namespace

void add_offsets(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() == 0) return;
        llvm::FunctionPassManager last;
        last.addPass(OffsetsLast());
        last.addPass(llvm::EarlyCSEPass());
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
    });
}

// A pass for clang, loaded into it as a plugin: parts of an index are added before they become an address.
//
// Of `p += n * blockIdx.x; ... p[i]` nvcc adds i and n * blockIdx.x in 64 bits and scales the sum, if p is used but
// once; clang makes an address of each part, and takes sums of 64 bits that the source has apart for that. Loops whose
// accesses a pointer walks through are done (indices.cpp) when this pass comes.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PassManager.h>

#include "passes.hpp"

namespace {

struct AddIndices : llvm::PassInfoMixin<AddIndices> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        bool changed = false;
        for (auto& block : function)
            for (auto& instruction : block)
                if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
                    while (auto* first = part_of(*address)) {
                        add(*address, *first);
                        changed = true;
                    }
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    /// An index of 64 bits that is no constant, of an array that does not lie in shared memory.
    static bool has_one_index(const llvm::GetElementPtrInst& address) {
        return address.getNumIndices() == 1 && address.getOperand(1)->getType()->isIntegerTy(64) &&
               !llvm::isa<llvm::Constant>(address.getOperand(1)) &&
               llvm::getUnderlyingObject(&address)->getType()->getPointerAddressSpace() != kSharedSpace;
    }
    /// The address that another one starts from, if nothing else does.
    static llvm::GetElementPtrInst* part_of(llvm::GetElementPtrInst& address) {
        auto* first = llvm::dyn_cast<llvm::GetElementPtrInst>(address.getPointerOperand());
        const bool fits = first && first->hasOneUse() && has_one_index(address) && has_one_index(*first) &&
                          first->getSourceElementType() == address.getSourceElementType();
        return fits ? first : nullptr;
    }
    static void add(llvm::GetElementPtrInst& address, llvm::GetElementPtrInst& first) {
        llvm::IRBuilder<> builder(&address);
        address.setOperand(1, builder.CreateAdd(address.getOperand(1), first.getOperand(1)));
        address.setOperand(0, first.getPointerOperand());
        address.setIsInBounds(false);
        first.eraseFromParent();
    }
};

}  // namespace

void add_index_sums(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 1) passes.addPass(llvm::createModuleToFunctionPassAdaptor(AddIndices()));
    });
}

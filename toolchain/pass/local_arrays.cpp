// A pass for clang, loaded into it as a plugin: a variable in local memory is as aligned as its size allows, up to 16
// bytes, so that neighbours of an array are read and written together, as by nvcc. clang aligns an array as its
// elements.
#include <llvm/ADT/bit.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <algorithm>
#include <cstdint>

#include "passes.hpp"

namespace {

constexpr std::uint64_t kMostAligned = 16;

struct AlignLocalArrays : llvm::PassInfoMixin<AlignLocalArrays> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        const auto& layout = function.getParent()->getDataLayout();
        for (auto& instruction : llvm::instructions(function))
            if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
                if (const auto size = variable->getAllocationSize(layout);
                    size && !size->isScalable() && !size->isZero())
                    if (const llvm::Align fits(
                            std::min(kMostAligned, std::uint64_t{1} << llvm::countr_zero(size->getFixedValue())));
                        fits > variable->getAlign())
                        variable->setAlignment(fits);
        return llvm::PreservedAnalyses::all();
    }
};

}  // namespace

void add_local_arrays(llvm::PassBuilder& builder) {
    builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(AlignLocalArrays()));
    });
}

// A pass for clang: the size of group that an OpenCL kernel requires, `__attribute__((reqd_work_group_size(x, y, z)))`.
//
// Clang notes it as the kernel's metadata, which its back end for PTX does not read; that one wants an annotation of
// the module, as CUDA's `__block_size__` makes it, and writes the directive .reqntid.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "passes.hpp"

namespace {

struct GroupSize : llvm::PassInfoMixin<GroupSize> {
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
        bool any = false;
        for (llvm::Function& kernel : module) {
            const auto* size = kernel.getMetadata("reqd_work_group_size");
            if (!size || size->getNumOperands() != 3) continue;
            auto* all = module.getOrInsertNamedMetadata("nvvm.annotations");
            constexpr const char* kNames[] = {"reqntidx", "reqntidy", "reqntidz"};
            auto& context = module.getContext();
            for (unsigned k = 0; k < 3; ++k)
                all->addOperand(
                    llvm::MDNode::get(context, {llvm::ValueAsMetadata::get(&kernel),
                                                llvm::MDString::get(context, kNames[k]), size->getOperand(k).get()}));
            any = true;
        }
        return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

}  // namespace

void add_group_size(llvm::PassBuilder& builder) {
    builder.registerPipelineStartEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(GroupSize()); });
}

// A pass for clang, loaded into it as a plugin: what a kernel only reads through a `__restrict__` pointer stays what it
// is while the kernel runs.
//
// Nobody else may write there, so nvcc loads it once however many barriers, atomics and fences lie between. clang's
// optimiser takes each of these for a write of all memory; here it is told that such loads are invariant. It runs where
// device functions are in place and loops have not been looked at yet. A barrier returns, too: else nothing that stands
// behind one would be known to be reached, and no load would leave a loop.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "passes.hpp"

namespace {

/// The loads through the pointer; false where anything else may be done with it.
bool only_read(llvm::Argument& pointer, llvm::SmallVectorImpl<llvm::LoadInst*>& loads) {
    llvm::SmallVector<llvm::Value*, 16> open{&pointer};
    llvm::SmallPtrSet<llvm::Value*, 16> seen{&pointer};
    while (!open.empty())
        for (auto* user : open.pop_back_val()->users()) {
            if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
                if (!load->isSimple()) return false;
                loads.push_back(load);
            } else if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst, llvm::BitCastInst>(user)) {
                if (seen.insert(user).second) open.push_back(user);
            } else if (!llvm::isa<llvm::ICmpInst>(user)) {
                return false;  // a choice between pointers, too: the load may be of another one
            }
        }
    return true;
}

struct InvariantLoads : llvm::PassInfoMixin<InvariantLoads> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        if (!function.hasFnAttribute(kKernel) || function.hasOptNone()) return llvm::PreservedAnalyses::all();
        for (auto& argument : function.args()) {
            if (!argument.getType()->isPointerTy() || !argument.hasNoAliasAttr()) continue;
            llvm::SmallVector<llvm::LoadInst*, 16> loads;
            if (!only_read(argument, loads)) continue;
            for (auto* load : loads)
                load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(load->getContext(), {}));
        }
        return llvm::PreservedAnalyses::all();  // of what analyses know, none asks for this
    }
};

struct BarriersReturn : llvm::PassInfoMixin<BarriersReturn> {
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
        for (auto& function : module) {
            if (!function.isIntrinsic() || !function.getName().starts_with("llvm.nvvm.") || function.doesNotReturn() ||
                function.getName() == "llvm.nvvm.exit")
                continue;
            function.setWillReturn();
            function.setDoesNotThrow();
        }
        return llvm::PreservedAnalyses::all();
    }
};

}  // namespace

void add_invariant_loads(llvm::PassBuilder& builder) {
    builder.registerPipelineEarlySimplificationEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
            if (level.getSpeedupLevel() > 0) passes.addPass(BarriersReturn());
        });
    builder.registerPeepholeEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 0) passes.addPass(InvariantLoads());
    });
}

// A pass for clang, loaded into it as a plugin: functions with loops are inlined before anything is optimised.
//
// clang optimises a function, unrolls its loops, and inlines it then; what was unrolled is optimised once more as a
// part of its caller, which puts long sums together in another order. nvcc inlines first. Functions without loops come
// out the same either way.
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "passes.hpp"

namespace {

constexpr unsigned kMostInlined = 400;  // instructions before any optimisation; more are left to clang's own judgement

struct InlineLoopsFirst : llvm::PassInfoMixin<InlineLoopsFirst> {
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
        for (auto& function : module)
            if (is_meant(function)) function.addFnAttr(llvm::Attribute::AlwaysInline);
        return llvm::PreservedAnalyses::all();
    }

private:
    static bool is_meant(const llvm::Function& function) {
        using llvm::Attribute;
        if (function.isDeclaration() || function.getCallingConv() != llvm::CallingConv::C || function.use_empty() ||
            function.hasAddressTaken() || function.hasOptNone() || function.hasFnAttribute(Attribute::NoInline) ||
            function.getInstructionCount() > kMostInlined)
            return false;
        llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 4> back;
        llvm::FindFunctionBackedges(function, back);
        return !back.empty();
    }
};

}  // namespace

void add_loops_inline(llvm::PassBuilder& builder) {
    builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 1) passes.addPass(InlineLoopsFirst());
    });
}

// A pass for clang, loaded into it as a plugin: a kernel's blocks stand in the order of the source.
//
// clang puts what follows a loop before the loop's body. The back end leaves blocks where they stand, and such a loop
// then ends with two branches in each round, one out of the loop and one back. Here each loop is in one piece, what
// leaves it comes behind it, and the first side of a branch follows the branch.
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/PassManager.h>

#include <algorithm>

#include "passes.hpp"

namespace {

struct SourceOrder : llvm::PassInfoMixin<SourceOrder> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
        const auto finished = depth_first(function, loops);
        // Blocks in the reverse of the order in which a walk has finished with them.
        auto* last = finished.back();
        for (auto block = finished.rbegin() + 1; block != finished.rend(); ++block) {
            (*block)->moveAfter(last);
            last = *block;
        }
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    struct Step {
        llvm::BasicBlock* block;
        llvm::SmallVector<llvm::BasicBlock*, 4> next;  ///< what is still to be walked to; the last first
    };
    /// Blocks in the order in which the walk leaves them. What leaves a loop is walked to first, and so comes last.
    static llvm::SmallVector<llvm::BasicBlock*, 32> depth_first(llvm::Function& function, const llvm::LoopInfo& loops) {
        llvm::SmallVector<llvm::BasicBlock*, 32> finished;
        llvm::SmallPtrSet<llvm::BasicBlock*, 32> seen;
        llvm::SmallVector<Step, 16> walk;
        const auto enter = [&](llvm::BasicBlock* block) {
            if (!seen.insert(block).second) return;
            Step step{block, llvm::SmallVector<llvm::BasicBlock*, 4>(llvm::successors(block))};
            std::stable_sort(step.next.begin(), step.next.end(),
                             [&](auto* a, auto* b) { return loops.getLoopDepth(a) > loops.getLoopDepth(b); });
            walk.push_back(std::move(step));
        };
        enter(&function.getEntryBlock());
        while (!walk.empty()) {
            if (walk.back().next.empty()) {
                finished.push_back(walk.back().block);
                walk.pop_back();
            } else {
                enter(walk.back().next.pop_back_val());
            }
        }
        return finished;
    }
};

}  // namespace

void add_layout(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 0) passes.addPass(llvm::createModuleToFunctionPassAdaptor(SourceOrder()));
    });
}

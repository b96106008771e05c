// A pass for clang, loaded into it as a plugin: addresses in shared memory that are the same
// are computed once, however the source wrote them.
//
// `p[t - x]` and `(p + t + 1)[~x]` are one element. Addresses of shared memory have 32 bits, in which sums may be taken
// apart and put together in any order, so that an address is known by its sum alone. nvcc finds it there; clang looks
// at how it is written. What is read twice of one address is then read once.
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Utils/Local.h>

#include "passes.hpp"

namespace {

constexpr unsigned kSharedSpace = 3, kAddressBits = 32;
constexpr std::size_t kMostFirst = 64;  // addresses that others are compared with

struct OneSharedAddress : llvm::PassInfoMixin<OneSharedAddress> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        const auto& layout = function.getParent()->getDataLayout();
        if (layout.getPointerSizeInBits(kSharedSpace) != kAddressBits || function.hasOptNone())
            return llvm::PreservedAnalyses::all();
        auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
        auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
        auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
        llvm::SmallVector<Place, kMostFirst> firsts;
        llvm::SmallVector<std::pair<llvm::GetElementPtrInst*, llvm::Value*>, 16> replaced;
        for (auto* node : llvm::depth_first(dominators.getRootNode()))
            for (auto& instruction : *node->getBlock()) {
                auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
                if (!address || address->getAddressSpace() != kSharedSpace || address->getType()->isVectorTy() ||
                    address->hasAllConstantIndices())
                    continue;
                const Place here{address, evolution.getSCEV(address), loops.getLoopFor(node->getBlock())};
                if (auto* one = find(here, firsts, dominators, evolution))
                    replaced.push_back({address, one});
                else if (firsts.size() < kMostFirst)
                    firsts.push_back(here);
            }
        for (const auto& [address, one] : replaced) {
            evolution.forgetValue(address);
            address->replaceAllUsesWith(one);
        }
        for (const auto& [address, one] : replaced) llvm::RecursivelyDeleteTriviallyDeadInstructions(address);
        if (replaced.empty()) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    struct Place {
        llvm::GetElementPtrInst* address;
        const llvm::SCEV* value;
        const llvm::Loop* loop;  ///< the innermost one around it
    };
    static llvm::Value* find(const Place& here, llvm::ArrayRef<Place> firsts, llvm::DominatorTree& dominators,
                             llvm::ScalarEvolution& evolution) {
        if (llvm::isa<llvm::SCEVUnknown>(here.value)) return nullptr;
        const bool changes = evolution.containsAddRecurrence(here.value);
        // A loop's own walk over an array is the back end's.
        if (changes && here.loop && here.loop->isInnermost() && llvm::isa<llvm::SCEVAddRecExpr>(here.value)) return nullptr;
        for (const Place& first : firsts) {
            // What changes in a loop is the same in the same round alone.
            if ((changes || evolution.containsAddRecurrence(first.value)) && first.loop != here.loop) continue;
            if (!dominators.dominates(first.address, here.address)) continue;
            if (first.value == here.value) return first.address;
        }
        return nullptr;
    }
};

}  // namespace

void add_shared_addresses(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() < 2) return;
        llvm::FunctionPassManager last;
        last.addPass(OneSharedAddress());
        last.addPass(llvm::EarlyCSEPass(true));
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
    });
}

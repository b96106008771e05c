// A pass for clang, loaded into it as a plugin: what is loaded is loaded in front of what first needs it.
//
// In kernels of several blocks of code nvcc puts each load directly in front of its first user in the block, from the
// block's end on, so that of two operands the right one is loaded first: of `x[i] - y[i] * z[i]` z, then y, and x
// behind the product. A load stays where it is if something between may write to memory, or a barrier stands there. (In
// kernels of one block nvcc keeps the order of the source.)
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include <limits>

#include "passes.hpp"

namespace {

struct LoadsAtUsers : llvm::PassInfoMixin<LoadsAtUsers> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        if (function.hasOptNone() || function.size() < 2) return llvm::PreservedAnalyses::all();
        bool changed = false;
        for (auto& block : function) changed |= order(block);
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    using Places = llvm::DenseMap<const llvm::Instruction*, unsigned>;

    static bool order(llvm::BasicBlock& block) {
        Places places;
        unsigned count = 0;
        for (const auto& instruction : block) places[&instruction] = count++;
        unsigned writer = std::numeric_limits<unsigned>::max();  // the first place behind that may write
        bool changed = false;
        for (auto& instruction : llvm::make_early_inc_range(llvm::reverse(block))) {
            const unsigned place = places.lookup(&instruction);
            auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
            if (!load || !load->isSimple()) {
                if (instruction.mayWriteToMemory()) writer = place;
                continue;
            }
            auto* user = first_user(*load, places);
            if (!user || places.lookup(user) > writer || load->getNextNode() == user) continue;
            load->moveBefore(user);
            places[load] = places.lookup(user);
            changed = true;
        }
        return changed;
    }
    static llvm::Instruction* first_user(llvm::LoadInst& load, const Places& places) {
        llvm::Instruction* first = nullptr;
        for (auto* user : load.users()) {
            auto* one = llvm::cast<llvm::Instruction>(user);
            if (one->getParent() != load.getParent() || llvm::isa<llvm::PHINode>(one)) continue;
            if (!first || places.lookup(one) < places.lookup(first)) first = one;
        }
        return first;
    }
};

}  // namespace

void add_load_order(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 0) passes.addPass(llvm::createModuleToFunctionPassAdaptor(LoadsAtUsers()));
    });
}

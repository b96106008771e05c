// A pass for clang, loaded into it as a plugin: where a switch has a case for every value that there can be, its last
// case is taken for what is left, as by nvcc.
//
// clang gives such a switch a default that cannot be reached. The back end then compares once more than is needed, and
// a loop around the switch has a second exit, which keeps it from being unrolled.
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include "passes.hpp"

namespace {

struct LastCaseIsDefault : llvm::PassInfoMixin<LastCaseIsDefault> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        bool changed = false;
        for (auto& block : function)
            if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator())) changed |= mend(*choice);
        return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
    }

private:
    static bool mend(llvm::SwitchInst& choice) {
        auto* nowhere = choice.getDefaultDest();
        if (choice.getNumCases() < 2 || !llvm::isa<llvm::UnreachableInst>(nowhere->getFirstNonPHIOrDbg())) return false;
        auto last = choice.case_begin();
        for (auto each = choice.case_begin(); each != choice.case_end(); ++each)
            if (each->getCaseValue()->getValue().ugt(last->getCaseValue()->getValue())) last = each;
        nowhere->removePredecessor(choice.getParent());
        choice.setDefaultDest(last->getCaseSuccessor());
        choice.removeCase(last);
        return true;
    }
};

}  // namespace

void add_switches(llvm::PassBuilder& builder) {
    builder.registerVectorizerStartEPCallback(
        [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(LastCaseIsDefault()); });
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 0) passes.addPass(llvm::createModuleToFunctionPassAdaptor(LastCaseIsDefault()));
    });
}

// A pass for clang, loaded into it as a plugin: of two values that are loaded for one operation the second is loaded
// first.
//
// In kernels of several blocks of code nvcc loads the right operand of an operation before the left one: of
// `sum += a[i] * b[i]` first b[i]. Where both are loads of one block and nothing between them writes to memory, this
// pass puts the left one behind the right one. (In kernels of one block nvcc keeps the order of the source.)
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include <iterator>

#include "passes.hpp"

namespace {

struct RightOperandFirst : llvm::PassInfoMixin<RightOperandFirst> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        if (function.hasOptNone() || function.size() < 2) return llvm::PreservedAnalyses::all();
        bool changed = false;
        for (auto& block : function)
            for (auto& instruction : block)
                if (instruction.getNumOperands() >= 2 &&
                    llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::CallInst>(instruction))
                    changed |= put_behind(loaded(instruction, 0), loaded(instruction, 1));
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    static llvm::LoadInst* loaded(llvm::Instruction& user, unsigned operand) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(user.getOperand(operand));
        return load && load->isSimple() && load->getParent() == user.getParent() ? load : nullptr;
    }
    static bool put_behind(llvm::LoadInst* left, llvm::LoadInst* right) {
        if (!left || !right || left == right || !left->comesBefore(right)) return false;
        for (auto at = std::next(left->getIterator()); &*at != right; ++at)
            if (at->mayWriteToMemory() || uses(*at, *left)) return false;
        if (uses(*right, *left)) return false;
        left->moveAfter(right);
        return true;
    }
    static bool uses(const llvm::Instruction& user, const llvm::Value& value) {
        return llvm::any_of(user.operands(), [&](const llvm::Use& operand) { return operand.get() == &value; });
    }
};

}  // namespace

void add_load_order(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 0) passes.addPass(llvm::createModuleToFunctionPassAdaptor(RightOperandFirst()));
    });
}

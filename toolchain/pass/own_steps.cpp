// A pass for clang, loaded into it as a plugin: elements of shared memory whose index is a counter that may overflow
// are found anew in each round.
//
// `for (unsigned w = threadIdx.x; w < n; w += blockDim.x) s[w] = w;` has no pointer that walks in nvcc's PTX, as nobody
// knows that the unsigned counter does not overflow. Addresses of shared memory have 32 bits, in which clang need not
// know it. Counters by constant steps, signed ones, and products of counters walk with both.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PassManager.h>

#include "passes.hpp"

namespace {

constexpr unsigned kDeepest = 3;

struct IndicesOfOwnSteps : llvm::PassInfoMixin<IndicesOfOwnSteps> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
        llvm::SmallVector<llvm::GetElementPtrInst*, 16> found;
        for (auto* loop : loops.getLoopsInPreorder())
            for (auto* block : loop->blocks())
                for (auto& instruction : *block)
                    if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
                        address && loops.getLoopFor(block) == loop && !address->getType()->isVectorTy() &&
                        address->getAddressSpace() == kSharedSpace)
                        found.push_back(address);
        bool changed = false;
        for (auto* address : found) {
            auto& index = address->getOperandUse(address->getNumOperands() - 1);
            if (auto* anew = hidden(*index, *loops.getLoopFor(address->getParent()), *address, 0)) {
                index = anew;
                changed = true;
            }
        }
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    /// The index with its counter hidden from what walks; null where there is no such counter.
    static llvm::Value* hidden(llvm::Value& index, const llvm::Loop& loop, llvm::Instruction& before, unsigned depth) {
        if (auto* counter = llvm::dyn_cast<llvm::PHINode>(&index))
            return may_overflow(*counter, loop) ? apart(*counter, before) : nullptr;
        auto* made = llvm::dyn_cast<llvm::Instruction>(&index);
        const bool is_seen_through =
            made &&
            (llvm::isa<llvm::ZExtInst, llvm::SExtInst>(made) ||
             (made->getOpcode() == llvm::Instruction::Add && llvm::isa<llvm::ConstantInt>(made->getOperand(1))));
        if (!is_seen_through || depth == kDeepest) return nullptr;
        auto* inner = hidden(*made->getOperand(0), loop, before, depth + 1);
        if (!inner) return nullptr;
        auto* again = made->clone();
        again->setOperand(0, inner);
        again->insertBefore(&before);
        return again;
    }
    /// A counter of the loop by steps that only the launch knows, of which nobody has said that it does not overflow.
    static bool may_overflow(const llvm::PHINode& counter, const llvm::Loop& loop) {
        const auto* latch = loop.getLoopLatch();
        if (counter.getParent() != loop.getHeader() || !latch || !counter.getType()->isIntegerTy(32)) return false;
        const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(counter.getIncomingValueForBlock(latch));
        if (!next || next->getOpcode() != llvm::Instruction::Add || next->hasNoSignedWrap() ||
            next->hasNoUnsignedWrap())
            return false;
        const auto* step = next->getOperand(next->getOperand(0) == &counter ? 1 : 0);
        return (next->getOperand(0) == &counter || next->getOperand(1) == &counter) &&
               !llvm::isa<llvm::Constant>(step) && loop.isLoopInvariant(step);
    }
};

}  // namespace

void add_own_steps(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 1) passes.addPass(llvm::createModuleToFunctionPassAdaptor(IndicesOfOwnSteps()));
    });
}

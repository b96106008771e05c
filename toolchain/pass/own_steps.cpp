// A pass for clang, loaded into it as a plugin: what is found by a counter that may overflow is found anew in each
// round.
//
// `for (int i = first; i < n; i += blockDim.x * gridDim.x)` has no pointer that walks by `i * 3` in nvcc's PTX: the
// step is unsigned, so that nobody knows that the counter does not overflow. clang knows it of the product, which is
// signed, and need not know it of addresses of 64 bits, nor of those of shared memory, which have 32. Counters by
// constant steps and signed ones walk with both, and so do products of counters in shared memory.
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
        bool changed = false;
        for (auto* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
            for (auto& counter : loop->getHeader()->phis())
                if (const auto* next = may_overflow(counter, *loop)) changed |= hide(counter, *next);
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    /// Hides a counter from all that could walk with it, and the counter itself, which would start elsewhere otherwise.
    static bool hide(llvm::PHINode& counter, const llvm::Value& next) {
        llvm::SmallVector<llvm::Use*, 8> uses;
        llvm::Use* own = nullptr;
        bool walks = false;
        for (auto& use : counter.uses())
            if (use.getUser() == &next)
                own = &use;
            else if (is_product_in_shared_memory(*use.getUser(), false, 0))
                walks = true;
            else if (!llvm::isa<llvm::PHINode>(use.getUser()))
                uses.push_back(&use);
        if (uses.empty()) return false;
        if (own && !walks) uses.push_back(own);
        auto* hidden = apart(counter, *counter.getParent()->getFirstNonPHI());
        for (auto* use : uses) use->set(hidden);
        return true;
    }
    /// Whether all that comes of a value are addresses in shared memory, and there is a product on the way.
    static bool is_product_in_shared_memory(const llvm::User& user, bool multiplied, unsigned depth) {
        if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&user))
            return multiplied && address->getAddressSpace() == kSharedSpace;
        if (depth == kDeepest || user.use_empty() || !llvm::isa<llvm::CastInst, llvm::BinaryOperator>(user))
            return false;
        const auto* made = llvm::dyn_cast<llvm::BinaryOperator>(&user);
        multiplied |=
            made && (made->getOpcode() == llvm::Instruction::Mul || made->getOpcode() == llvm::Instruction::Shl);
        return llvm::all_of(user.users(), [&](const llvm::User* of) {
            return is_product_in_shared_memory(*of, multiplied, depth + 1);
        });
    }
    /// A counter of the loop by steps that only the launch knows, of which nobody has said that it does not overflow.
    /// Returns its next value; null for others.
    static const llvm::Value* may_overflow(const llvm::PHINode& counter, const llvm::Loop& loop) {
        const auto* latch = loop.getLoopLatch();
        if (!latch || !counter.getType()->isIntegerTy()) return nullptr;
        const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(counter.getIncomingValueForBlock(latch));
        if (!next || next->getOpcode() != llvm::Instruction::Add) return nullptr;
        // Of a signed counter one knows it, unless the loop may stand still.
        if ((next->hasNoSignedWrap() || next->hasNoUnsignedWrap()) && !has_effects(loop)) return nullptr;
        const auto* step = next->getOperand(next->getOperand(0) == &counter ? 1 : 0);
        const bool counts = (next->getOperand(0) == &counter || next->getOperand(1) == &counter) &&
                            !llvm::isa<llvm::Constant>(step) && loop.isLoopInvariant(step);
        return counts ? next : nullptr;
    }
};

}  // namespace

void add_own_steps(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 1) passes.addPass(llvm::createModuleToFunctionPassAdaptor(IndicesOfOwnSteps()));
    });
}

// A pass for clang, loaded into it as a plugin: a signed index that cannot be negative is widened as a signed one.
//
// clang's optimiser makes an unsigned widening of it, and the back end, which takes constants out of indices and lets
// accesses share an address (`a[i - 1]`, `a[i]`, `a[i + 1]`), looks for sums that cannot overflow only behind a signed
// one. The nvcc of today widens by sign.
//
// Where such indices are sums whose parts others use too, as `a[(i - 1) * n + j + 1]` and its neighbours in a stencil,
// the back end does not see what they have in common. Here each one is an access at a constant distance from the first.
// (Such an index is a signed number of the source's, which does not overflow.)
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/Local.h>

#include "passes.hpp"

namespace {

struct WidenBySign : llvm::PassInfoMixin<WidenBySign> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        llvm::SmallVector<llvm::ZExtInst*, 16> found;
        for (auto& block : function)
            for (auto& instruction : block)
                if (auto* wide = llvm::dyn_cast<llvm::ZExtInst>(&instruction);
                    wide && wide->hasNonNeg() && wide->getSrcTy()->isIntegerTy(32) && wide->getType()->isIntegerTy(64))
                    found.push_back(wide);
        for (auto* wide : found) {
            llvm::IRBuilder<> builder(wide);
            auto* as_signed = builder.CreateSExt(wide->getOperand(0), wide->getType());
            as_signed->takeName(wide);
            wide->replaceAllUsesWith(as_signed);
            wide->eraseFromParent();
        }
        if (found.empty()) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }
};

constexpr unsigned kSharedSpace = 3;
constexpr std::size_t kMostFirst = 16;  // addresses that others are compared with

struct ShareAddresses : llvm::PassInfoMixin<ShareAddresses> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
        auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
        auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
        llvm::SmallVector<First, kMostFirst> firsts;
        llvm::SmallVector<std::pair<llvm::GetElementPtrInst*, llvm::Value*>, 16> replaced;
        for (auto* node : llvm::depth_first(dominators.getRootNode()))
            for (auto& instruction : *node->getBlock()) {
                auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
                auto* index = address ? index_of(*address) : nullptr;
                if (!index) continue;
                const auto* number = evolution.getSCEV(index);
                const auto* loop = loops.getLoopFor(node->getBlock());
                // Innermost loops walk over their arrays.
                if (evolution.containsAddRecurrence(number) && (!loop || loop->isInnermost())) continue;
                if (auto* shared = share(*address, {number, loop}, firsts, dominators, evolution))
                    replaced.push_back({address, shared});
                else if (firsts.size() < kMostFirst)
                    firsts.push_back({address, {number, loop}});
            }
        for (const auto& [address, shared] : replaced) {
            evolution.forgetValue(address);
            address->replaceAllUsesWith(shared);
        }
        for (const auto& [address, shared] : replaced) llvm::RecursivelyDeleteTriviallyDeadInstructions(address);
        if (replaced.empty()) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    /// An index, and the innermost loop of which it is an index in each round.
    struct Number {
        const llvm::SCEV* value;
        const llvm::Loop* loop;
    };
    struct First {
        llvm::GetElementPtrInst* address;
        Number number;
    };
    /// The 32-bit index of an element of an array in global memory; null where there is none.
    static llvm::Value* index_of(const llvm::GetElementPtrInst& address) {
        if (address.getNumIndices() != 1 || address.getType()->isVectorTy() ||
            address.getPointerAddressSpace() == kSharedSpace)
            return nullptr;
        auto* wide = llvm::dyn_cast<llvm::SExtInst>(address.getOperand(1));
        return wide && wide->getOperand(0)->getType()->isIntegerTy(32) ? wide->getOperand(0) : nullptr;
    }
    static llvm::Value* share(llvm::GetElementPtrInst& address, const Number& number, llvm::ArrayRef<First> firsts,
                              llvm::DominatorTree& dominators, llvm::ScalarEvolution& evolution) {
        // An address without a constant of its own is computed in any case, as by nvcc.
        if (!has_constant(number.value)) return nullptr;
        for (const First& first : firsts) {
            if (first.address->getPointerOperand() != address.getPointerOperand() ||
                first.address->getSourceElementType() != address.getSourceElementType() ||
                first.number.value == number.value || !dominators.dominates(first.address, &address))
                continue;
            // A number that changes in a loop is the same one in the same round alone.
            if (first.number.loop != number.loop &&
                (evolution.containsAddRecurrence(number.value) || evolution.containsAddRecurrence(first.number.value)))
                continue;
            const auto* distance =
                llvm::dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(number.value, first.number.value));
            if (!distance) continue;
            llvm::IRBuilder<> builder(&address);
            return builder.CreateGEP(address.getSourceElementType(), first.address,
                                     builder.getInt64(static_cast<std::uint64_t>(distance->getAPInt().getSExtValue())));
        }
        return nullptr;
    }
    static bool has_constant(const llvm::SCEV* number) {
        while (const auto* changing = llvm::dyn_cast<llvm::SCEVAddRecExpr>(number)) number = changing->getStart();
        const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(number);
        return sum && llvm::isa<llvm::SCEVConstant>(sum->getOperand(0));
    }
};

}  // namespace

void add_signs(llvm::PassBuilder& builder) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() == 0) return;
        llvm::FunctionPassManager last;
        last.addPass(WidenBySign());
        last.addPass(ShareAddresses());
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
    });
}

// A pass for clang, loaded into it as a plugin: addresses in shared memory that are the same,
// or at a constant distance, are computed once, however the source wrote them.
//
// `p[t - x]` and `(p + t + 1)[~x]` are one element. Addresses of shared memory have 32 bits, in which sums may be taken
// apart and put together in any order, so that an address is known by its sum alone. nvcc finds it there; clang looks
// at how it is written. What is read twice of one address is then read once. An address that is needed on several ways
// is computed where they part.
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Utils/Local.h>

#include "passes.hpp"

namespace {

constexpr unsigned kAddressBits = 32, kDeepest = 6;
constexpr std::size_t kMostFirst = 64;  // addresses that others are compared with

struct OneSharedAddress : llvm::PassInfoMixin<OneSharedAddress> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        const auto& layout = function.getParent()->getDataLayout();
        // With constant memory in the source, addresses have 64 bits (short_address_flags() in command.cpp).
        if (layout.getPointerSizeInBits(kSharedSpace) != kAddressBits || function.hasOptNone())
            return llvm::PreservedAnalyses::all();
        Search search{analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                      analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                      analyses.getResult<llvm::LoopAnalysis>(function),
                      {}};
        llvm::SmallVector<llvm::WeakTrackingVH, 16> replaced;
        for (auto* node : llvm::depth_first(search.dominators.getRootNode()))
            for (auto& instruction : *node->getBlock()) {
                auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
                if (!address || address->getAddressSpace() != kSharedSpace || address->getType()->isVectorTy() ||
                    address->hasAllConstantIndices())
                    continue;
                auto* one = search.find(*address);
                if (!one) continue;
                // At once: what uses it may be moved later to where it is not known, and takes its operands along.
                search.evolution.forgetValue(address);
                address->replaceAllUsesWith(one);
                replaced.emplace_back(address);
            }
        if (replaced.empty()) return llvm::PreservedAnalyses::all();
        llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
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
    struct Search {
        llvm::DominatorTree& dominators;
        llvm::ScalarEvolution& evolution;
        llvm::LoopInfo& loops;
        llvm::SmallVector<Place, 16> firsts;

        /// An address that stands for this one; null where it is the first of its kind.
        llvm::Value* find(llvm::GetElementPtrInst& address) {
            const Place here{&address, evolution.getSCEV(&address), loops.getLoopFor(address.getParent())};
            if (llvm::isa<llvm::SCEVUnknown>(here.value)) return nullptr;
            const bool changes = evolution.containsAddRecurrence(here.value);
            // A loop's own walk over an array is the back end's.
            if (changes && here.loop && here.loop->isInnermost() && llvm::isa<llvm::SCEVAddRecExpr>(here.value))
                return nullptr;
            for (const Place& first : firsts) {
                // What changes in a loop is the same in the same round alone.
                if ((changes || evolution.containsAddRecurrence(first.value)) && first.loop != here.loop) continue;
                const auto* far = llvm::dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(here.value, first.value));
                if (!far || !reaches(first, here)) continue;
                if (far->isZero()) return first.address;
                llvm::IRBuilder<> builder(&address);
                return builder.CreateGEP(builder.getInt8Ty(), first.address, builder.getInt(far->getAPInt()));
            }
            if (firsts.size() < kMostFirst) firsts.push_back(here);
            return nullptr;
        }
        /// Whether the first address is known at the other one: it may be moved to where both ways part.
        bool reaches(const Place& first, const Place& here) {
            if (dominators.dominates(first.address, here.address)) return true;
            auto* both = dominators.findNearestCommonDominator(first.address->getParent(), here.address->getParent());
            if (!both || first.loop != here.loop || loops.getLoopFor(both) != here.loop) return false;
            auto* end = both->getTerminator();
            if (!may_move(*first.address, *end, 0)) return false;
            move(*first.address, *end);
            return true;
        }
        /// Whether the value can be computed there, from what is known there.
        bool may_move(llvm::Instruction& value, llvm::Instruction& to, unsigned depth) {
            if (dominators.dominates(&value, &to)) return true;
            if (depth == kDeepest || !llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst>(value) ||
                !llvm::isSafeToSpeculativelyExecute(&value))
                return false;
            return llvm::all_of(value.operands(), [&](llvm::Use& operand) {
                auto* part = llvm::dyn_cast<llvm::Instruction>(operand.get());
                return !part || may_move(*part, to, depth + 1);
            });
        }
        void move(llvm::Instruction& value, llvm::Instruction& to) {
            if (dominators.dominates(&value, &to)) return;
            for (auto& operand : value.operands())
                if (auto* part = llvm::dyn_cast<llvm::Instruction>(operand.get())) move(*part, to);
            value.moveBefore(&to);
            value.dropPoisonGeneratingFlags();  // what it was true for may not hold here
            evolution.forgetValue(&value);
        }
    };
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

// A pass for clang, loaded into it as a plugin: in a loop over k, accesses such as `b[k * n + x]` are made through a
// pointer that goes from access to access, as by nvcc.
//
// The index is computed in 32 bits, without overflow since that is undefined. clang's analysis of loops forgets this
// where x is a sum itself (`blockIdx.x * blockDim.x + threadIdx.x`), and the back end then computes the address anew in
// each round: an addition, a multiplication and another addition in place of one.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <utility>

#include "passes.hpp"

namespace {

constexpr unsigned kSharedSpace = 3, kDeepest = 6;

struct WalkOverArrays : llvm::PassInfoMixin<WalkOverArrays> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
        if (loops.empty()) return llvm::PreservedAnalyses::all();
        auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
        bool changed = false;
        for (auto* loop : loops.getLoopsInPreorder())
            if (loop->isInnermost() && loop->getLoopPreheader() && loop->getNumBlocks() == 1)
                changed |= walk_in(*loop, evolution);
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    /// Accesses of one array whose indices keep their distances from round to round.
    struct Walk {
        llvm::Value* base;
        llvm::Type* element;
        const llvm::SCEV* step;
        llvm::SmallVector<std::pair<llvm::GetElementPtrInst*, const llvm::SCEVAddRecExpr*>, 4> accesses;
    };
    /// Loops of one block: a pointer goes from access to access, and from the last one to the first one of the next
    /// round.
    static bool walk_in(llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
        llvm::SmallVector<Walk, 4> walks;
        for (auto& instruction : *loop.getHeader()) {
            auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
            if (!address || address->getNumIndices() != 1 || changes(address->getPointerOperand(), loop)) continue;
            auto* wide = llvm::dyn_cast<llvm::SExtInst>(address->getOperand(1));
            if (!wide || !loop.contains(wide) || !is_sum(*wide, loop, evolution)) continue;
            const auto* index = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(wide->getOperand(0)));
            if (!index || index->getLoop() != &loop || !index->isAffine()) continue;
            const auto* step = index->getStepRecurrence(evolution);
            auto found = llvm::find_if(walks, [&](const Walk& walk) {
                return walk.base == address->getPointerOperand() && walk.element == address->getSourceElementType() &&
                       walk.step == step;
            });
            if (found == walks.end()) {
                walks.push_back({address->getPointerOperand(), address->getSourceElementType(), step, {}});
                found = walks.end() - 1;
            }
            found->accesses.push_back({address, index});
        }
        bool changed = false;
        for (const Walk& walk : walks)
            if (is_worth(walk, evolution)) {
                lead(walk, loop, evolution);
                changed = true;
            }
        return changed;
    }
    /// Whether clang's analysis does not see what the accesses have in common.
    static bool is_worth(const Walk& walk, llvm::ScalarEvolution& evolution) {
        const auto wide = [&](const auto& access) { return evolution.getSCEV(access.first->getOperand(1)); };
        const auto& first = walk.accesses.front();
        return llvm::any_of(walk.accesses, [&](const auto& access) {
            return !llvm::isa<llvm::SCEVAddRecExpr>(wide(access)) ||
                   (llvm::isa<llvm::SCEVConstant>(evolution.getMinusSCEV(access.second, first.second)) &&
                    !llvm::isa<llvm::SCEVConstant>(evolution.getMinusSCEV(wide(access), wide(first))));
        });
    }
    static void lead(const Walk& walk, llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
        auto* block = loop.getHeader();
        auto* before = loop.getLoopPreheader()->getTerminator();
        llvm::SCEVExpander expander(evolution, block->getModule()->getDataLayout(), "walk");
        llvm::IRBuilder<> outside(before);
        llvm::SmallDenseMap<const llvm::SCEV*, llvm::Value*> known;
        const auto outside_of = [&](const llvm::SCEV* number) {
            auto& value = known[number];
            if (!value)
                value =
                    outside.CreateSExt(expander.expandCodeFor(number, number->getType(), before), outside.getInt64Ty());
            return value;
        };
        const auto* first = walk.accesses.front().second;
        auto* start = outside.CreateGEP(walk.element, walk.base, outside_of(first->getStart()));
        auto* here = llvm::PHINode::Create(start->getType(), 2, "walk", block->begin());
        llvm::Value* last = here;
        const llvm::SCEV* at = first->getStart();
        for (const auto& [address, index] : walk.accesses) {
            const auto* distance = evolution.getMinusSCEV(index->getStart(), at);
            llvm::IRBuilder<> builder(address);
            if (!distance->isZero()) last = builder.CreateGEP(walk.element, last, outside_of(distance));
            at = index->getStart();
            evolution.forgetValue(address);
            address->replaceAllUsesWith(last);
        }
        llvm::IRBuilder<> builder(block->getTerminator());
        const auto* on = evolution.getMinusSCEV(evolution.getAddExpr(first->getStart(), walk.step), at);
        here->addIncoming(start, loop.getLoopPreheader());
        here->addIncoming(builder.CreateGEP(walk.element, last, outside_of(on)), block);
        for (const auto& [address, index] : walk.accesses) llvm::RecursivelyDeleteTriviallyDeadInstructions(address);
    }
    /// Whether the index is a sum or product without overflow, which goes by the same step in each round.
    static bool is_sum(llvm::SExtInst& wide, llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
        return wide.getType()->isIntegerTy(64) && indexes_memory(wide) &&
               llvm::isa<llvm::BinaryOperator>(wide.getOperand(0)) && changes(wide.getOperand(0), loop) &&
               fits(wide.getOperand(0), loop, evolution, 0);
    }
    /// Whether it is an index into memory of 64-bit addresses, and nothing else.
    static bool indexes_memory(const llvm::SExtInst& wide) {
        for (const auto* user : wide.users()) {
            const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
            if (!address) return false;
            const auto* base = address->getPointerOperand()->stripInBoundsOffsets();
            while (const auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(base))
                base = cast->getPointerOperand()->stripInBoundsOffsets();
            if (base->getType()->getPointerAddressSpace() == kSharedSpace) return false;
        }
        return !wide.use_empty();
    }
    static bool changes(const llvm::Value* value, const llvm::Loop& loop) { return !loop.isLoopInvariant(value); }
    /// Whether the value, sign-extended, is a sum or product of its parts, sign-extended.
    static bool exact(const llvm::BinaryOperator& part) {
        switch (part.getOpcode()) {
            case llvm::Instruction::Add:
            case llvm::Instruction::Sub:
            case llvm::Instruction::Mul:
            case llvm::Instruction::Shl:  // a product with a power of two
                return part.hasNoSignedWrap();
            case llvm::Instruction::Or:
                return llvm::cast<llvm::PossiblyDisjointInst>(part).isDisjoint();
            default:
                return false;
        }
    }
    static bool fits(llvm::Value* value, llvm::Loop& loop, llvm::ScalarEvolution& evolution, unsigned depth) {
        if (!changes(value, loop)) return true;
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
            return phi->getParent() == loop.getHeader() && evolution.isSCEVable(phi->getType()) &&
                   llvm::isa<llvm::SCEVAddRecExpr>(
                       evolution.getSignExtendExpr(evolution.getSCEV(phi), llvm::Type::getInt64Ty(phi->getContext())));
        auto* part = llvm::dyn_cast<llvm::BinaryOperator>(value);
        if (!part || depth == kDeepest || !exact(*part)) return false;
        if (part->getOpcode() == llvm::Instruction::Shl && !llvm::isa<llvm::ConstantInt>(part->getOperand(1)))
            return false;
        if (part->getOpcode() == llvm::Instruction::Mul && changes(part->getOperand(0), loop) &&
            changes(part->getOperand(1), loop))
            return false;
        return fits(part->getOperand(0), loop, evolution, depth + 1) &&
               fits(part->getOperand(1), loop, evolution, depth + 1);
    }
};

}  // namespace

void add_indices(llvm::PassBuilder& builder) {
    // Late, for clang's combinations of instructions would narrow such an index again.
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() < 2) return;
        llvm::FunctionPassManager last;
        last.addPass(llvm::LoopSimplifyPass());
        last.addPass(WalkOverArrays());
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
    });
}

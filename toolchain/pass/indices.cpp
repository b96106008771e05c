// A pass for clang, loaded into it as a plugin: an index such as `k * n + x` of a loop over k is computed in 64 bits,
// so that its address can be carried from round to round by one addition, as by nvcc.
//
// The index is computed in 32 bits, without overflow since that is undefined. clang's analysis of loops forgets this
// where x is a sum itself (`blockIdx.x * blockDim.x + threadIdx.x`), and the back end then computes the address anew in
// each round: an addition, a multiplication and another addition in place of one.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <utility>

#include "passes.hpp"

namespace {

constexpr unsigned kSharedSpace = 3, kDeepest = 6;

struct WidenIndices : llvm::PassInfoMixin<WidenIndices> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
        if (loops.empty()) return llvm::PreservedAnalyses::all();
        auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
        bool changed = false;
        for (auto* loop : loops.getLoopsInPreorder())
            if (loop->isInnermost() && loop->getLoopPreheader()) changed |= widen_in(*loop, evolution);
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    static bool widen_in(llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
        llvm::SmallVector<llvm::SExtInst*, 8> found;
        for (auto* block : loop.blocks())
            for (auto& instruction : *block)
                if (auto* wide = llvm::dyn_cast<llvm::SExtInst>(&instruction);
                    wide && wide->getType()->isIntegerTy(64) && indexes_memory(*wide) &&
                    !llvm::isa<llvm::SCEVAddRecExpr>(evolution.getSCEV(wide)) &&
                    llvm::isa<llvm::BinaryOperator>(wide->getOperand(0)) && changes(wide->getOperand(0), loop) &&
                    fits(wide->getOperand(0), loop, evolution, 0))
                    found.push_back(wide);
        for (auto* wide : found) {
            llvm::IRBuilder<> builder(wide);
            auto* index = build(wide->getOperand(0), loop, builder);
            evolution.forgetValue(wide);
            wide->replaceAllUsesWith(index);
            wide->eraseFromParent();
        }
        return !found.empty();
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
        if (part->getOpcode() == llvm::Instruction::Mul && changes(part->getOperand(0), loop) &&
            changes(part->getOperand(1), loop))
            return false;
        return fits(part->getOperand(0), loop, evolution, depth + 1) &&
               fits(part->getOperand(1), loop, evolution, depth + 1);
    }
    static llvm::Value* build(llvm::Value* value, llvm::Loop& loop, llvm::IRBuilder<>& builder) {
        auto* type = builder.getInt64Ty();
        if (!changes(value, loop)) {
            llvm::IRBuilder<> before(loop.getLoopPreheader()->getTerminator());
            return before.CreateSExt(value, type);
        }
        auto* part = llvm::dyn_cast<llvm::BinaryOperator>(value);
        if (!part) return builder.CreateSExt(value, type);
        auto* left = build(part->getOperand(0), loop, builder);
        auto* right = build(part->getOperand(1), loop, builder);
        switch (part->getOpcode()) {
            case llvm::Instruction::Sub:
                return builder.CreateNSWSub(left, right);
            case llvm::Instruction::Mul:
                return builder.CreateNSWMul(left, right);
            default:
                return builder.CreateNSWAdd(left, right);
        }
    }
};

}  // namespace

void add_indices(llvm::PassBuilder& builder) {
    // Late, for clang's combinations of instructions would narrow such an index again.
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() < 2) return;
        llvm::FunctionPassManager last;
        last.addPass(llvm::LoopSimplifyPass());
        last.addPass(WidenIndices());
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
    });
}

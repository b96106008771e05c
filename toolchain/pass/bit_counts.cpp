// A pass for clang, loaded into it as a plugin: a loop that takes the lowest bit away until none is left counts bits,
// and becomes the instruction that does so, as by nvcc.
//
// `for (c = 0; x; c++) x &= x - 1;` The pass of clang's that knows this asks whether the target counts bits fast, which
// the one for PTX does not say, and makes calls of memset of other loops.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>

#include "passes.hpp"

namespace {

struct CountBits : llvm::PassInfoMixin<CountBits> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
        if (function.hasOptNone()) return llvm::PreservedAnalyses::all();
        bool changed = false;
        for (auto* loop : loops.getLoopsInPreorder()) changed |= loop->isInnermost() && count(*loop);
        if (!changed) return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

private:
    /// A loop of one block with two values that change, of which one loses its lowest bit in each round and ends the
    /// loop when it is zero, and the other is one more. It is entered with the first one not zero.
    static bool count(llvm::Loop& loop) {
        using namespace llvm::PatternMatch;
        auto *block = loop.getHeader(), *before = loop.getLoopPreheader();
        if (!before || loop.getNumBlocks() != 1) return false;
        auto* end = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
        auto* test = end && end->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(end->getCondition()) : nullptr;
        if (!test || !test->isEquality() || test->getParent() != block || !match(test->getOperand(1), m_Zero()))
            return false;
        const bool until_zero = (test->getPredicate() == llvm::CmpInst::ICMP_EQ) == (end->getSuccessor(1) == block);
        auto* rest = test->getOperand(0);
        llvm::Value* word = nullptr;
        if (!until_zero || !match(rest, m_c_And(m_Add(m_Value(word), m_AllOnes()), m_Deferred(word)))) return false;
        auto* bits = llvm::dyn_cast<llvm::PHINode>(word);
        if (!bits || bits->getParent() != block || bits->getIncomingValueForBlock(block) != rest) return false;
        auto* first = bits->getIncomingValueForBlock(before);
        if (!known_to_be_some(*first, *before)) return false;
        // Nothing else happens: the rest of the block is the counter.
        llvm::PHINode* counter = nullptr;
        llvm::Value* next = nullptr;
        for (auto& phi : block->phis()) {
            if (&phi == bits) continue;
            if (counter || !phi.getType()->isIntegerTy()) return false;
            counter = &phi;
            next = phi.getIncomingValueForBlock(block);
            if (!match(next, m_c_Add(m_Specific(counter), m_One()))) return false;
        }
        if (!counter) return false;
        for (auto& instruction : *block) {
            if (llvm::isa<llvm::PHINode>(instruction) || instruction.isTerminator()) continue;
            if (instruction.isDebugOrPseudoInst()) continue;
            const bool known = &instruction == rest || &instruction == next || &instruction == test ||
                               match(&instruction, m_Add(m_Specific(bits), m_AllOnes()));
            if (!known) return false;
            for (const auto* user : instruction.users())
                if (llvm::cast<llvm::Instruction>(user)->getParent() != block && &instruction != next) return false;
        }
        for (const auto* phi : {bits, counter})
            for (const auto* user : phi->users())
                if (llvm::cast<llvm::Instruction>(user)->getParent() != block) return false;
        // What follows takes the count, and the loop ends in its first round.
        llvm::IRBuilder<> builder(before->getTerminator());
        llvm::Value* many = builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, first);
        many = builder.CreateAdd(counter->getIncomingValueForBlock(before),
                                 builder.CreateZExtOrTrunc(many, counter->getType()));
        next->replaceUsesWithIf(many, [&](const llvm::Use& use) {
            return llvm::cast<llvm::Instruction>(use.getUser())->getParent() != block;
        });
        end->setCondition(builder.getInt1(end->getSuccessor(1) == block));
        return true;
    }
    /// Whether the way to the loop is the one on which the value is not zero.
    static bool known_to_be_some(const llvm::Value& value, const llvm::BasicBlock& before) {
        using namespace llvm::PatternMatch;
        const auto* block = &before;
        for (unsigned steps = 0; steps < 4; ++steps) {
            const auto* from = block->getSinglePredecessor();
            const auto* way = from ? llvm::dyn_cast<llvm::BranchInst>(from->getTerminator()) : nullptr;
            if (!way) return false;
            if (way->isConditional() && way->getSuccessor(0) != way->getSuccessor(1)) {
                const auto* test = llvm::dyn_cast<llvm::ICmpInst>(way->getCondition());
                if (test && test->isEquality() && test->getOperand(0) == &value && match(test->getOperand(1), m_Zero()))
                    return (test->getPredicate() == llvm::CmpInst::ICMP_NE) == (way->getSuccessor(0) == block);
            }
            block = from;
        }
        return false;
    }
};

}  // namespace

void add_bit_counts(llvm::PassBuilder& builder) {
    builder.registerScalarOptimizerLateEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 1) passes.addPass(CountBits());
    });
}

// A pass for clang, loaded into it as a plugin: loops are unrolled as nvcc unrolls them.
//
// Innermost loops alone: four times or twice where only the launch knows the number of rounds, the rest of them in a
// loop behind; by a power of two that divides the rounds where it is known; also where the body has a
// barrier, a shuffle or a vote, which clang's own pass then leaves alone. The sizes at which nvcc goes from four to two
// and to one were found by compiling loops of known length with it (docs/compile.md). Loops that leave no loop behind
// are clang's own pass's, which gets the limit by a flag (src/compile/kernel/command.cpp), and so are pragmas.
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CodeMetrics.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include <algorithm>
#include <cstdint>

#include "passes.hpp"

namespace {

constexpr unsigned kMostCopies = 4;
constexpr unsigned kLoopEnd = 2;           // instructions of a loop's end, which unrolling does not repeat
constexpr std::uint64_t kMostSize = 202;   // of the unrolled body
constexpr std::uint64_t kMostWhole = 430;  // of one that leaves no loop; clang's flags have the same number
constexpr std::uint64_t kMostRolled = 95;  // of the body of a loop whose number of rounds is not known
constexpr unsigned kFewRounds = 19;        // of such a loop, where it is known to have no more

constexpr std::int64_t kRotation = 3, kOne = 1;  // two shifts and what joins them; what is one instruction of PTX

/// Takes the mark of what we have unrolled from loops that the source does not speak of, since ptxas may go on with
/// them: the back end would write it as `.pragma "nounroll"`.
struct LeaveToPtxas : llvm::PassInfoMixin<LeaveToPtxas> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        for (auto* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
            if (llvm::getBooleanLoopAttribute(loop, kUnrolled)) {
                loop->setLoopID(llvm::makePostTransformationMetadata(function.getContext(), loop->getLoopID(),
                                                                     {"llvm.loop.unroll.disable", kUnrolled}, {}));
                count_apart(*loop);
            }
        return llvm::PreservedAnalyses::all();
    }

private:
    /// Rounds are counted by themselves, as by nvcc, and not by what walks over an array.
    static void count_apart(llvm::Loop& loop) {
        // In loops of one block indices.cpp has led all walks; elsewhere the back end has to see the number of rounds.
        auto* latch = loop.getNumBlocks() == 1 ? loop.getLoopLatch() : nullptr;
        auto* end = latch ? llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator()) : nullptr;
        auto* test = end && end->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(end->getCondition()) : nullptr;
        const bool counts = test && llvm::isa<llvm::ConstantInt>(test->getOperand(1));
        auto* next = counts ? llvm::dyn_cast<llvm::BinaryOperator>(test->getOperand(0)) : nullptr;
        auto* counter = next ? llvm::dyn_cast<llvm::PHINode>(next->getOperand(0)) : nullptr;
        if (!counter || next->getOpcode() != llvm::Instruction::Add || counter->getParent() != latch) return;
        auto* hidden = apart(*next, *test);
        next->replaceUsesWithIf(
            hidden, [&](const llvm::Use& use) { return use.getUser() == test || use.getUser() == counter; });
    }
};

struct UnrollLoops : llvm::PassInfoMixin<UnrollLoops> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
        if (loops.empty() || function.hasOptNone() || function.hasOptSize()) return llvm::PreservedAnalyses::all();
        Tools tools{loops,
                    analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                    analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                    analyses.getResult<llvm::AssumptionAnalysis>(function),
                    analyses.getResult<llvm::TargetIRAnalysis>(function),
                    analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function)};
        // nvcc takes it that loops of signed counters end. clang may not, or it would remove loops that do not.
        const bool ends = function.willReturn();
        function.addFnAttr(llvm::Attribute::WillReturn);
        tools.evolution.forgetAllLoops();
        llvm::SmallVector<llvm::Loop*, 8> innermost;
        for (auto* loop : loops.getLoopsInPreorder())
            if (loop->isInnermost()) innermost.push_back(loop);
        bool changed = false;
        for (auto* loop : innermost) changed |= unroll(*loop, tools);
        if (!ends) function.removeFnAttr(llvm::Attribute::WillReturn);
        tools.evolution.forgetAllLoops();
        return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
    }

private:
    struct Tools {
        llvm::LoopInfo& loops;
        llvm::ScalarEvolution& evolution;
        llvm::DominatorTree& dominators;
        llvm::AssumptionCache& assumptions;
        llvm::TargetTransformInfo& target;
        llvm::OptimizationRemarkEmitter& remarks;
    };
    /// How many copies of the body there are to be; 1 leaves the loop as it is.
    static unsigned copies_of(llvm::Loop& loop, Tools& tools) {
        auto* latch = loop.getLoopLatch();
        if (!latch || !loop.isLoopExiting(latch)) return 1;
        const Wish wish = wish_of(loop);
        if (wish.left) return 1;
        llvm::SmallPtrSet<const llvm::Value*, 32> assumed;
        llvm::CodeMetrics::collectEphemeralValues(&loop, &tools.assumptions, assumed);
        const llvm::UnrollCostEstimator cost(&loop, tools.target, assumed, kLoopEnd);
        if (!cost.canUnroll() || cost.NumInlineCandidates != 0 || cost.getRolledLoopSize() <= kLoopEnd) return 1;
        const auto plain = static_cast<std::int64_t>(cost.getRolledLoopSize()) - kLoopEnd;
        const auto size =
            static_cast<std::uint64_t>(std::max<std::int64_t>(1, plain + written_out(loop, tools.target)));
        if (const unsigned rounds = tools.evolution.getSmallConstantTripCount(&loop, latch)) {
            if (wish.given || wish.asked) return 1;  // clang's pass does as it is told
            return copies_of_known(rounds, size);
        }
        if (loop.getExitingBlock() != latch) return 1;
        const auto* rounds = tools.evolution.getBackedgeTakenCount(&loop);
        if (llvm::isa<llvm::SCEVCouldNotCompute>(rounds)) return 1;
        const Step step = step_of(loop, tools);
        const bool may_stand_still = step == Step::of_launch && has_effects(loop);
        if (wish.given)
            return may_stand_still || (cost.Convergence == llvm::ConvergenceKind::None && step == Step::shift)
                       ? 1
                       : wish.given;
        if (may_stand_still ||
            (step != Step::shift && !tools.evolution.isLoopInvariant(rounds, loop.getOutermostLoop())))
            return 1;
        // That a loop around this one bounds its rounds is nothing that nvcc looks for.
        const unsigned most_rounds =
            tools.evolution.containsAddRecurrence(rounds) ? 0 : tools.evolution.getSmallConstantMaxTripCount(&loop);
        if ((most_rounds != 0 && most_rounds <= kFewRounds) || may_wrap(loop, tools.evolution) ||
            size + kLoopEnd > kMostRolled)
            return 1;
        unsigned copies = kMostCopies;
        while (copies > 1 && !fits(copies, size)) copies /= 2;
        return copies;
    }
    /// What clang's form of a loop has for nothing or in one, and nvcc's older form in more instructions: constant
    /// distances from an address that the loop computes, addresses that clang takes out of the loop once an inner loop
    /// is gone, least and greatest numbers, rotations. Less what nvcc does not have: widened indices of shared memory.
    static std::int64_t written_out(const llvm::Loop& loop, const llvm::TargetTransformInfo& target) {
        std::int64_t count = 0;
        llvm::SmallPtrSet<const llvm::Value*, 16> outside;
        for (const auto* block : loop.blocks())
            for (const auto& instruction : *block) {
                if (const auto* far = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
                    count += distance(*far, loop);
                } else if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
                    count += llvm::isa<llvm::MinMaxIntrinsic>(call) ? 1 : 0;
                    const auto kind = call->getIntrinsicID();
                    count += kind == llvm::Intrinsic::abs ? 2 : 0;
                    if (kind == llvm::Intrinsic::fshl || kind == llvm::Intrinsic::fshr)
                        count += (call->getArgOperand(0) == call->getArgOperand(1) ? kRotation : kOne) -
                                 size_of(*call, target);
                } else if (const auto* text = llvm::dyn_cast<llvm::CallInst>(&instruction);
                           text && text->isInlineAsm()) {
                    count += kOne - size_of(*text, target);
                } else if (const auto* wide = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
                    count -= wide->getType()->isIntegerTy(64) && indexes_shared_memory(*wide) ? 1 : 0;
                } else if (const auto* address = llvm::getLoadStorePointerOperand(&instruction)) {
                    const auto* taken_out = llvm::dyn_cast<llvm::GetElementPtrInst>(address);
                    if (taken_out && !loop.contains(taken_out) && is_shared(taken_out)) outside.insert(taken_out);
                }
            }
        return count + static_cast<std::int64_t>(outside.size());
    }
    /// What clang counts for an instruction.
    static std::int64_t size_of(const llvm::Instruction& instruction, const llvm::TargetTransformInfo& target) {
        const auto size = target.getInstructionCost(&instruction, llvm::TargetTransformInfo::TCK_CodeSize);
        return size.isValid() ? *size.getValue() : 0;
    }
    /// A constant distance from another address of the loop. Where that one's index is of 32 bits, nvcc has an addition
    /// and a widening besides.
    static std::int64_t distance(const llvm::GetElementPtrInst& far, const llvm::Loop& loop) {
        const auto* near = llvm::dyn_cast<llvm::GetElementPtrInst>(far.getPointerOperand());
        if (!far.hasAllConstantIndices() || !near || !loop.contains(near) || near->hasAllConstantIndices()) return 0;
        const bool of_number = near->getNumIndices() == 1 && near->getSourceElementType()->isSingleValueType();
        return of_number && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(near->getOperand(1)) && !is_shared(near) ? 3 : 1;
    }
    static bool is_shared(const llvm::Value* address) {
        return llvm::getUnderlyingObject(address)->getType()->getPointerAddressSpace() == kSharedSpace;
    }
    static bool indexes_shared_memory(const llvm::CastInst& wide) {
        return !wide.use_empty() && llvm::all_of(wide.users(), [](const llvm::User* user) {
            return llvm::isa<llvm::GetElementPtrInst>(user) && is_shared(user);
        });
    }
    /// What the number of rounds is computed by. Where it is a quotient, nvcc does not compute it again and again: a
    /// loop whose number another one around it changes stays as it is.
    enum class Step { shift, quotient, of_launch };
    static Step step_of(const llvm::Loop& loop, Tools& tools) {
        const auto* end = llvm::dyn_cast<llvm::BranchInst>(loop.getLoopLatch()->getTerminator());
        const auto* test = end && end->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(end->getCondition()) : nullptr;
        if (!test) return Step::shift;
        for (const auto& side : test->operands()) {
            const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(tools.evolution.getSCEV(side));
            if (!counter || counter->getLoop() != &loop) continue;
            const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(counter->getStepRecurrence(tools.evolution));
            if (!step) return Step::of_launch;
            return step->getAPInt().abs().isPowerOf2() ? Step::shift : Step::quotient;
        }
        return Step::shift;
    }
    /// nvcc takes no loop apart whose unsigned counter may pass its bound: one that goes by other steps than one, where
    /// the bound is not known to be far enough from the last number, or one that reaches the bound itself.
    static bool may_wrap(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
        const auto* end = llvm::dyn_cast<llvm::BranchInst>(loop.getLoopLatch()->getTerminator());
        const auto* test = end && end->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(end->getCondition()) : nullptr;
        if (!test || !test->isUnsigned()) return false;
        const auto goes_on =
            end->getSuccessor(0) == loop.getHeader() ? test->getPredicate() : test->getInversePredicate();
        if (llvm::ICmpInst::isNonStrictPredicate(goes_on)) return true;
        for (const unsigned side : {0u, 1u}) {
            const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(test->getOperand(side)));
            if (!counter || counter->getLoop() != &loop) continue;
            const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(counter->getStepRecurrence(evolution));
            if (!step || passes(step->getAPInt(), evolution.getSCEV(test->getOperand(1 - side)), evolution))
                return true;
        }
        return false;
    }
    /// Whether a counter of that step may go past the bound and beyond the last number.
    static bool passes(const llvm::APInt& step, const llvm::SCEV* bound, llvm::ScalarEvolution& evolution) {
        if (step.isOne() || step.isAllOnes()) return false;
        if (step.isNegative()) return evolution.getUnsignedRangeMin(bound).ult(-step - 1);
        return evolution.getUnsignedRangeMax(bound).ugt(~(step - 1));
    }
    static bool fits(std::uint64_t copies, std::uint64_t size) { return size * copies + kLoopEnd <= kMostSize; }
    /// The largest power of two that divides the rounds and fits; for an odd number, one that leaves the loop in its
    /// middle.
    static unsigned copies_of_known(unsigned rounds, std::uint64_t size) {
        if (rounds * size + kLoopEnd <= kMostWhole) return rounds;
        unsigned copies = 1;
        while (rounds % (copies * 2) == 0 && fits(std::uint64_t{copies} * 2, size)) copies *= 2;
        if (copies > 1) return copies;
        copies = kMostCopies;
        while (copies > 1 && !fits(copies, size)) copies /= 2;
        return copies;
    }
    /// clang counts the rounds of an unrolled loop up to their number, by what the source counts with where that is the
    /// same; nvcc counts those that are left down to zero, apart from it. ptxas sees that as a loop that it may unroll
    /// further.
    static void count_down(llvm::Loop& loop, unsigned copies) {
        auto *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader();
        auto* end = latch ? llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator()) : nullptr;
        auto* test = end && end->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(end->getCondition()) : nullptr;
        if (!before || !test || !test->isEquality() || !test->hasOneUse()) return;
        auto* next = llvm::dyn_cast<llvm::BinaryOperator>(test->getOperand(0));
        auto* rounds = test->getOperand(1);
        if (!next || next->getOpcode() != llvm::Instruction::Add || !loop.isLoopInvariant(rounds)) return;
        auto* counter = llvm::dyn_cast<llvm::PHINode>(next->getOperand(0));
        const auto* by = llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1));
        if (!counter || counter->getParent() != loop.getHeader() || !by || by->getZExtValue() != copies) return;
        const auto* start = llvm::dyn_cast<llvm::ConstantInt>(counter->getIncomingValueForBlock(before));
        if (!start || !start->isZero() || counter->getNumIncomingValues() != 2) return;
        auto* type = next->getType();
        auto* left = llvm::PHINode::Create(type, 2, "left", loop.getHeader()->begin());
        llvm::IRBuilder<> builder(test);
        auto* fewer = builder.CreateAdd(left, llvm::ConstantInt::getSigned(type, -static_cast<std::int64_t>(copies)));
        left->addIncoming(rounds, before);
        left->addIncoming(fewer, latch);
        test->setOperand(0, fewer);
        test->setOperand(1, llvm::ConstantInt::get(type, 0));
    }
    /// What the source says of the loop by `#pragma unroll`.
    struct Wish {
        unsigned given = 0;  ///< a number of copies
        bool asked = false;  ///< without a number
        bool left = false;   ///< not at all, or it has been done
    };
    static Wish wish_of(const llvm::Loop& loop) {
        Wish wish;
        if (const auto count = llvm::getOptionalIntLoopAttribute(&loop, "llvm.loop.unroll.count"))
            wish.given = static_cast<unsigned>(*count);
        wish.asked = llvm::getBooleanLoopAttribute(&loop, "llvm.loop.unroll.full") ||
                     llvm::getBooleanLoopAttribute(&loop, "llvm.loop.unroll.enable");
        wish.left = llvm::getBooleanLoopAttribute(&loop, "llvm.loop.unroll.disable") || wish.given == 1;
        return wish;
    }
    /// What the counter of a loop is known to do where only the launch knows its step: it goes up. Else its loop would
    /// not end, or overflow. While this is noted, clang computes the number of rounds with one division and nothing
    /// else, as nvcc does.
    class GoesUp {
    public:
        GoesUp(llvm::Loop& loop, Tools& tools) {
            auto* before = loop.getLoopPreheader();
            const auto* end = llvm::dyn_cast<llvm::BranchInst>(loop.getLoopLatch()->getTerminator());
            auto* test =
                before && end && end->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(end->getCondition()) : nullptr;
            if (!test) return;
            auto goes_on =
                end->getSuccessor(0) == loop.getHeader() ? test->getPredicate() : test->getInversePredicate();
            if (goes_on != llvm::CmpInst::ICMP_SLT) return;
            auto* next = llvm::dyn_cast<llvm::BinaryOperator>(test->getOperand(0));
            if (!next || next->getOpcode() != llvm::Instruction::Add || !next->hasNoSignedWrap()) return;
            for (const unsigned side : {0u, 1u}) {
                auto* counter = llvm::dyn_cast<llvm::PHINode>(next->getOperand(side));
                auto* step = next->getOperand(1 - side);
                if (!counter || counter->getParent() != loop.getHeader() || llvm::isa<llvm::Constant>(step) ||
                    !loop.isLoopInvariant(step))
                    continue;
                llvm::IRBuilder<> builder(before->getTerminator());
                auto* start = counter->getIncomingValueForBlock(before);
                sum_ = builder.CreateNSWAdd(start, step);
                up_ = builder.CreateICmpSLT(start, sum_);
                note_ = builder.CreateAssumption(up_);
                tools.assumptions.registerAssumption(llvm::cast<llvm::AssumeInst>(note_));
                tools.evolution.forgetLoop(&loop);
                return;
            }
        }
        GoesUp(const GoesUp&) = delete;
        GoesUp& operator=(const GoesUp&) = delete;
        void forget(Tools& tools) {
            if (!note_) return;
            tools.assumptions.unregisterAssumption(llvm::cast<llvm::AssumeInst>(note_));
            note_->eraseFromParent();
            llvm::RecursivelyDeleteTriviallyDeadInstructions(up_);
            note_ = nullptr;
        }

    private:
        llvm::Value *sum_ = nullptr, *up_ = nullptr;
        llvm::CallInst* note_ = nullptr;
    };
    static bool unroll(llvm::Loop& loop, Tools& tools) {
        bool changed = llvm::simplifyLoop(&loop, &tools.dominators, &tools.loops, &tools.evolution, &tools.assumptions,
                                          nullptr, false);
        changed |= llvm::formLCSSARecursively(loop, tools.dominators, &tools.loops, &tools.evolution);
        if (!loop.isLoopSimplifyForm()) return changed;
        const unsigned copies = copies_of(loop, tools);
        if (copies < 2) return changed;
        llvm::UnrollLoopOptions options{};
        options.Count = copies;
        options.Runtime = tools.evolution.getSmallConstantTripCount(&loop, loop.getLoopLatch()) == 0;
        options.AllowExpensiveTripCount = true;
        const bool stands_in_another = loop.getParentLoop() != nullptr;
        llvm::Loop* rest = nullptr;
        GoesUp goes_up(loop, tools);
        const auto done = llvm::UnrollLoop(&loop, options, &tools.loops, &tools.evolution, &tools.dominators,
                                           &tools.assumptions, &tools.target, &tools.remarks, true, &rest);
        goes_up.forget(tools);
        if (done == llvm::LoopUnrollResult::Unmodified) return changed;
        if (options.Runtime && done == llvm::LoopUnrollResult::PartiallyUnrolled) count_down(loop, copies);
        // (A loop that is wholly unrolled is no more.)
        if (done == llvm::LoopUnrollResult::PartiallyUnrolled) {
            const Wish wish = wish_of(loop);
            loop.setLoopAlreadyUnrolled();
            if (!wish.given && !wish.asked) llvm::addStringMetadataToLoop(&loop, kUnrolled, copies);
        }
        if (rest && stands_in_another && copies <= kMostCopies) {
            write_out_rest(*rest, copies - 1, tools);
        } else if (rest) {
            rest->setLoopAlreadyUnrolled();
            llvm::addStringMetadataToLoop(rest, kRest, 1);
        }
        return true;
    }
    /// The rounds that are left over, fewer than there are copies, one after the other with an exit each. nvcc does so
    /// in loops that stand in others.
    static void write_out_rest(llvm::Loop& rest, unsigned most, Tools& tools) {
        llvm::simplifyLoop(&rest, &tools.dominators, &tools.loops, &tools.evolution, &tools.assumptions, nullptr, true);
        llvm::formLCSSARecursively(rest, tools.dominators, &tools.loops, &tools.evolution);
        llvm::UnrollLoopOptions options{};
        options.Count = most;
        options.Force = true;
        if (tools.evolution.getSmallConstantMaxTripCount(&rest) != most ||
            llvm::UnrollLoop(&rest, options, &tools.loops, &tools.evolution, &tools.dominators, &tools.assumptions,
                             &tools.target, &tools.remarks, true, nullptr) == llvm::LoopUnrollResult::Unmodified)
            rest.setLoopAlreadyUnrolled();
    }
};

}  // namespace

bool has_effects(const llvm::Loop& loop) {
    return llvm::any_of(loop.blocks(), [](const llvm::BasicBlock* block) {
        return llvm::any_of(*block, [](const llvm::Instruction& instruction) {
            const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
            return store ? !store->isSimple() : instruction.mayHaveSideEffects();
        });
    });
}

void add_unroll(llvm::PassBuilder& builder) {
    builder.registerVectorizerStartEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 1) passes.addPass(UnrollLoops());
    });
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(LeaveToPtxas()));
    });
}

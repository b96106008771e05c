// A pass for clang, loaded into it as a plugin: short sides of branches are computed in any case and chosen from, at
// the sizes at which nvcc does so.
//
// A select costs the work of the side that is not taken, a branch parts the lanes of a warp: which of them a kernel has
// decides what is counted of it. clang looks at what the target says of an instruction's cost, at all instructions of
// both sides together, and only after loads have been moved into the sides. nvcc chooses where one side has up to five
// simple operations and the other has none, or where both have up to three, and never computes in vain what is a
// division, a conversion to whole numbers or a function of the math library. clang's own rules are turned off by flags
// (src/compile/kernel/command.cpp).
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <optional>

#include "passes.hpp"

namespace {

constexpr unsigned kOneSide = 5;    // operations where the other side has none
constexpr unsigned kEachOfTwo = 3;  // of each side where both have some

/// What nvcc's form of the function is in operations; nothing where it is one that is not computed in vain.
std::optional<unsigned> operations_of_call(const llvm::CallInst& call) {
    switch (call.getIntrinsicID()) {
        case llvm::Intrinsic::ctpop:
        case llvm::Intrinsic::ctlz:
        case llvm::Intrinsic::nvvm_prmt:
            return 1;
        case llvm::Intrinsic::smin:
        case llvm::Intrinsic::smax:
        case llvm::Intrinsic::umin:
        case llvm::Intrinsic::umax:
        case llvm::Intrinsic::fshl:
        case llvm::Intrinsic::fshr:
            return 3;
        case llvm::Intrinsic::abs:
            return 4;
        default:
            return std::nullopt;
    }
}

std::optional<unsigned> operations_of(const llvm::Instruction& instruction) {
    switch (instruction.getOpcode()) {
        case llvm::Instruction::Add:
        case llvm::Instruction::Sub:
        case llvm::Instruction::Mul:
        case llvm::Instruction::And:
        case llvm::Instruction::Or:
        case llvm::Instruction::Xor:
        case llvm::Instruction::Shl:
        case llvm::Instruction::LShr:
        case llvm::Instruction::AShr:
        case llvm::Instruction::FAdd:
        case llvm::Instruction::FSub:
        case llvm::Instruction::FMul:
        case llvm::Instruction::FNeg:
        case llvm::Instruction::ICmp:
        case llvm::Instruction::FCmp:
        case llvm::Instruction::ZExt:
        case llvm::Instruction::SExt:
        case llvm::Instruction::SIToFP:
        case llvm::Instruction::UIToFP:
        case llvm::Instruction::FPExt:
        case llvm::Instruction::FPTrunc:
        case llvm::Instruction::BitCast:
        case llvm::Instruction::GetElementPtr:
        case llvm::Instruction::ExtractElement:
        case llvm::Instruction::InsertElement:
            return 1;
        case llvm::Instruction::Select:
            return 2;
        case llvm::Instruction::Trunc:
        case llvm::Instruction::Freeze:
        case llvm::Instruction::AddrSpaceCast:
            return 0;
        case llvm::Instruction::Call:
            return operations_of_call(llvm::cast<llvm::CallInst>(instruction));
        default:
            return std::nullopt;
    }
}

/// Of a side, without its last branch; nothing where it is not to be computed in vain.
std::optional<unsigned> operations_of(const llvm::BasicBlock& side) {
    unsigned all = 0;
    for (const auto& instruction : side) {
        if (instruction.isTerminator()) break;
        if (instruction.isDebugOrPseudoInst()) continue;
        const auto count = operations_of(instruction);
        if (!count || !llvm::isSafeToSpeculativelyExecute(&instruction)) return std::nullopt;
        all += *count;
    }
    return all;
}

struct ChooseShortSides : llvm::PassInfoMixin<ChooseShortSides> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        return choose_short_sides(function) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
    }

    static bool in(llvm::Function& function) {
        if (function.hasOptNone()) return false;
        bool changed = false;
        for (bool again = true; again; changed |= again) {
            again = false;
            llvm::SmallVector<llvm::WeakVH, 32> blocks;  // those that are chosen from go
            for (auto& block : function) blocks.emplace_back(&block);
            for (const auto& handle : blocks)
                if (auto* block = llvm::cast_or_null<llvm::BasicBlock>(static_cast<llvm::Value*>(handle)))
                    again |= choose(*block);
        }
        return changed;
    }

private:
    static bool choose(llvm::BasicBlock& block) {
        auto* end = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
        return end && end->isConditional() && choose(*end);
    }
    static bool choose(llvm::BranchInst& branch) {
        auto *head = branch.getParent(), *yes = branch.getSuccessor(0), *no = branch.getSuccessor(1);
        if (yes == no) return false;
        llvm::BasicBlock* meet = nullptr;
        unsigned most = kOneSide;
        if (is_side(*yes, *head) && yes->getSingleSuccessor() == no) {
            meet = no;
        } else if (is_side(*no, *head) && no->getSingleSuccessor() == yes) {
            meet = yes;
        } else if (is_side(*yes, *head) && is_side(*no, *head) &&
                   yes->getSingleSuccessor() == no->getSingleSuccessor()) {
            meet = yes->getSingleSuccessor();
            if (!is_empty(*yes) && !is_empty(*no)) most = kEachOfTwo;
        }
        if (!meet || meet == head || meet->phis().empty()) return false;
        for (auto* side : {yes, no})
            if (const auto count = side == meet ? 0 : operations_of(*side); !count || *count > most) return false;
        for (auto* side : {yes, no})
            if (side != meet)
                head->splice(branch.getIterator(), side, side->begin(), side->getTerminator()->getIterator());
        select(branch, *meet);
        return true;
    }
    /// A block that nothing but the branch leads to, and that goes on to one other.
    static bool is_side(const llvm::BasicBlock& block, const llvm::BasicBlock& head) {
        const auto* end = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
        return end && end->isUnconditional() && !end->hasMetadata(llvm::LLVMContext::MD_loop) &&
               block.getSinglePredecessor() == &head && !llvm::isa<llvm::PHINode>(block.front()) &&
               end->getSuccessor(0) != &block;
    }
    static bool is_empty(const llvm::BasicBlock& block) {
        return block.getFirstNonPHIOrDbgOrLifetime()->isTerminator();
    }
    /// The sides' work stands before the branch now.
    static void select(llvm::BranchInst& branch, llvm::BasicBlock& meet) {
        auto *head = branch.getParent(), *yes = branch.getSuccessor(0), *no = branch.getSuccessor(1);
        auto *from_yes = yes == &meet ? head : yes, *from_no = no == &meet ? head : no;
        llvm::IRBuilder<> builder(&branch);
        for (auto& phi : meet.phis()) {
            auto *a = phi.getIncomingValueForBlock(from_yes), *b = phi.getIncomingValueForBlock(from_no);
            auto* chosen = a == b ? a : builder.CreateSelect(branch.getCondition(), a, b);
            if (head == from_yes || head == from_no)
                phi.setIncomingValueForBlock(head, chosen);
            else
                phi.addIncoming(chosen, head);
        }
        builder.CreateBr(&meet);
        branch.eraseFromParent();
        for (auto* side : {yes, no})
            if (side != &meet) llvm::DeleteDeadBlock(side);
    }
};

}  // namespace

bool choose_short_sides(llvm::Function& function) { return ChooseShortSides::in(function); }

void add_sides(llvm::PassBuilder& builder) {
    // Before clang's first combinations of instructions, which move loads into the sides.
    builder.registerPipelineEarlySimplificationEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
            if (level.getSpeedupLevel() == 0) return;
            llvm::FunctionPassManager first;
            first.addPass(ChooseShortSides());
            first.addPass(llvm::SimplifyCFGPass());
            passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(first)));
        });
    builder.registerPeepholeEPCallback(
        [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(ChooseShortSides()); });
}

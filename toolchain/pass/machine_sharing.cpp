// A pass of the back end, in place of LLVM's MachineCSE: what is computed again behind an equal instruction is taken
// from there.
//
// LLVM 19 does more: what two blocks of code compute, of which neither stands in front of the other, it computes in
// front of both. nvcc's back end does not: `mov` of a shared array stands in both sides of a branch, and in a loop
// whose array is read behind it too. What it shares, and what it leaves because registers would live too long, is
// LLVM's rule.
#include <llvm/ADT/ScopedHashTable.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/CodeGen/MachineDominators.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/InitializePasses.h>
#include <llvm/PassInfo.h>
#include <llvm/PassRegistry.h>

#include <memory>
#include <vector>

#include "machine.hpp"
#include "passes.hpp"

namespace {

class SharedComputations : public llvm::MachineFunctionPass {
public:
    static char ID;
    SharedComputations() : MachineFunctionPass(ID) {}

    llvm::StringRef getPassName() const override { return "warpwright: shared computations"; }

    void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
        usage.setPreservesCFG();
        usage.addRequired<llvm::MachineDominatorTreeWrapperPass>();
        usage.addPreserved<llvm::MachineDominatorTreeWrapperPass>();
        MachineFunctionPass::getAnalysisUsage(usage);
    }

    bool runOnMachineFunction(llvm::MachineFunction& function) override {
        if (skipFunction(function.getFunction())) return false;
        registers_ = &function.getRegInfo();
        machine_ = function.getSubtarget().getInstrInfo();
        Known known;
        bool changed = false;
        // Each block sees what the blocks that dominate it have computed. Blocks are left when their last child is.
        struct Open {
            llvm::MachineDomTreeNode* node;
            std::unique_ptr<Known::ScopeTy> scope;
            unsigned left;  // children that have not been entered
        };
        std::vector<Open> path;
        const auto enter = [&](llvm::MachineDomTreeNode* node) {
            path.push_back(
                {node, std::make_unique<Known::ScopeTy>(known), static_cast<unsigned>(node->getNumChildren())});
            changed |= share_in(*node->getBlock(), known);
        };
        enter(getAnalysis<llvm::MachineDominatorTreeWrapperPass>().getDomTree().getRootNode());
        while (!path.empty()) {
            Open& last = path.back();
            if (last.left)
                enter(*(last.node->begin() + --last.left));
            else
                path.pop_back();
        }
        changed |= address_as_nvcc(function) | bytes_as_nvcc(function);
        return changed;
    }

private:
    using Known = llvm::ScopedHashTable<llvm::MachineInstr*, llvm::MachineInstr*, llvm::MachineInstrExpressionTrait>;

    bool share_in(llvm::MachineBasicBlock& block, Known& known) {
        bool changed = false;
        for (auto& instruction : llvm::make_early_inc_range(block)) {
            if (!is_candidate(instruction)) continue;
            changed |= through_copies(instruction);
            llvm::MachineInstr* const before = known.lookup(&instruction);
            if (!before) {
                known.insert(&instruction, &instruction);
                continue;
            }
            if (!replaced(instruction, *before)) {
                known.insert(&instruction, &instruction);
                continue;
            }
            instruction.eraseFromParent();
            changed = true;
        }
        return changed;
    }

    /// An instruction of one result that depends on its operands alone.
    bool is_candidate(const llvm::MachineInstr& instruction) const {
        if (instruction.isPosition() || instruction.isPHI() || instruction.isImplicitDef() || instruction.isKill() ||
            instruction.isInlineAsm() || instruction.isDebugInstr() || instruction.isCopyLike() ||
            instruction.isTerminator() || instruction.isCall() || instruction.mayStore() ||
            instruction.mayRaiseFPException() || instruction.hasUnmodeledSideEffects() ||
            (instruction.mayLoad() && !instruction.isDereferenceableInvariantLoad()))
            return false;
        if (instruction.getNumDefs() != 1 || instruction.getNumExplicitDefs() != 1) return false;
        for (const auto& operand : instruction.operands())
            if (operand.isReg() && operand.getReg() && !operand.getReg().isVirtual()) return false;
        return true;
    }

    /// Operands that are copies become what was copied, so that equal instructions look equal.
    bool through_copies(llvm::MachineInstr& instruction) {
        bool changed = false;
        for (auto& operand : instruction.uses()) {
            if (!operand.isReg() || !operand.getReg().isVirtual()) continue;
            const auto* copy = registers_->getVRegDef(operand.getReg());
            if (!copy || !copy->isCopy() || copy->getOperand(0).getSubReg() || copy->getOperand(1).getSubReg())
                continue;
            const llvm::Register from = copy->getOperand(1).getReg();
            if (!from.isVirtual() || registers_->getRegClass(from) != registers_->getRegClass(operand.getReg()))
                continue;
            operand.setReg(from);
            registers_->clearKillFlags(from);
            changed = true;
        }
        return changed;
    }

    /// Whether all users of the later instruction's result now use the earlier one's.
    bool replaced(llvm::MachineInstr& later, llvm::MachineInstr& earlier) {
        const llvm::Register gone = later.getOperand(0).getReg(), kept = earlier.getOperand(0).getReg();
        if (gone == kept || !pays(later, earlier, gone, kept)) return false;
        if (later.isConvergent() && later.getParent() != earlier.getParent()) return false;
        if (!registers_->constrainRegAttrs(kept, gone)) return false;
        registers_->clearKillFlags(kept);
        earlier.getOperand(0).setIsDead(false);
        registers_->replaceRegWith(gone, kept);
        return true;
    }

    bool pays(const llvm::MachineInstr& later, const llvm::MachineInstr& earlier, llvm::Register gone,
              llvm::Register kept) const {
        llvm::SmallPtrSet<const llvm::MachineInstr*, 8> users;
        for (const auto& user : registers_->use_nodbg_instructions(kept)) users.insert(&user);
        // Where each user uses both, no register lives longer.
        if (llvm::all_of(registers_->use_nodbg_instructions(gone),
                         [&](const llvm::MachineInstr& user) { return users.contains(&user); }))
            return true;
        const auto* here = later.getParent();
        const auto* there = earlier.getParent();
        // What costs no more than a move is shared with the next block at most.
        if (machine_->isAsCheapAsAMove(later) && there != here && !there->isSuccessor(here)) return false;
        // A value that only enters other blocks' phis as a copy is not worth a register.
        const bool needs_registers = llvm::any_of(later.all_uses(), [](const llvm::MachineOperand& operand) {
            return operand.isReg() && operand.getReg().isVirtual();
        });
        if (!needs_registers && llvm::all_of(registers_->use_nodbg_instructions(gone),
                                             [](const llvm::MachineInstr& user) { return user.isCopyLike(); }))
            return false;
        // What a phi takes has a register of its own, unless this block uses that already.
        return llvm::none_of(users, [](const llvm::MachineInstr* user) { return user->isPHI(); }) ||
               llvm::any_of(users, [&](const llvm::MachineInstr* user) { return user->getParent() == here; });
    }

    llvm::MachineRegisterInfo* registers_ = nullptr;
    const llvm::TargetInstrInfo* machine_ = nullptr;
};

char SharedComputations::ID = 0;

}  // namespace

void share_as_nvcc() {
    // A plugin cannot add to the back end's list of passes, but it may say what makes the pass of a name.
    auto& known = *llvm::PassRegistry::getPassRegistry();
    llvm::initializeMachineCSEPass(known);
    if (const auto* pass = known.getPassInfo(&llvm::MachineCSEID))
        const_cast<llvm::PassInfo*>(pass)->setNormalCtor([]() -> llvm::Pass* { return new SharedComputations(); });
}

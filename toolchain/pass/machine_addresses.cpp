// Addresses in the back end, as nvcc has them.
//
// Elements of an array in shared memory at X + constants, X the array's address and one index, or a pointer that walks
// from elsewhere than the array's start: of those outside of X's block nvcc computes one, that of the smallest constant,
// and reaches the others from there. It does so if X's own block reads or writes that element first; where it does
// neither with any element, if several blocks do and the first of all accesses is that element's.
//
// And a sum of a register of 32 bits and a constant that another block has made is made anew in front of each
// instruction that reads or writes memory and takes it first: the stored value, the address that is loaded from.
#include "machine.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "passes.hpp"

namespace {

constexpr unsigned kAddressForms = 2;  // operands of an address: a register and a constant

/// An instruction that reads or writes one place in shared memory.
struct Access {
    llvm::MachineInstr* instruction;
    std::int64_t far;   ///< bytes from the register
    bool has_constant;  ///< whether its form has the constant
};

class Addresses {
public:
    explicit Addresses(llvm::MachineFunction& function)
        : function_(function), registers_(function.getRegInfo()), machine_(*function.getSubtarget().getInstrInfo()) {
        for (unsigned code = 0; code < machine_.getNumOpcodes(); ++code) {
            const auto name = machine_.getName(code);
            if (name == "ADDi32ri") add_ = code;
            if (name.ends_with("_ari")) forms_[name] = code;
        }
    }

    bool run() {
        if (!add_) return false;
        bool changed = false;
        for (auto& block : function_)
            for (auto& instruction : block) changed |= take_constants(instruction);
        for (auto& [base, accesses] : groups()) changed |= give_base(base, accesses);
        for (auto& block : function_)
            for (auto& instruction : block) changed |= make_anew(instruction);
        return changed;
    }

private:
    using Groups = llvm::MapVector<llvm::Register, llvm::SmallVector<Access, 8>>;

    llvm::StringRef name_of(const llvm::MachineInstr& instruction) const {
        return machine_.getName(instruction.getOpcode());
    }

    /// Accesses in the order of the blocks, by the register of their address.
    Groups groups() {
        Groups found;
        for (auto& block : function_)
            for (auto& instruction : block)
                if (const auto access = access_of(instruction))
                    found[address_operand(instruction).getReg()].push_back(*access);
        return found;
    }

    /// The register of the address: the last operand, or the one in front of the constant.
    static llvm::MachineOperand& address_operand(llvm::MachineInstr& instruction) {
        const unsigned count = instruction.getNumExplicitOperands();
        auto& last = instruction.getOperand(count - 1);
        return last.isReg() ? last : instruction.getOperand(count - kAddressForms);
    }

    std::optional<Access> access_of(llvm::MachineInstr& instruction) const {
        const auto name = name_of(instruction);
        const bool constant = name.ends_with("_ari");
        if (!(constant || name.ends_with("_areg")) || !instruction.hasOneMemOperand() ||
            (*instruction.memoperands_begin())->getAddrSpace() != kSharedSpace)
            return std::nullopt;
        auto& address = address_operand(instruction);
        if (!address.isReg() || !address.getReg().isVirtual()) return std::nullopt;
        const auto& last = instruction.getOperand(instruction.getNumExplicitOperands() - 1);
        return Access{&instruction, constant ? last.getImm() : 0, constant};
    }

    /// Constants that other instructions have added to the address are part of the access.
    bool take_constants(llvm::MachineInstr& instruction) {
        bool changed = false;
        while (const auto access = access_of(instruction)) {
            auto* sum = registers_.getVRegDef(address_operand(instruction).getReg());
            if (!is_sum(sum)) break;
            const auto far = access->far + sum->getOperand(kAddressForms).getImm();
            if (far != static_cast<std::int32_t>(far) || !move(*access, sum->getOperand(1).getReg(), far)) break;
            remove_if_unused(*sum);
            changed = true;
        }
        return changed;
    }

    /// Makes the access one at a constant distance from another register; false where it has no such form.
    bool move(const Access& access, llvm::Register base, std::int64_t far) {
        auto& instruction = *access.instruction;
        if (!access.has_constant) {
            const unsigned form = with_constant(instruction);
            if (!form) return false;
            instruction.setDesc(machine_.get(form));
            instruction.addOperand(function_, llvm::MachineOperand::CreateImm(0));
        }
        address_operand(instruction).setReg(base);
        registers_.clearKillFlags(base);
        instruction.getOperand(instruction.getNumExplicitOperands() - 1).setImm(far);
        return true;
    }

    void remove_if_unused(llvm::MachineInstr& sum) {
        const auto known = sum.getOperand(0).getReg();
        if (!registers_.use_nodbg_empty(known)) return;
        registers_.markUsesInDebugValueAsUndef(known);
        sum.eraseFromParent();
    }

    bool is_sum(const llvm::MachineInstr* made) const {
        return made && made->getOpcode() == *add_ && made->getOperand(1).isReg() &&
               made->getOperand(1).getReg().isVirtual() && made->getOperand(kAddressForms).isImm();
    }

    bool give_base(llvm::Register base, llvm::SmallVector<Access, 8>& accesses) {
        auto* made = registers_.getVRegDef(base);
        if (!made || !(made->isPHI() ? !starts_at_symbol(*made) : adds_to_symbol(*made))) return false;
        const auto* home = made->getParent();
        const auto smallest = std::min_element(accesses.begin(), accesses.end(), [](const Access& a, const Access& b) {
                                  return a.far < b.far;
                              })->far;
        if (!smallest || smallest < std::numeric_limits<std::int32_t>::min()) return false;
        const Access* first_at_home = nullptr;
        llvm::SmallPtrSet<const llvm::MachineBasicBlock*, 4> elsewhere;
        for (const Access& access : accesses) {
            const auto* block = access.instruction->getParent();
            if (block != home)
                elsewhere.insert(block);
            else if (!first_at_home)
                first_at_home = &access;
        }
        const bool has_one =
            first_at_home ? first_at_home->far == smallest : elsewhere.size() > 1 && accesses.front().far == smallest;
        if (elsewhere.empty() || !has_one) return false;
        const auto is_far = [&](const Access& access) { return access.instruction->getParent() != home; };
        if (!llvm::all_of(accesses, [&](const Access& access) {
                return !is_far(access) || access.has_constant || with_constant(*access.instruction);
            }))
            return false;
        const auto element = registers_.createVirtualRegister(registers_.getRegClass(base));
        const auto at = made->isPHI() ? made->getParent()->getFirstNonPHI() : std::next(made->getIterator());
        llvm::BuildMI(*made->getParent(), at, made->getDebugLoc(), machine_.get(*add_), element)
            .addReg(base)
            .addImm(smallest);
        registers_.clearKillFlags(base);
        for (const Access& access : accesses)
            if (is_far(access)) move(access, element, access.far - smallest);
        return true;
    }

    /// The form of the instruction that has a constant in its address; 0 where there is none.
    unsigned with_constant(const llvm::MachineInstr& instruction) const {
        const auto name = name_of(instruction);
        return name.ends_with("_areg") ? forms_.lookup((name.drop_back(3) + "ri").str()) : 0;
    }

    /// Whether the value walks from a variable's own address on.
    bool starts_at_symbol(const llvm::MachineInstr& made) const {
        if (!made.isPHI()) return false;
        for (unsigned at = 1; at + 1 < made.getNumOperands(); at += 2) {
            const auto* from = registers_.getVRegDef(made.getOperand(at).getReg());
            while (from && (from->isCopy() || from->getOpcode() == *add_) && from->getOperand(1).isReg() &&
                   from->getOperand(1).getReg().isVirtual() && from != &made)
                from = registers_.getVRegDef(from->getOperand(1).getReg());
            if (from && names_variable(*from)) return true;
        }
        return false;
    }

    /// Whether the value is the sum of a variable's address and one index.
    bool adds_to_symbol(const llvm::MachineInstr& made) const {
        return made.getNumExplicitOperands() == 3 &&
               llvm::any_of(made.uses(), [&](const llvm::MachineOperand& operand) {
                   const auto* part = operand.isReg() && operand.getReg().isVirtual()
                                          ? registers_.getVRegDef(operand.getReg())
                                          : nullptr;
                   return part && names_variable(*part);
               });
    }

    static bool names_variable(const llvm::MachineInstr& made) {
        return llvm::any_of(made.uses(), [](const llvm::MachineOperand& operand) { return operand.isGlobal(); });
    }

    bool touches_memory(const llvm::MachineInstr& instruction) const {
        return (instruction.mayLoad() || instruction.mayStore()) && !instruction.isCall() &&
               !instruction.isInlineAsm() && !instruction.isPHI();
    }

    bool make_anew(llvm::MachineInstr& instruction) {
        if (!touches_memory(instruction)) return false;
        auto* const first = llvm::find_if(instruction.uses(), [&](const llvm::MachineOperand& operand) {
            return operand.isReg() && operand.getReg().isVirtual() && is_far_sum(operand.getReg(), instruction);
        });
        if (first == instruction.uses().end()) return false;
        const auto known = first->getReg();
        auto& sum = *registers_.getVRegDef(known);
        auto* const again = function_.CloneMachineInstr(&sum);
        const auto anew = registers_.createVirtualRegister(registers_.getRegClass(known));
        again->getOperand(0).setReg(anew);
        again->setDebugLoc(instruction.getDebugLoc());
        instruction.getParent()->insert(instruction.getIterator(), again);
        registers_.clearKillFlags(sum.getOperand(1).getReg());
        first->setReg(anew);
        remove_if_unused(sum);
        return true;
    }

    bool is_far_sum(llvm::Register value, const llvm::MachineInstr& user) const {
        const auto* sum = registers_.getVRegDef(value);
        return is_sum(sum) && sum->getParent() != user.getParent();
    }

    llvm::MachineFunction& function_;
    llvm::MachineRegisterInfo& registers_;
    const llvm::TargetInstrInfo& machine_;
    std::optional<unsigned> add_;
    llvm::StringMap<unsigned> forms_;
};

}  // namespace

bool address_as_nvcc(llvm::MachineFunction& function) { return Addresses(function).run(); }

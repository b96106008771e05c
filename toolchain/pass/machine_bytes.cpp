// Bytes in the back end: what has been loaded as a byte through the read-only path has no upper bits, so that nvcc has
// no conversion behind it, where LLVM takes the lower byte once more.
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

#include "machine.hpp"

bool bytes_as_nvcc(llvm::MachineFunction& function) {
    auto& registers = function.getRegInfo();
    const auto& machine = *function.getSubtarget().getInstrInfo();
    llvm::SmallVector<llvm::MachineInstr*, 16> gone;
    for (auto& block : function)
        for (auto& instruction : block) {
            if (machine.getName(instruction.getOpcode()) != "CVT_u16_u8") continue;
            const llvm::Register to = instruction.getOperand(0).getReg(), from = instruction.getOperand(1).getReg();
            const auto* load = from.isVirtual() ? registers.getVRegDef(from) : nullptr;
            const auto name = load ? machine.getName(load->getOpcode()) : llvm::StringRef();
            if (!name.starts_with("INT_PTX_LD") || !name.contains("i8") || !registers.constrainRegAttrs(from, to))
                continue;
            registers.clearKillFlags(from);
            registers.replaceRegWith(to, from);
            gone.push_back(&instruction);
        }
    for (auto* instruction : gone) instruction->eraseFromParent();
    return !gone.empty();
}

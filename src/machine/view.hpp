// From warp IR to the machine view.
#pragma once

#include "machine/code.hpp"
#include "simt/ir.hpp"

namespace warpwright::machine {

/// Whether the engine tells of each execution of this instruction as an access (Event), in the order of the program.
bool is_traced(const simt::Inst& inst);

/// Of such an instruction: whether its event has steps (AsyncStep), which the functions that execute it write.
bool tells_steps(const ptx::Instruction& instruction);

/// Whether it is a compare-and-swap, or becomes a loop around one.
bool is_compare_and_swap(const simt::Inst& inst);

/// Bytes that each lane of such an instruction accesses; at most 32.
unsigned traced_bytes(const simt::Inst& inst);

/// In which order the operations of a block stand.
enum class Order : std::uint8_t { scheduled, program };

/// Appends the blocks of `f`, whose values get numbers behind those that `code` has.
void append(Code& code, const simt::Function& f, Order order = Order::scheduled);

}  // namespace warpwright::machine

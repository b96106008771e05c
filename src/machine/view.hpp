// From warp IR to the machine view.
#pragma once

#include <utility>
#include <vector>

#include "machine/code.hpp"
#include "simt/ir.hpp"

namespace warpwright::machine {

/// Whether the engine tells of each execution of this instruction as an access (Event), in the order of the program.
bool is_traced(const simt::Inst& inst);

/// Of such an instruction: whether its event has steps (AsyncStep), which the functions that execute it write.
bool tells_steps(const simt::Details& instruction);
/// A fetch of a texture, or an access of a surface: it tells of what it touches itself, as one event.
bool is_texture_access(const simt::Details& instruction);
/// Of these: by whole coordinates, so that nothing is filtered.
bool reads_elements(const simt::Details& instruction);

/// Whether it is a compare-and-swap, or becomes a loop around one.
bool is_compare_and_swap(const simt::Inst& inst);

/// Bytes that each lane of such an instruction accesses; at most 32.
unsigned traced_bytes(const simt::Inst& inst);

/// Instructions that are no work of their own: joined with another one, by block and PTX instruction.
std::vector<std::pair<simt::BlockId, const simt::Details*>> joined(const simt::Function& f);

/// In which order the operations of a block stand.
enum class Order : std::uint8_t { scheduled, program };

/// Appends the blocks of `f`, whose values get numbers behind those that `code` has.
void append(Code& code, const simt::Function& f, Order order = Order::scheduled);

}  // namespace warpwright::machine

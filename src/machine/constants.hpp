// Loads of constant memory that become operands. Private to this room.
#pragma once

#include "machine/fold.hpp"

namespace warpwright::machine {

/// A load of constant memory from a place that all lanes of a warp share comes by the constant cache of the operands,
/// as parameters do: no queue takes it, and nobody waits for a scoreboard. The place is fixed, or it is computed from
/// what is the same in all lanes, outside of loops that lanes leave at different times. Two words of one variable that
/// lie in 8 aligned bytes are read by one instruction of their block. Other loads go through the load/store unit's
/// queue. Seen in machine code of compute capability 9.0 (`ULDC`, `LDC`), and measured on an H100.
void place_constants(Draft& draft, const simt::Function& f);

}  // namespace warpwright::machine

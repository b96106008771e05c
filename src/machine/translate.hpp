// What one PTX instruction becomes: pipe, issue slots and latency beyond its pipe's. Private to this room.
#pragma once

#include "machine/code.hpp"
#include "simt/ir.hpp"

namespace warpwright::machine {

/// The operation for an instruction of the warp IR, before it is joined with others (fold.cpp). Operations that become
/// no machine instruction have `issues` 0.
Op translate(const simt::Inst& inst);

/// Whether it divides whole numbers of 32 bits, or takes the rest.
bool is_short_division(const simt::Inst& inst);
/// Leaves of such a division what depends on the dividend.
void leave_out_divisor(Op& op);

}  // namespace warpwright::machine

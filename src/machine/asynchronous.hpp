// Matrix products, and what goes on while its warp does other things: copies, bulk copies, mbarriers, products of a
// warpgroup.
#pragma once

#include "machine/code.hpp"
#include "simt/ir.hpp"

namespace warpwright::machine {

/// Instructions of the kinds matrix, matrix_async, copy_group, async_op, async_wait; and nop, of which the assembler
/// makes something where it ends or awaits a group of products.
Op translate_asynchronous(const simt::Inst& inst);

}  // namespace warpwright::machine

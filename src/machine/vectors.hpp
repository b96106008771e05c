// Loads of words that lie side by side, as one. Private to this room.
#pragma once

#include "machine/fold.hpp"

namespace warpwright::machine {

/// Loads of two or four words of shared memory from one address and constants beyond it, with nothing between them that
/// may write there, become one load of 8 or 16 bytes where the place is known to be a multiple of that. The first one
/// in the order of the program gets the others' results (DraftInst::more); they get `issues` 0 and DraftInst::within.
/// So do stores, of which the last one stays, where nothing between them may read or write there (ptxas 13.0 for 9.0).
void join_loads(Draft& draft, const simt::Function& f);

}  // namespace warpwright::machine

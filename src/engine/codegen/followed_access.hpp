// Loads and stores at addresses of no known form, whose lanes often follow each other all the same (a remainder of an
// unrolled loop, an index computed with bits): converged code looks at the addresses, and moves whole vectors where
// they do.
#pragma once

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

/// False, with nothing written, where the access is not for this.
bool followed_load(FunctionState& fn, const Access& a);
bool followed_store(FunctionState& fn, const Access& a);

}  // namespace warpwright::engine::codegen

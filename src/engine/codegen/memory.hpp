// Loads and stores: chooses how each is done. Regular ones are done in place, on scalars and whole vectors; irregular
// ones go to the runtime with a vector of addresses.
#pragma once

#include "engine/codegen/function_state.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

Result<void> emit_load_or_store(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen

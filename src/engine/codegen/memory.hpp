// Loads and stores: chooses how each is done. Regular ones are done in place, on scalars and whole vectors; irregular
// ones go to the runtime with a vector of addresses.
#pragma once

#include "engine/codegen/access.hpp"
#include "support/result.hpp"

namespace warpwright::engine::codegen {

/// Whether a load or store has a form that this version executes.
bool has_way(const simt::Inst& i);
/// Whether all lanes access one address, in place.
bool takes_one_address(const FunctionState& fn, const Access& a);
/// Whether the lanes are a few runs, done in place.
bool takes_runs(const FunctionState& fn, const Access& a);
Result<void> emit_load_or_store(FunctionState& fn, const simt::Inst& i);

}  // namespace warpwright::engine::codegen

// Loads and stores at one address for all lanes: a scalar access.
#pragma once

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

void uniform_load(FunctionState& fn, const Access& a);
/// The highest lane's value stays. Converged copies only.
void uniform_store(FunctionState& fn, const Access& a);

}  // namespace warpwright::engine::codegen

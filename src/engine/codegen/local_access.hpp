// Local memory at an address that all lanes share: whole rows of words, accessed in place. Others go to the runtime.
#pragma once

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

void local_load(FunctionState& fn, const Access& a);
void local_store(FunctionState& fn, const Access& a);

}  // namespace warpwright::engine::codegen
